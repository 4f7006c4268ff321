// When continuous queries run, and over what: moments on a clock in, ranges of time out, held against
// the schedules that InfluxDB documents.

import { expect, test } from 'vitest'
import { parseStatement } from '../influxql/syntax/parser.js'
import { type CreateContinuousQuery, dueRun } from './continuous-query-schedule.js'

function query(resample: string, dimensions: string, zone = ''): CreateContinuousQuery {
  const select = `SELECT mean(v) INTO t FROM m GROUP BY ${dimensions}${zone}`
  const text = `CREATE CONTINUOUS QUERY q ON d ${resample} BEGIN ${select} END`
  return parseStatement(text) as CreateContinuousQuery
}

function at(text: string): bigint {
  return BigInt(Date.parse(`2016-08-28T${text}Z`)) * 1_000_000n
}

function moment(text: string): bigint {
  return BigInt(Date.parse(text)) * 1_000_000n
}

/** What runs while the clock goes through these moments, as `start to stop`. */
function runs(statement: CreateContinuousQuery, moments: readonly bigint[]): string[] {
  let lastRun: bigint | undefined
  const shown: string[] = []
  for (const now of moments) {
    const due = dueRun(statement, lastRun, now)
    if (due === undefined) continue
    lastRun = due.lastRun
    if (due.range === undefined) continue
    const [start, stop] = [due.range.start, due.range.stop].map(printed)
    shown.push(`${printed(now)}: ${start} to ${stop}`)
  }
  return shown
}

function printed(time: bigint): string {
  return new Date(Number(time / 1_000_000n)).toISOString().slice(8, 16)
}

test('without RESAMPLE it runs once per interval, over the interval that ended', () => {
  const times = ['07:30:00', '08:00:00', '08:00:01', '08:59:59', '09:00:00.5'].map(at)
  expect(runs(query('', 'time(1h)'), times)).toEqual([
    '28T08:00: 28T07:00 to 28T08:00',
    '28T09:00: 28T08:00 to 28T09:00',
  ])
})

test('an offset moves the intervals and the runs', () => {
  const times = ['08:00:00', '08:15:00', '09:00:00', '09:15:00'].map(at)
  expect(runs(query('', 'time(1h, 15m)'), times)).toEqual([
    '28T08:15: 28T07:15 to 28T08:15',
    '28T09:15: 28T08:15 to 28T09:15',
  ])
})

test('EVERY shorter than the interval covers the one under way too', () => {
  const times = ['08:00:00', '08:30:00', '09:00:00'].map(at)
  expect(runs(query('RESAMPLE EVERY 30m', 'time(1h)'), times)).toEqual([
    '28T08:00: 28T07:00 to 28T08:00',
    '28T08:30: 28T08:00 to 28T09:00',
    '28T09:00: 28T08:00 to 28T09:00',
  ])
})

test('EVERY longer than the interval covers all that ended since', () => {
  const times = ['08:00:00', '09:00:00', '10:00:00'].map(at)
  expect(runs(query('RESAMPLE EVERY 2h', 'time(1h)'), times)).toEqual([
    '28T08:00: 28T06:00 to 28T08:00',
    '28T10:00: 28T08:00 to 28T10:00',
  ])
})

test('FOR reaches further back', () => {
  const times = ['08:00:00', '09:00:00'].map(at)
  expect(runs(query('RESAMPLE FOR 3h', 'time(1h)'), times)).toEqual([
    '28T08:00: 28T05:00 to 28T08:00',
    '28T09:00: 28T06:00 to 28T09:00',
  ])
  expect(runs(query('RESAMPLE EVERY 30m FOR 2h', 'time(1h)'), times)).toEqual([
    '28T08:00: 28T06:00 to 28T08:00',
    '28T09:00: 28T07:00 to 28T09:00',
  ])
})

test('intervals that were slept through are covered by the next run', () => {
  const times = ['08:00:00', '11:20:00'].map(at)
  expect(runs(query('', 'time(1h)'), times)).toEqual([
    '28T08:00: 28T07:00 to 28T08:00',
    '28T11:20: 28T08:00 to 28T11:00',
  ])
})

test('days follow the zone', () => {
  const zone = " tz('Europe/Berlin')"
  const moments = ['2016-10-29T22:00:00Z', '2016-10-30T22:59:00Z', '2016-10-30T23:00:00Z']
  // The day on which the clocks change has 25 hours.
  expect(runs(query('', 'time(1d)', zone), moments.map(moment))).toEqual([
    '29T22:00: 28T22:00 to 29T22:00',
    '30T23:00: 29T22:00 to 30T23:00',
  ])
})
