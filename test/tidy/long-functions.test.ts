// A function that is too long is a finding unless it is on the list of known ones, and an entry of that list is a
// finding once it is not needed.

import { expect, it } from 'vitest'
import { checkFunctionLengths } from './long-functions.js'
import { source } from './source.js'

const body = (lines: number) => `{\n${'  work()\n'.repeat(lines - 2)}}`

it('refuses a function over 70 lines, unless it is known', () => {
  const files = [source('src/a.ts', `function f() ${body(71)}\nfunction g() ${body(70)}`)]
  expect(checkFunctionLengths(files, '')).toEqual(['src/a.ts:1: f has 71 lines, at most 70'])
  expect(checkFunctionLengths(files, '# known\n\nsrc/a.ts:f\n')).toEqual([])
})

it('refuses an entry that is not needed', () => {
  const files = [source('src/a.ts', 'function f() {}')]
  expect(checkFunctionLengths(files, 'src/a.ts:f\nsrc/gone.ts:g')).toEqual([
    'src/a.ts:f is not too long (any more): take it off the list',
    'src/gone.ts:g is not too long (any more): take it off the list',
  ])
})

it('counts callbacks in code but not in tests', () => {
  const text = `describe('x', () => ${body(80)})`
  expect(checkFunctionLengths([source('src/a.ts', text)], '')).toHaveLength(1)
  expect(checkFunctionLengths([source('src/a.test.ts', text)], '')).toEqual([])
})
