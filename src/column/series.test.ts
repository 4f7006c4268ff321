// Canonical keys: every series has one spelling, and the spelling reads back as the series. Times
// on both sides of 1970.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSeriesKey, type Series, seriesKey } from './series.js'
import { floorDiv } from './time.js'

// A backslash at the end of a name would escape what separates it: line protocol has no spelling
// for it.
const name = fc
  .string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab=, é🙂"/.\'') })
  .filter((value) => !value.endsWith('\\'))

const series: fc.Arbitrary<Series> = fc
  .tuple(name, fc.uniqueArray(fc.tuple(name, name), { maxLength: 5, selector: ([key]) => key }))
  .map(([measurement, tags]) => ({
    measurement,
    tags: tags.map(([key, value]) => ({ key, value })),
  }))

test('a key reads back as its series', () => {
  fc.assert(
    fc.property(series, (of) => {
      expect(parseSeriesKey(Buffer.from(seriesKey(of)))).toEqual(of)
    }),
  )
})

test('two series never share a key', () => {
  fc.assert(
    fc.property(series, series, (a, b) => {
      if (JSON.stringify(a) === JSON.stringify(b)) return
      expect(seriesKey(a)).not.toBe(seriesKey(b))
    }),
  )
})

test('backslashes that escape nothing stand for themselves', () => {
  const of = { measurement: 'c:\\dir', tags: [{ key: 'a\\b', value: '\\x' }] }
  expect(seriesKey(of)).toBe('c:\\dir,a\\b=\\x')
  expect(parseSeriesKey(Buffer.from(seriesKey(of)))).toEqual(of)
})

test('division rounds towards minus infinity', () => {
  expect([7n, -7n, 6n, -6n, 0n].map((a) => floorDiv(a, 3n))).toEqual([2n, -3n, 2n, -2n, 0n])
})
