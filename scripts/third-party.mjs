// The licences of what a bundle holds: its packages are not installed beside it, so their texts travel with it.
// Of a package that brings no text its name, author and licence stand for it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `inputs`: files as esbuild names them in its report. */
export function thirdPartyText(inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))
  const parts = [...folders].sort().map(describe)
  return `Packages that are part of this program, and their licences.\n\n${parts.join('\n')}`
}

/** The innermost package: `…/node_modules/a/node_modules/@b/c/lib/d.js` belongs to `@b/c`. */
function packageFolder(path) {
  const found = /^(?:[\w-]+:)?(?:\.\.\/)*(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)
  return found?.[1]
}

function describe(folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const texts = readdirSync(folder).filter((each) => /^(licen[cs]e|copying|notice)/i.test(each))
  const by = typeof author === 'object' ? author.name : author
  const head = `==== ${name} ${version} (${license})${by ? `, ${by}` : ''} ====`
  return [head, ...texts.map((each) => readFileSync(join(folder, each), 'utf8').trim()), ''].join(
    '\n\n',
  )
}
