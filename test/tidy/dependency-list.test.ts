// The page about dependencies names all that are shipped, with the licence that each states itself; and no package runs
// anything when it is installed, but those that are known to.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

it('docs/dependencies.md lists every dependency with its licence', () => {
  const page = readFileSync('docs/dependencies.md', 'utf8')
  const rows = Array.from(page.matchAll(/^\| (\S+) \| (\S+) \| .+ \|$/gm), (row) => [
    row[1],
    row[2],
  ])
  const wanted = Object.keys(json('package.json').dependencies).map((name) => [
    name,
    json(`node_modules/${name}/package.json`).license,
  ])
  expect(rows.filter(([name]) => name !== 'package')).toEqual(wanted)
})

it('nothing is run at installation but what is known', () => {
  const packages: Record<string, { hasInstallScript?: boolean }> =
    json('package-lock.json').packages
  const names = Object.keys(packages).filter((name) => packages[name].hasInstallScript === true)
  expect(names.sort()).toEqual(['node_modules/esbuild', 'node_modules/protobufjs'])
})
