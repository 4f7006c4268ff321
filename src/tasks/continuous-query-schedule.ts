// When a continuous query runs and over which range of time, by InfluxDB's rules. It runs at the end
// of every interval of its GROUP BY time(), or of every RESAMPLE EVERY, and covers the intervals that
// ended since, or all that RESAMPLE FOR reaches back to. With EVERY shorter than the interval the
// one under way is covered too, as far as it got. To the runner of tasks it is a schedule like any other, whose moments
// are whole seconds: shorter intervals are run by the second.

import type { TaskSchedule } from '../catalog/tasks/task-schedule.js'
import { allTime, floorDiv, nsPerSecond, type TimeRange } from '../column/time.js'
import { makeWindows, type WindowClock } from '../influxql/execute/windows.js'
import { isTimeLiteral, parseTimeLiteral } from '../influxql/plan/time-literals.js'
import { checkDimensions, type Interval } from '../influxql/plan/validate.js'
import type { ManageStatement, Select } from '../influxql/syntax/ast.js'

export type CreateContinuousQuery = Extract<ManageStatement, { kind: 'create-continuous-query' }>

export interface DueRun {
  /** What counts as the last run from now on. */
  readonly lastRun: bigint
  /** Undefined: no interval has ended yet. */
  readonly range: TimeRange | undefined
}

/** `lastRun` undefined: it never ran since the start of the service. Undefined: it is not due. */
export function dueRun(
  statement: CreateContinuousQuery,
  lastRun: bigint | undefined,
  now: bigint,
): DueRun | undefined {
  const { select, resampleEveryNs, resampleForNs } = statement
  const interval = intervalOf(select, now)
  if (interval === undefined) return undefined
  const windows = windowsOf(interval, select)
  const isResampled = resampleEveryNs !== 0n
  const everyInterval = isResampled ? { ...interval, ns: resampleEveryNs, months: 0 } : interval
  const runs = isResampled ? windowsOf(everyInterval, select) : windows
  const nextRun = lastRun === undefined ? now : after(runs, lastRun)
  if (nextRun > now) return undefined
  const lengthNs = lengthAt(windows, interval, now)
  const everyNs = isResampled ? resampleEveryNs : lengthNs
  const forNs = resampleForNs !== 0n ? resampleForNs : longer(lengthNs, everyNs)
  const stepNs = shorter(lengthNs, everyNs)
  const start = windows.windowOf(nextRun + lengthNs - forNs - 1n).start
  const stop = windows.windowOf(now + lengthNs - stepNs).start
  return {
    lastRun: runs.windowOf(now).start,
    range: stop > start ? { start, stop } : undefined,
  }
}

/** It runs when it is made, over what RESAMPLE FOR reaches back to, and then at the end of every interval. */
export function continuousSchedule(statement: CreateContinuousQuery, madeAt: bigint): TaskSchedule {
  const first = wholeSecond(madeAt)
  return {
    next: (moment) => {
      if (moment < first) return first
      const runs = runsOf(statement, moment)
      if (runs === undefined) return undefined
      return wholeSecond(after(runs, runs.windowOf(moment).start))
    },
    dueAt: (boundary) => boundary,
    boundaryFor: (moment) => moment,
  }
}

/** What the run for a moment of its schedule covers; undefined: no interval has ended yet. */
export function rangeAt(statement: CreateContinuousQuery, moment: bigint): TimeRange | undefined {
  const runs = runsOf(statement, moment)
  if (runs === undefined) return undefined
  const isBoundary = runs.windowOf(moment).start > moment - nsPerSecond
  const lastRun = isBoundary ? runs.windowOf(moment - nsPerSecond).start : undefined
  return dueRun(statement, lastRun, moment)?.range
}

function runsOf(statement: CreateContinuousQuery, moment: bigint): WindowClock | undefined {
  const { select, resampleEveryNs } = statement
  const interval = intervalOf(select, moment)
  if (interval === undefined) return undefined
  const every = resampleEveryNs === 0n ? interval : { ...interval, ns: resampleEveryNs, months: 0 }
  return windowsOf(every, select)
}

/** The first one that is not earlier. */
function wholeSecond(moment: bigint): bigint {
  return -floorDiv(-moment, nsPerSecond) * nsPerSecond
}

function intervalOf(select: Select, now: bigint): Interval | undefined {
  return checkDimensions(select, now, (text) =>
    isTimeLiteral(text) ? parseTimeLiteral(text, select.zone) : undefined,
  )
}

function windowsOf(interval: Interval, select: Select): WindowClock {
  const range = { min: allTime.start, max: allTime.stop - 1n }
  return makeWindows(interval, select.zone, range)
}

function after(runs: WindowClock, lastRun: bigint): bigint {
  const walk = runs.walk(lastRun, true)
  walk.advance()
  return walk.time
}

/** Months differ: the one under way counts. */
function lengthAt(windows: WindowClock, interval: Interval, now: bigint): bigint {
  if (interval.months === 0) return interval.ns
  const { start, stop } = windows.windowOf(now)
  return stop - start
}

function longer(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function shorter(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
