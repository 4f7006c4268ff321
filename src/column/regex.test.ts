// Regular expressions against what Go's package regexp gives for the same pattern and text: places,
// replacements, and patterns that are none.

import { describe, expect, test } from 'vitest'
import { UserError } from '../errors.js'
import { compileRegex } from './regex.js'

describe('replaceAll', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['a(x*)b', '-ab-axxb-', 'T', '-T-T-'],
    ['a(x*)b', '-ab-axxb-', '$1', '--xx-'],
    ['a(x*)b', '-ab-axxb-', '$1W', '---'],
    ['a(x*)b', '-ab-axxb-', `\${1}W`, '-W-xxW-'],
    ['a(?P<inner>x*)b', '-axxb-', '<$inner>', '-<xx>-'],
    ['a(x)?b', 'ab', '[$1$2]', '[]'],
    ['x', 'axb', '$$', 'a$b'],
    ['x', 'axb', '$', 'a$b'],
    ['x', 'axb', '$-', 'a$-b'],
    ['', 'abc', '-', '-a-b-c-'],
    ['b*', 'abc', '-', '-a-c-'],
    ['', '😀', '-', '-😀-'],
    ['a', 'b', 'x', 'b'],
    ['(?P<constructor>a)', 'a', '$toString$constructor', 'a'],
  ]
  test.each(cases)('%s in %s by %s', (pattern, text, template, expected) => {
    expect(compileRegex(pattern).replaceAll(text, template)).toBe(expected)
  })
})

describe('matches', () => {
  const cases: readonly (readonly [string, string, number, readonly (readonly number[])[]])[] = [
    [
      'a',
      'banana',
      Infinity,
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'a',
      'banana',
      2,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['a', 'banana', 0, []],
    ['foo.?', 'seafood fool', 1, [[3, 7]]],
    ['x', 'abc', Infinity, []],
    [
      '',
      'ab',
      Infinity,
      [
        [0, 0],
        [1, 1],
        [2, 2],
      ],
    ],
    [
      'a*',
      'baab',
      Infinity,
      [
        [0, 0],
        [1, 3],
        [4, 4],
      ],
    ],
    [
      '',
      '😀',
      Infinity,
      [
        [0, 0],
        [2, 2],
      ],
    ],
  ]
  test.each(cases)('%s in %s, at most %d', (pattern, text, countMax, expected) => {
    const found = compileRegex(pattern).matches(text, countMax)
    expect(found.map(({ start, end }) => [start, end])).toEqual(expected)
  })
})

test('a bad pattern is the asker’s mistake', () => {
  expect(() => compileRegex('a(b')).toThrow(UserError)
})
