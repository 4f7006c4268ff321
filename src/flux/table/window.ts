// Windows of time: which ones a moment lies in, and those before and after. Window i starts at the
// offset plus i times `every`, counted from 1970 on the clocks of a place, and lasts for `period`; a
// negative period reaches backwards. Months and years follow the calendar. All reckoning happens on
// what the clocks show; only the ends of a window become moments again, so that a window of a day has
// 23 or 25 hours when the clocks change.

import { floorDiv, nsPerDay } from '../../column/time.js'
import { durationNs, isZeroDuration, scaleDuration } from '../value/duration.js'
import { FluxError } from '../value/error.js'
import { type Location, utcLocation } from '../value/location.js'
import { addDuration, civilDate } from '../value/time.js'
import type { Duration } from '../value/value.js'
import type { TimeBounds } from './bounds.js'

export interface WindowBounds extends TimeBounds {
  readonly index: bigint
}

/** The windows that every moment from `fromNs` up to `toNs` lies in, earlier ones first. */
export interface WindowsAt {
  readonly windows: readonly WindowBounds[]
  readonly fromNs: bigint
  readonly toNs: bigint
}

/** `inf`: everything is one window. */
export const infiniteNs = (1n << 63n) - 1n

/** A row would be copied into as many tables: nobody means more than this. */
const windowsPerRowMax = 1_000_000n

export function isInfinite({ months, ns }: Duration): boolean {
  return months === 0n && ns === infiniteNs
}

export class Window {
  readonly every: Duration
  readonly period: Duration
  readonly #zeroClock: bigint
  readonly #zeroMonths: bigint
  readonly #location: Location
  /** More windows than one moment can lie in: at the ends of time their bounds begin anew at the other end. */
  readonly #stepsMax: number

  /** Windows are counted from `originNs` plus `offset`. Throws FluxError where `every` is nothing to count by. */
  constructor(
    every: Duration,
    period: Duration,
    offset: Duration,
    location: Location = utcLocation,
    originNs = 0n,
  ) {
    if (isZeroDuration(every)) {
      throw new FluxError('duration used as an interval cannot be zero')
    }
    if (every.months !== 0n && every.ns !== 0n) {
      const text = 'duration used as an interval cannot mix month and nanosecond units'
      throw new FluxError(text)
    }
    if (every.isNegative) throw new FluxError('duration used as an interval cannot be negative')
    const reach = durationNs(period) / (durationNs(every) || 1n)
    if (!isInfinite(every) && (reach > windowsPerRowMax || reach < -windowsPerRowMax)) {
      throw new FluxError(`a row would lie in more than ${windowsPerRowMax} windows`)
    }
    const reachMax = Number(reach < 0n ? -reach : reach)
    // Months are of different lengths.
    this.#stepsMax = reachMax + Math.ceil(reachMax / 8) + 4
    this.every = every
    this.period = period
    this.#location = location
    this.#zeroClock = addDuration(originNs, offset)
    this.#zeroMonths = monthsSince1970(this.#zeroClock)
  }

  /** The last window that contains the moment, or where none does, the last before it. */
  latest(timeNs: bigint): WindowBounds {
    const clock = this.#location.clockAt(timeNs)
    let index = this.#lastIndex(clock)
    if (this.period.isNegative) {
      for (let i = 0; i < this.#stepsMax; i++) {
        const nextStart = this.#clockStart(index + 1n)
        if (nextStart > clock || nextStart < this.#clockStart(index)) break
        index++
      }
    }
    return this.at(index)
  }

  next({ index }: WindowBounds): WindowBounds {
    return this.at(index + 1n)
  }

  previous({ index }: WindowBounds): WindowBounds {
    return this.at(index - 1n)
  }

  at(index: bigint): WindowBounds {
    const base = addDuration(this.#zeroClock, scaleDuration(this.every, index))
    const end = addDuration(base, this.period)
    const [start, stop] = this.period.isNegative ? [end, base] : [base, end]
    const location = this.#location
    return { startNs: location.momentOf(start), stopNs: location.momentOf(stop), index }
  }

  /** The windows that have something in common with the bounds, earlier ones first. */
  *overlapping({ startNs, stopNs }: TimeBounds): Generator<WindowBounds, void, void> {
    if (startNs >= stopNs) return
    let window = this.latest(startNs)
    for (let i = 0; i < this.#stepsMax; i++) {
      const before = this.previous(window)
      if (before.stopNs <= startNs || before.stopNs >= window.stopNs) break
      window = before
    }
    while (window.startNs < stopNs) {
      if (window.stopNs > startNs) yield window
      const after = this.next(window)
      if (after.startNs <= window.startNs) return
      window = after
    }
  }

  /** What rows of a time near this one belong to as well, so that it is worked out once for all of them. */
  windowsAt(timeNs: bigint): WindowsAt {
    const windows: WindowBounds[] = []
    let window = this.latest(timeNs)
    let fromNs = window.startNs
    let toNs = this.next(window).startNs
    for (let i = 0; i < this.#stepsMax && window.stopNs > timeNs; i++) {
      if (window.startNs <= timeNs) windows.push(window)
      if (window.startNs > fromNs && window.startNs <= timeNs) fromNs = window.startNs
      if (window.stopNs < toNs) toNs = window.stopNs
      window = this.previous(window)
    }
    if (window.stopNs > fromNs) fromNs = window.stopNs
    return { windows: windows.reverse(), fromNs, toNs }
  }

  #clockStart(index: bigint): bigint {
    const base = addDuration(this.#zeroClock, scaleDuration(this.every, index))
    return this.period.isNegative ? addDuration(base, this.period) : base
  }

  /** The last index whose window begins (for a negative period: ends) at or before what the clock shows. */
  #lastIndex(clock: bigint): bigint {
    if (this.every.months === 0n) return floorDiv(clock - this.#zeroClock, this.every.ns)
    let months = monthsSince1970(clock)
    if (isEarlierInMonth(clock, this.#zeroClock)) months--
    return floorDiv(months - this.#zeroMonths, this.every.months)
  }
}

function monthsSince1970(ns: bigint): bigint {
  const { year, month } = civilDate(Number(floorDiv(ns, nsPerDay)))
  return BigInt(year - 1970) * 12n + BigInt(month - 1)
}

/** Whether the day and hour of one come before those of the other, of whatever months they are. */
function isEarlierInMonth(a: bigint, b: bigint): boolean {
  const aDays = floorDiv(a, nsPerDay)
  const bDays = floorDiv(b, nsPerDay)
  const aDay = civilDate(Number(aDays)).day
  const bDay = civilDate(Number(bDays)).day
  if (aDay !== bDay) return aDay < bDay
  return a - aDays * nsPerDay < b - bDays * nsPerDay
}
