// Values as `display` and messages show them, dictionaries, and quotes: the forms are those of the
// reference implementation.

import { expect, test } from 'vitest'
import { dictionaryGet, dictionaryInsert, dictionaryOf, dictionaryRemove } from './dictionary.js'
import { shortFloatText } from './float-text.js'
import { quoted } from './quote.js'
import { displayText } from './text.js'
import { Bytes, Dynamic, type FluxValue, MapRecord, Regexp, Time, Uint } from './value.js'

const record = (entries: readonly (readonly [string, FluxValue])[]) =>
  new MapRecord(new Map(entries))

const shown: readonly (readonly [FluxValue, string])[] = [
  [null, '<null>'],
  [1n, '1'],
  [new Uint(1n), '1'],
  [1.5, '1.5'],
  ['a "b"', 'a "b"'],
  [new Time(0n), '1970-01-01T00:00:00.000000000Z'],
  [new Regexp('a/b'), 'a/b'],
  [new Bytes(Buffer.from([0, 255])), '0x00ff'],
  [[1n, 2n, 3n], '[1, 2, 3]'],
  [[], '[]'],
  [[1n, 2n, 3n, 4n], '[\n    1,\n    2,\n    3,\n    4\n]'],
  [
    record([
      ['b', 1n],
      ['a', [null]],
    ]),
    '{a: [<null>], b: 1}',
  ],
  [new Dynamic(null), 'dynamic(<null>)'],
  [dictionaryOf([]), '[:]'],
  [
    dictionaryOf([
      { key: 'b', value: 1n },
      { key: 'a', value: 2n },
    ]),
    '[a: 2, b: 1]',
  ],
]

test.each(shown)('%s', (value, text) => {
  expect(displayText(value)).toBe(text)
})

test('nested collections are indented', () => {
  const inner = record([
    ['a', 1n],
    ['b', 2n],
    ['c', 3n],
    ['d', [1n]],
  ])
  expect(displayText([inner])).toBe(
    '[{\n        a: 1,\n        b: 2,\n        c: 3,\n        d: [1]\n    }]',
  )
})

test.each([
  [1e21, '1e+21'],
  [1e20, '100000000000000000000'],
  [1.5e-7, '1.5e-07'],
  [0.0001, '0.0001'],
  [Number.NaN, 'NaN'],
  [-Infinity, '-Inf'],
  [-0, '-0'],
])('%d', (value, text) => {
  expect(shortFloatText(value)).toBe(text)
})

test('dictionaries', () => {
  const one = dictionaryOf([
    { key: 2n, value: 'b' },
    { key: 1n, value: 'a' },
    { key: 2n, value: 'c' },
  ])
  expect(one.entries).toEqual([
    { key: 1n, value: 'a' },
    { key: 2n, value: 'c' },
  ])
  expect(dictionaryGet(one, 2n)).toBe('c')
  expect(dictionaryGet(one, 3n)).toBeUndefined()
  expect(dictionaryGet(one, null)).toBeUndefined()
  const two = dictionaryInsert(one, 0n, 'z')
  expect(two.entries.map(({ key }) => key)).toEqual([0n, 1n, 2n])
  expect(dictionaryInsert(two, 1n, 'x').entries.length).toBe(3)
  expect(dictionaryRemove(two, 0n)).toEqual(one)
  expect(dictionaryRemove(two, 7n)).toBe(two)
  expect(() => dictionaryInsert(one, null, 1n)).toThrow(
    'null value cannot be used as a dictionary key',
  )
})

test('quotes as Go puts them', () => {
  expect(quoted('a"\\\u0000\u007fä\u200b😀')).toBe('"a\\"\\\\\\x00\\x7fä\\u200b😀"')
})
