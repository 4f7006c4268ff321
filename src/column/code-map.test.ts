// Numbers of a dictionary's entries: the same answers from a list and from a map, whichever the
// sizes call for.

import { expect, test } from 'vitest'
import { CodeMap } from './code-map.js'

test.each([
  ['as a list', 100, 25],
  ['as a map', 100, 24],
])('%s', (_, entries, met) => {
  const map = new CodeMap(entries, met)
  expect([0, 50, 99].map((code) => map.get(code))).toEqual([-1, -1, -1])
  map.set(99, 0)
  map.set(0, 7)
  expect([0, 50, 99].map((code) => map.get(code))).toEqual([7, -1, 0])
  map.set(0, 8)
  expect(map.get(0)).toBe(8)
})
