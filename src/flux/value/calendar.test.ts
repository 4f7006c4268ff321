// Moments, durations and places: text and back, months of different length, clocks that are put forward
// and back.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationNs, durationText, parseDuration, scaleDuration } from './duration.js'
import { locationOf, utcLocation } from './location.js'
import { addDuration, civilDate, daysSince1970, parseTime, rfc3339Text, timeText } from './time.js'
import { Duration, type FluxValue, MapRecord } from './value.js'

const duration = (text: string): Duration => parseDuration(text)!
const location = (zone: string, offset = '0s') =>
  locationOf(
    new MapRecord(
      new Map<string, FluxValue>([
        ['zone', zone],
        ['offset', duration(offset)],
      ]),
    ),
  )

describe('adding calendar durations', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['2020-01-31T00:00:00Z', '1mo', '2020-02-29T00:00:00Z'],
    ['2021-01-31T00:00:00Z', '1mo', '2021-02-28T00:00:00Z'],
    ['2020-03-31T12:00:00Z', '-1mo', '2020-02-29T12:00:00Z'],
    ['2020-02-29T00:00:00Z', '1y', '2021-02-28T00:00:00Z'],
    ['2019-12-15T00:00:00Z', '14mo', '2021-02-15T00:00:00Z'],
    ['2020-01-31T00:00:00Z', '1mo1d', '2020-03-01T00:00:00Z'],
    ['1969-12-31T23:59:59.999999999Z', '1mo', '1970-01-31T23:59:59.999999999Z'],
    ['2020-01-01T00:00:00Z', '-1ns', '2019-12-31T23:59:59.999999999Z'],
  ]
  test.each(cases)('%s + %s', (time, text, expected) => {
    expect(rfc3339Text(addDuration(parseTime(time), duration(text)))).toBe(expected)
  })
})

describe('places', () => {
  test('a day is a day when clocks are changed', () => {
    const berlin = location('Europe/Berlin')
    const added = berlin.add(parseTime('2021-03-27T12:00:00+01:00'), duration('1d'))
    expect(rfc3339Text(added)).toBe('2021-03-28T10:00:00Z')
  })

  test('what clocks show twice is the first of the two, what they skip the moment of the change', () => {
    const berlin = location('Europe/Berlin')
    expect(rfc3339Text(berlin.momentOf(parseTime('2021-10-31T02:30:00Z')))).toBe(
      '2021-10-31T00:30:00Z',
    )
    expect(rfc3339Text(berlin.momentOf(parseTime('2021-03-28T02:30:00Z')))).toBe(
      '2021-03-28T01:00:00Z',
    )
  })

  test('offsets without a zone', () => {
    const place = location('UTC', '-8h')
    expect(rfc3339Text(place.clockAt(parseTime('2021-01-01T00:00:00Z')))).toBe(
      '2020-12-31T16:00:00Z',
    )
    expect(rfc3339Text(place.momentOf(parseTime('2020-12-31T16:00:00Z')))).toBe(
      '2021-01-01T00:00:00Z',
    )
    expect(rfc3339Text(place.add(parseTime('2020-03-31T02:00:00Z'), duration('1mo')))).toBe(
      '2020-05-01T02:00:00Z',
    )
  })

  test('the clock and back', () => {
    const zones = ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'].map((zone) =>
      location(zone),
    )
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 4_102_444_800n }),
        fc.constantFrom(utcLocation, ...zones),
        (seconds, place) => {
          const moment = seconds * 1_000_000_000n + 1n
          const again = place.momentOf(place.clockAt(moment))
          expect(place.clockAt(again)).toBe(place.clockAt(moment))
          expect(again <= moment).toBe(true)
        },
      ),
    )
  })

  test('what is no place', () => {
    expect(() => locationOf(new MapRecord(new Map()))).toThrow(
      'zone property missing from location record',
    )
    expect(() => locationOf(new MapRecord(new Map([['zone', 1n]])))).toThrow(
      'zone property for location must be of type string, got int',
    )
    expect(() => location('Mars/Olympus')).toThrow('unknown time zone Mars/Olympus')
  })
})

test('dates and days agree with JavaScript’s calendar', () => {
  fc.assert(
    fc.property(fc.integer({ min: -200_000, max: 200_000 }), (days) => {
      const date = civilDate(days)
      expect(daysSince1970(date)).toBe(days)
      const js = new Date(days * 86_400_000)
      expect([date.year, date.month, date.day]).toEqual([
        js.getUTCFullYear(),
        js.getUTCMonth() + 1,
        js.getUTCDate(),
      ])
    }),
  )
})

test('times read back from their text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 63n - 1n }), (ns) => {
      expect(parseTime(timeText(ns))).toBe(ns)
      expect(parseTime(rfc3339Text(ns))).toBe(ns)
    }),
  )
})

test('durations read back from their text', () => {
  const parts = fc.bigInt({ min: 0n, max: 2n ** 62n })
  fc.assert(
    fc.property(
      parts,
      fc.bigInt({ min: 0n, max: 10_000n }),
      fc.boolean(),
      (ns, months, isNegative) => {
        const value = new Duration(months, ns, isNegative)
        expect(duration(durationText(value))).toEqual(value)
      },
    ),
  )
})

test('the length of a month is a twelfth of a year', () => {
  expect(durationNs(duration('1y'))).toBe(31_557_600_000_000_000n)
  expect(durationText(scaleDuration(duration('1mo2d'), -3n))).toBe('-3mo6d')
})

test.each(['1', 'h', '1h2', '1.5h', '99999999999999999999h'])('%s is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})
