// Every way of importing is seen, words in strings and comments are not, and the form is checked.

import { expect, it } from 'vitest'
import { checkImportForm, importsOf, packageOf, targetOf } from './imports.js'
import { source } from './source.js'

it('sees every kind of import', () => {
  const file = source(
    'src/a/b.ts',
    `import { a } from './one.js'
import type { B } from './two.js'
export { c } from './three.js'
export * from './four.js'
const d = await import('./five.js')
let e: import('./six.js').E
const w = new URL('./seven.js', import.meta.url)
const no = new URL('https://example.org/x.js', base)
const page = new URL('./page.html', import.meta.url)
// import './comment.js'
const text = "import './string.js'"
export const own = 1`,
  )
  expect(importsOf(file).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
    '1 ./one.js',
    '2 ./two.js',
    '3 ./three.js',
    '4 ./four.js',
    '5 ./five.js',
    '6 ./six.js',
    '7 ./seven.js',
  ])
})

it('knows what an import means', () => {
  expect(targetOf(source('src/a/b.ts', ''), '../c/d.js')).toBe('src/c/d.ts')
  expect(packageOf('@sinclair/typebox/value')).toBe('@sinclair/typebox')
  expect(packageOf('re2js/more')).toBe('re2js')
})

it('asks for extensions and node: prefixes', () => {
  const good = source('src/a.ts', "import './b.js'\nimport 'node:fs'\nimport 'fastify'")
  expect(checkImportForm([good])).toEqual([])
  const bad = source('src/a.ts', "import './b'\nimport 'fs'\nimport '..'\nimport './c.ts'")
  expect(checkImportForm([bad])).toEqual([
    'src/a.ts:1: import of ./b lacks its .js extension',
    'src/a.ts:2: import fs as node:fs',
    'src/a.ts:3: import of .. lacks its .js extension',
    'src/a.ts:4: import of ./c.ts lacks its .js extension',
  ])
})
