// Moments in the forms that databases have for them: read, written, and refused where they cannot be told in
// nanoseconds.

import { expect, test } from 'vitest'
import { sqlTimeNs, sqlTimeText } from './time-text.js'

test('moments are read with and without a zone', () => {
  expect(sqlTimeNs('2019-06-03 13:59:01.25')).toBe(1559570341250000000n)
  expect(sqlTimeNs('2019-06-03T13:59:01.123456789Z')).toBe(1559570341123456789n)
  expect(sqlTimeNs('2019-06-03 13:59:01+02')).toBe(1559563141000000000n)
  expect(sqlTimeNs('2019-06-03 13:59:01-00:30')).toBe(1559572141000000000n)
  expect(sqlTimeNs('2019-06-03')).toBe(1559520000000000000n)
  expect(sqlTimeNs('1960-01-01 00:00')).toBe(-315619200000000000n)
})

test('numbers are seconds, large ones milliseconds', () => {
  expect(sqlTimeNs(1559570341n)).toBe(1559570341000000000n)
  expect(sqlTimeNs(1559570341250n)).toBe(1559570341250000000n)
})

test('what is no moment', () => {
  expect(sqlTimeNs('0000-00-00 00:00:00')).toBeNull()
  for (const text of [
    'infinity',
    'yesterday',
    '2019-02-31',
    '2019-02-01 24:00:00',
    '12019-01-01',
    '0001-01-01',
    '9999-01-01',
    '',
  ]) {
    expect(sqlTimeNs(text)).toBeUndefined()
  }
  expect(sqlTimeNs(1.5)).toBeUndefined()
})

test('moments are written as they are read', () => {
  expect(sqlTimeText(1559570341250000000n, 6)).toBe('2019-06-03 13:59:01.25')
  expect(sqlTimeText(1559570341123456789n, 6)).toBe('2019-06-03 13:59:01.123456')
  expect(sqlTimeText(1559570341123456789n, 9)).toBe('2019-06-03 13:59:01.123456789')
  expect(sqlTimeText(-1n, 9)).toBe('1969-12-31 23:59:59.999999999')
  expect(sqlTimeText(0n, 6)).toBe('1970-01-01 00:00:00')
})
