// Rates are read as `influx write` writes them, and what is sent under one takes as long as it says: moments are
// given, nothing waits.

import { expect, test } from 'vitest'
import { bytesPerSecond, SendingPace } from './sending-pace.js'

test('rates are read with and without blanks, counts and slashes', () => {
  const rates = ['5 MB / 5 min', '17kBs', '17 kB/s', '5.1MB5m', '100B/2sec', '1GB/h']
  expect(rates.map(bytesPerSecond)).toEqual([
    (5 << 20) / 300,
    17 * 1024,
    17 * 1024,
    (5.1 * (1 << 20)) / 300,
    50,
    (1 << 30) / 3600,
  ])
  for (const text of ['', '5', '5 MB', 'MB/s', '0 MB/s', '5 mb/s', '1 MB/0s', '-1 MB/s']) {
    expect(() => bytesPerSecond(text), text).toThrow('is no rate such as')
  }
})

test('what was sent is paid for before more is sent, and pauses are not saved up', () => {
  const pace = new SendingPace(1000)
  expect(pace.take(5000, 100)).toBe(0)
  expect(pace.take(1000, 100)).toBe(5000)
  expect(pace.take(1000, 5600)).toBe(500)
  expect(pace.take(1000, 60_000)).toBe(0)
  expect(pace.take(1, 60_500)).toBe(500)
})
