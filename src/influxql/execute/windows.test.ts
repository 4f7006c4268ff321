// Windows: where they begin and end, and how one walks from one to the next; with offsets, before
// 1970, when clocks change, and by the calendar.

import { describe, expect, test } from 'vitest'
import { timeMax, timeMin } from '../../column/time.js'
import { parseTimeLiteral, printTime } from '../plan/time-literals.js'
import { makeWindows, type WindowClock } from './windows.js'

const [secondNs, hourNs] = [1_000_000_000n, 3_600_000_000_000n]
const dayNs = 24n * hourNs
const range = { min: timeMin, max: timeMax }

const fixed = (ns: bigint, offsetNs = 0n, zone?: string) =>
  makeWindows({ ns, months: 0, offsetNs }, zone, range)
const months = (count: number, offsetNs = 0n, zone?: string) =>
  makeWindows({ ns: 0n, months: count, offsetNs }, zone, range)
const at = (text: string) => parseTimeLiteral(text, undefined)

function windowText(windows: WindowClock, time: bigint): string {
  const { start, stop } = windows.windowOf(time)
  return `${printTime(start)} ${printTime(stop)}`
}

function walked(windows: WindowClock, start: bigint, ascending: boolean, count: number): string[] {
  const walk = windows.walk(start, ascending)
  return Array.from({ length: count }, () => {
    const text = printTime(walk.time)
    walk.advance()
    return text
  })
}

test('without an interval the range is one window', () => {
  const whole = makeWindows(undefined, undefined, { min: 5n, max: 9n })
  expect(whole.isSplit).toBe(false)
  expect(whole.windowOf(7n)).toEqual({ start: 5n, stop: 10n })
})

test.each([
  [10n, 0n, 0n, 0n, 10n],
  [10n, 0n, 9n, 0n, 10n],
  [10n, 0n, 10n, 10n, 20n],
  [10n, 0n, -1n, -10n, 0n],
  [10n, 0n, -10n, -10n, 0n],
  [10n, 3n, 2n, -7n, 3n],
  [10n, 3n, 3n, 3n, 13n],
  [10n, -3n, 6n, -3n, 7n],
  [10n, -3n, 7n, 7n, 17n],
])('every %d, offset %d: %d lies in %d to %d', (every, offset, time, start, stop) => {
  expect(fixed(every, offset).windowOf(time)).toEqual({ start, stop })
})

test('windows end where time does', () => {
  expect(fixed(dayNs).windowOf(timeMax).stop).toBe(timeMax)
  expect(fixed(dayNs).windowOf(timeMin).start).toBe(timeMin)
})

test('from window to window', () => {
  expect(walked(fixed(10n * secondNs), 0n, true, 3)).toEqual([
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:10Z',
    '1970-01-01T00:00:20Z',
  ])
  expect(walked(fixed(10n * secondNs), 0n, false, 2)).toEqual([
    '1970-01-01T00:00:00Z',
    '1969-12-31T23:59:50Z',
  ])
})

describe('days in New York', () => {
  const days = fixed(dayNs, 0n, 'America/New_York')

  test.each([
    ['2020-01-15 12:00:00', '2020-01-15T05:00:00Z 2020-01-16T05:00:00Z'],
    // 23 hours: clocks go forward at 07:00 UTC.
    ['2020-03-08 06:00:00', '2020-03-08T05:00:00Z 2020-03-09T04:00:00Z'],
    ['2020-03-08 12:00:00', '2020-03-08T05:00:00Z 2020-03-09T04:00:00Z'],
    // 25 hours: clocks go back at 06:00 UTC.
    ['2020-11-01 05:00:00', '2020-11-01T04:00:00Z 2020-11-02T05:00:00Z'],
    ['2020-11-01 12:00:00', '2020-11-01T04:00:00Z 2020-11-02T05:00:00Z'],
  ])('%s', (time, expected) => {
    expect(windowText(days, at(time))).toBe(expected)
  })

  test('walking over both changes', () => {
    expect(walked(days, at('2020-03-07 05:00:00'), true, 4)).toEqual([
      '2020-03-07T05:00:00Z',
      '2020-03-08T05:00:00Z',
      '2020-03-09T04:00:00Z',
      '2020-03-10T04:00:00Z',
    ])
    expect(walked(days, at('2020-11-02 05:00:00'), false, 3)).toEqual([
      '2020-11-02T05:00:00Z',
      '2020-11-01T04:00:00Z',
      '2020-10-31T04:00:00Z',
    ])
  })
})

describe('months', () => {
  test.each([
    [1, '2020-02-29 23:59:59', '2020-02-01T00:00:00Z 2020-03-01T00:00:00Z'],
    [1, '1969-12-31 00:00:00', '1969-12-01T00:00:00Z 1970-01-01T00:00:00Z'],
    [3, '2020-05-05', '2020-04-01T00:00:00Z 2020-07-01T00:00:00Z'],
    [12, '2020-05-05', '2020-01-01T00:00:00Z 2021-01-01T00:00:00Z'],
    [12, '1969-05-05', '1969-01-01T00:00:00Z 1970-01-01T00:00:00Z'],
    [5, '1970-06-01', '1970-06-01T00:00:00Z 1970-11-01T00:00:00Z'],
  ])('%d of them around %s', (count, time, expected) => {
    expect(windowText(months(count), at(time))).toBe(expected)
  })

  test('with an offset and in a zone', () => {
    expect(windowText(months(1, 14n * dayNs), at('2020-02-14'))).toBe(
      '2020-01-15T00:00:00Z 2020-02-15T00:00:00Z',
    )
    expect(windowText(months(1, 0n, 'America/New_York'), at('2020-03-01'))).toBe(
      '2020-02-01T05:00:00Z 2020-03-01T05:00:00Z',
    )
    expect(windowText(months(1, 0n, 'America/New_York'), at('2020-03-15'))).toBe(
      '2020-03-01T05:00:00Z 2020-04-01T04:00:00Z',
    )
  })

  test('one after the other', () => {
    expect(walked(months(1), at('2019-12-01'), true, 4)).toEqual([
      '2019-12-01T00:00:00Z',
      '2020-01-01T00:00:00Z',
      '2020-02-01T00:00:00Z',
      '2020-03-01T00:00:00Z',
    ])
    expect(walked(months(12), at('2020-01-01'), false, 2)).toEqual([
      '2020-01-01T00:00:00Z',
      '2019-01-01T00:00:00Z',
    ])
  })
})
