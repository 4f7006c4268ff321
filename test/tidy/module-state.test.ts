// State of modules is found in every form that it comes in; what is filled while loading, or belongs to a function or
// an object, is none.

import { expect, it } from 'vitest'
import { checkModuleState } from './module-state.js'
import { source } from './source.js'

const find = (text: string, exceptions = {}) =>
  checkModuleState([source('src/store/x.ts', text)], exceptions)

it.each([
  ['let count = 0', 'count is a variable of the module'],
  ['export let count = 0', 'count is a variable of the module'],
  ['export const known = new Map()', 'known can be changed by whoever imports it'],
  ['const a = new Map()\nfunction f() {\n  a.set(1, 2)\n}', 'a is changed while the program runs'],
  [
    'const a: T[] = []\nclass C {\n  m() {\n    a[0] = 2\n  }\n}',
    'a is changed while the program runs',
  ],
  ['const a = []\nfunction f() {\n  a.length = 0\n}', 'a is changed while the program runs'],
  ['const a = { b: 1 }\nfunction f() {\n  a.b += 2\n}', 'a is changed while the program runs'],
  ['const a = { b: 1 }\nfunction f() {\n  a.b ??= 2\n}', 'a is changed while the program runs'],
  ['const a = [1]\nfunction f() {\n  a[0]++\n}', 'a is changed while the program runs'],
])('%j', (text, finding) => {
  expect(find(text)).toEqual([`src/store/x.ts:1: ${finding}`])
})

it.each([
  'const table = new Uint8Array(9)\nfor (let i = 0; i < 9; i++) table[i] = i',
  'export const names: ReadonlySet<string> = new Set()',
  'const a = [1]\nfunction f() {\n  return a[0] === 1 && a.length >= 2\n}',
  'function f() {\n  let count = 0\n  count++\n  const a = []\n  a.push(1)\n}',
  'const a = 5\nfunction f() {\n  const a = []\n  a.push(1)\n}',
  'const a = /x/y\nfunction f() {\n  a.lastIndex = 3\n}',
  'const a = [1] as const\nclass C {\n  #a = []\n  m() {\n    this.#a.push(1)\n  }\n}',
])('not %j', (text) => {
  expect(find(text)).toEqual([])
})

it('lets tests alone, and what is allowed, which must be there', () => {
  expect(checkModuleState([source('src/store/x.test.ts', 'let a = 1')], {})).toEqual([])
  expect(find('let a = 1', { 'src/store/x.ts a': 'a reason' })).toEqual([])
  expect(find('', { 'src/store/x.ts a': 'a reason' })).toEqual([
    'src/store/x.ts a is allowed to be state of a module, but is none',
  ])
})
