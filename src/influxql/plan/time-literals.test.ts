// Times as they are written in conditions: what is read, in which zone, what is refused, and what
// does not even look like one.

import { expect, test } from 'vitest'
import { isTimeLiteral, parseTimeLiteral, printSeconds, printTime } from './time-literals.js'

test.each([
  ['1970-01-01', 0n],
  ['1969-12-31', -86_400_000_000_000n],
  ['2020-02-29', 1_582_934_400_000_000_000n],
  ['1970-01-01 00:00:01', 1_000_000_000n],
  ['1970-01-01 0:00:01.5', 1_500_000_000n],
  ['1970-01-01T00:00:01Z', 1_000_000_000n],
  ['1970-01-01T00:00:00.000000001Z', 1n],
  ['1970-01-01T00:00:00.0000000019Z', 1n],
  ['1970-01-01T02:00:00+02:00', 0n],
  ['1969-12-31T19:30:00-04:30', 0n],
])('%s', (text, expected) => {
  expect(parseTimeLiteral(text, undefined)).toBe(expected)
})

test.each([
  '2021-02-29',
  '2020-00-01',
  '2020-01-32',
  '1970-01-01T00:00:00',
  '1970-01-01 00:00:00Z',
  '1970-01-01 24:00:00',
  '1970-01-01 00:60:00',
  '1970-01-01T00:00',
  '1970-01-01x',
])('%s is none', (text) => {
  expect(isTimeLiteral(text)).toBe(true)
  expect(() => parseTimeLiteral(text, undefined)).toThrow('invalid timestamp string')
})

test.each(['', 'x', '1970', '1970-1-1', '70-01-01'])('"%s" does not even look like one', (text) => {
  expect(isTimeLiteral(text)).toBe(false)
})

test('in a zone, where nothing else is said', () => {
  const zone = 'Asia/Kolkata'
  expect(parseTimeLiteral('1970-01-01', zone)).toBe(-19_800_000_000_000n)
  expect(parseTimeLiteral('1970-01-01 05:30:00', zone)).toBe(0n)
  expect(parseTimeLiteral('1970-01-01T00:00:00Z', zone)).toBe(0n)
})

test('the way back', () => {
  expect(printTime(0n)).toBe('1970-01-01T00:00:00Z')
  expect(printTime(-1n)).toBe('1969-12-31T23:59:59.999999999Z')
  expect(printTime(1_500_000_000n)).toBe('1970-01-01T00:00:01.5Z')
  expect(printSeconds(1_999_999_999n)).toBe('1970-01-01T00:00:01Z')
})
