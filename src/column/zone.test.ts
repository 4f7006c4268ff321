// Zones: how far clocks are from UTC around their changes, in places that do it differently; and the
// way back, from what clocks show to the moment.

import { expect, test } from 'vitest'
import { Zone, zoneOf } from './zone.js'

const seconds = (text: string) => Date.parse(text) / 1000

test.each([
  ['UTC', '2020-06-01T00:00:00Z', 0],
  ['America/New_York', '2020-03-08T06:59:59Z', -18_000],
  ['America/New_York', '2020-03-08T07:00:00Z', -14_400],
  ['America/New_York', '2020-11-01T05:59:59Z', -14_400],
  ['America/New_York', '2020-11-01T06:00:00Z', -18_000],
  ['Asia/Kolkata', '2020-01-01T00:00:00Z', 19_800],
  ['Asia/Kathmandu', '2020-01-01T00:00:00Z', 20_700],
  ['Australia/Sydney', '2020-01-01T00:00:00Z', 39_600],
  ['Australia/Sydney', '2020-07-01T00:00:00Z', 36_000],
  // Samoa left out the 30th of December 2011.
  ['Pacific/Apia', '2011-12-30T09:59:59Z', -36_000],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', 50_400],
  // Around new year, which is where the tables are cut.
  ['Europe/London', '2019-12-31T23:59:59Z', 0],
  ['Europe/London', '2020-01-01T00:00:00Z', 0],
])('%s at %s', (name, time, expected) => {
  expect(zoneOf(name).offsetSeconds(seconds(time))).toBe(expected)
})

test('nanoseconds are rounded down to their second', () => {
  const zone = zoneOf('America/New_York')
  const change = BigInt(seconds('2020-03-08T07:00:00Z')) * 1_000_000_000n
  expect(zone.offsetNs(change - 1n)).toBe(-18_000_000_000_000n)
  expect(zone.offsetNs(change)).toBe(-14_400_000_000_000n)
  expect(zoneOf('Asia/Kolkata').offsetNs(-1n)).toBe(19_800_000_000_000n)
})

test.each([
  ['America/New_York', '2020-01-01T00:00:00Z', '2020-01-01T05:00:00Z'],
  ['America/New_York', '2020-07-01T00:00:00Z', '2020-07-01T04:00:00Z'],
  ['America/New_York', '2020-03-08T00:00:00Z', '2020-03-08T05:00:00Z'],
  ['America/New_York', '2020-03-09T00:00:00Z', '2020-03-09T04:00:00Z'],
  ['America/New_York', '2020-11-01T00:00:00Z', '2020-11-01T04:00:00Z'],
  ['America/New_York', '2020-11-02T00:00:00Z', '2020-11-02T05:00:00Z'],
  ['Asia/Tokyo', '2020-01-01T00:00:00Z', '2019-12-31T15:00:00Z'],
])('in %s clocks show %s at %s', (name, local, expected) => {
  expect(zoneOf(name).fromLocal(seconds(local))).toBe(seconds(expected))
})

test('every hour of a year there and back, but for those that come twice or never', () => {
  const zone = new Zone('Europe/Berlin')
  let missed = 0
  for (let at = seconds('2020-01-01T00:00:00Z'); at < seconds('2021-01-01T00:00:00Z'); at += 3600) {
    if (zone.fromLocal(at + zone.offsetSeconds(at)) !== at) missed++
  }
  expect(missed).toBe(1)
})

test('a zone is made once, and only where there is one', () => {
  expect(zoneOf('Europe/Paris')).toBe(zoneOf('Europe/Paris'))
  expect(() => zoneOf('Nowhere/City')).toThrow(RangeError)
})
