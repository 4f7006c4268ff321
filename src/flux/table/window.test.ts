// Windows of time: the one of a moment, those of a span, on the calendar and on the clocks of a place.
// Expected bounds are written out.

import { describe, expect, test } from 'vitest'
import { zoneOf } from '../../column/zone.js'
import { parseDuration, zeroDuration } from '../value/duration.js'
import { Location } from '../value/location.js'
import { parseTime, rfc3339Text } from '../value/time.js'
import { Window } from './window.js'

function windowOf(every: string, period = every, offset = '0s', zone?: string): Window {
  const location = zone === undefined ? undefined : new Location(zoneOf(zone), zeroDuration)
  const [e, p, o] = [every, period, offset].map((text) => parseDuration(text)!)
  return new Window(e, p, o, location)
}

function text({ startNs, stopNs }: { readonly startNs: bigint; readonly stopNs: bigint }): string {
  return `${rfc3339Text(startNs)} ${rfc3339Text(stopNs)}`
}

describe('the last window of a moment', () => {
  const cases: readonly (readonly [string, string, string, string, string])[] = [
    ['5m', '5m', '0s', '1970-01-01T00:06:00Z', '1970-01-01T00:05:00Z 1970-01-01T00:10:00Z'],
    ['5m', '5m', '30s', '1970-01-01T00:05:00Z', '1970-01-01T00:00:30Z 1970-01-01T00:05:30Z'],
    ['5m', '5m', '-30s', '1970-01-01T00:05:00Z', '1970-01-01T00:04:30Z 1970-01-01T00:09:30Z'],
    ['5s', '5s', '2s', '1970-01-01T00:00:01Z', '1969-12-31T23:59:57Z 1970-01-01T00:00:02Z'],
    ['1w', '1w', '0s', '2024-01-05T00:00:00Z', '2024-01-04T00:00:00Z 2024-01-11T00:00:00Z'],
    ['1mo', '1mo', '0s', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00Z 2024-03-01T00:00:00Z'],
    ['3mo', '3mo', '1mo', '1970-01-01T00:00:00Z', '1969-11-01T00:00:00Z 1970-02-01T00:00:00Z'],
    ['5mo', '5mo', '-2mo', '1970-02-01T00:00:00Z', '1969-11-01T00:00:00Z 1970-04-01T00:00:00Z'],
    ['1y', '1y', '0s', '1969-06-01T00:00:00Z', '1969-01-01T00:00:00Z 1970-01-01T00:00:00Z'],
    // A month before its end stays a month before its end, and the window ends a day early.
    ['1mo', '1mo', '-2h', '1970-07-31T21:00:00Z', '1970-06-30T22:00:00Z 1970-07-30T22:00:00Z'],
    ['2m', '1m', '30s', '1970-01-01T00:03:00Z', '1970-01-01T00:02:30Z 1970-01-01T00:03:30Z'],
    ['2m', '1m', '30s', '1970-01-01T00:02:15Z', '1970-01-01T00:00:30Z 1970-01-01T00:01:30Z'],
    ['1m', '3m30s', '30s', '1970-01-01T00:05:00Z', '1970-01-01T00:04:30Z 1970-01-01T00:08:00Z'],
    ['5m', '-15m', '0s', '1970-01-01T00:06:00Z', '1970-01-01T00:05:00Z 1970-01-01T00:20:00Z'],
    ['4mo', '-10mo', '0s', '1970-03-01T00:00:00Z', '1970-03-01T00:00:00Z 1971-01-01T00:00:00Z'],
    ['2mo', '1mo10h', '0s', '1970-07-10T00:00:00Z', '1970-07-01T00:00:00Z 1970-08-01T10:00:00Z'],
  ]
  test.each(cases)(
    'every %s, period %s, offset %s at %s',
    (every, period, offset, at, expected) => {
      expect(text(windowOf(every, period, offset).latest(parseTime(at)))).toBe(expected)
    },
  )

  test('days of a place have 23 and 25 hours when its clocks change', () => {
    const days = windowOf('1d', '1d', '0s', 'America/Los_Angeles')
    const day = (at: string) => text(days.latest(parseTime(at)))
    expect(day('2017-03-12T20:00:00Z')).toBe('2017-03-12T08:00:00Z 2017-03-13T07:00:00Z')
    expect(day('2017-11-05T20:00:00Z')).toBe('2017-11-05T07:00:00Z 2017-11-06T08:00:00Z')
  })

  test('an hour that the clocks jump over is no window', () => {
    const hours = windowOf('1h', '1h', '0s', 'America/Los_Angeles')
    const before = hours.latest(parseTime('2017-03-12T09:30:00Z'))
    expect(text(before)).toBe('2017-03-12T09:00:00Z 2017-03-12T10:00:00Z')
    expect(text(hours.next(before))).toBe('2017-03-12T10:00:00Z 2017-03-12T10:00:00Z')
  })
})

describe('windows that cannot be', () => {
  test.each([
    ['0s', 'duration used as an interval cannot be zero'],
    ['1mo1d', 'duration used as an interval cannot mix month and nanosecond units'],
    ['-1h', 'duration used as an interval cannot be negative'],
  ])('every %s', (every, message) => {
    expect(() => windowOf(every, '1h')).toThrow(message)
  })

  test('a row in more windows than anybody can hold', () => {
    expect(() => windowOf('1ns', '1y')).toThrow('more than 1000000 windows')
  })
})

describe('windows of a span and of a moment', () => {
  test('all that overlap, earlier ones first', () => {
    const bounds = { startNs: 60_000_000_000n, stopNs: 180_000_000_000n }
    const starts = (window: Window) =>
      Array.from(window.overlapping(bounds), ({ startNs }) => Number(startNs / 1_000_000_000n))
    expect(starts(windowOf('1m'))).toEqual([60, 120])
    expect(starts(windowOf('1m', '2m'))).toEqual([0, 60, 120])
    expect(starts(windowOf('1m', '30s', '45s'))).toEqual([45, 105, 165])
    expect(starts(windowOf('1m', '-2m'))).toEqual([0, 60, 120])
  })

  test('at the ends of time there is an end of windows, too', () => {
    const firstNs = -(2n ** 63n)
    const lastNs = 2n ** 63n - 1n
    for (const [every, period] of [
      ['1m', '1ns'],
      ['1m', '1h'],
      ['1m', '-1ns'],
      ['1mo', '1ns'],
    ]) {
      const window = windowOf(every, period)
      for (const timeNs of [firstNs, firstNs + 1n, lastNs]) {
        expect(window.windowsAt(timeNs).windows.length).toBeLessThan(100)
        const stopNs = timeNs < 0n ? timeNs + 1n : timeNs
        const bounds = { startNs: stopNs - 1n, stopNs }
        expect([...window.overlapping(bounds)].length).toBeLessThan(100)
      }
    }
  })

  test('what holds for a moment holds for its whole stretch', () => {
    for (const [every, period] of [
      ['7m', '7m'],
      ['7m', '20m'],
      ['7m', '3m'],
      ['1mo', '40d'],
      ['5m', '-12m'],
    ]) {
      const window = windowOf(every, period, '1m')
      const contains = (at: bigint) =>
        Array.from(window.overlapping({ startNs: at, stopNs: at + 1n }), text).join()
      for (let minute = 0n; minute < 200n; minute += 3n) {
        const at = minute * 60_000_000_000n
        const { windows, fromNs, toNs } = window.windowsAt(at)
        expect(fromNs <= at && at < toNs, `${every} ${period} ${minute}`).toBe(true)
        for (const moment of [at, fromNs, toNs - 1n]) {
          expect(contains(moment), `${every} ${period} ${minute}`).toBe(windows.map(text).join())
        }
      }
    }
  })
})
