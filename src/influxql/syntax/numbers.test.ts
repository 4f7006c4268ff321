// Numbers as text: no digit lost, none invented, and halves rounded as Go rounds them. Megabytes of
// digits take no time worth measuring.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseWhole } from '../../query/whole-number.js'
import { printPlain, printThousandths } from './numbers.js'

test('plain digits mean the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = printPlain(value)
      expect(text).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(text)).toBe(value)
    }),
  )
})

test.each([
  [0.0625, '0.062'],
  [0.1875, '0.188'],
  [1.0625, '1.062'],
  [-1.0625, '-1.062'],
  [1.0005, '1.000'],
  [1.23456789, '1.235'],
  [0.9996, '1.000'],
  [2, '2.000'],
  [-0, '-0.000'],
  [-0.0001, '-0.000'],
  [1e21, '1000000000000000000000.000'],
  [1e22, '10000000000000000000000.000'],
  [4503599627370495.5, '4503599627370495.500'],
])('%d with three decimals', (value, text) => {
  expect(printThousandths(value)).toBe(text)
})

test('whole numbers of any length', () => {
  expect(parseWhole('-5')).toBe(-5n)
  expect(parseWhole('18446744073709551615')).toBe(18446744073709551615n)
  expect(parseWhole(`${'0'.repeat(50)}7`)).toBe(7n)
  expect(parseWhole('0'.repeat(50))).toBe(0n)
  expect(parseWhole('9'.repeat(1_000_000))).toBeGreaterThan(2n ** 64n)
  expect(parseWhole(`-${'9'.repeat(1_000_000)}`)).toBeLessThan(-(2n ** 64n))
})
