// The windows of GROUP BY time(): where one begins and ends, in a zone where there is one. Fixed
// lengths follow InfluxDB's arithmetic to the letter, zone changes included; months and years follow
// the calendar.

import { floorDiv, nsPerSecond, timeMax, timeMin } from '../../column/time.js'
import { type Zone, zoneOf } from '../../column/zone.js'
import type { Interval } from '../plan/validate.js'

export interface Window {
  readonly start: bigint
  /** Not part of it. */
  readonly stop: bigint
}

export interface WindowClock {
  /** Whether there are windows at all; without them the range is one. */
  readonly isSplit: boolean
  windowOf(time: bigint): Window
  /** Goes from window to window, from the one that starts there. */
  walk(start: bigint, ascending: boolean): WindowWalk
}

/** Stands at the start of a window. */
export interface WindowWalk {
  readonly time: bigint
  advance(): void
}

/** Both ends of the range belong to it. */
export function makeWindows(
  interval: Interval | undefined,
  zone: string | undefined,
  range: { readonly min: bigint; readonly max: bigint },
): WindowClock {
  if (interval === undefined) return new WholeRange(range.min, range.max)
  const place = zone === undefined ? undefined : zoneOf(zone)
  if (interval.months > 0) return new MonthWindows(interval, place)
  return new FixedWindows(interval.ns, interval.offsetNs, place)
}

class WholeRange implements WindowClock {
  readonly isSplit = false
  readonly #window: Window

  constructor(min: bigint, max: bigint) {
    this.#window = { start: min, stop: max + 1n }
  }

  windowOf(): Window {
    return this.#window
  }

  walk(start: bigint): WindowWalk {
    return { time: start, advance: () => {} }
  }
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}

class FixedWindows implements WindowClock {
  readonly isSplit = true
  readonly #every: bigint
  readonly #offset: bigint
  readonly #zone: Zone | undefined

  constructor(every: bigint, offset: bigint, zone: Zone | undefined) {
    this.#every = every
    this.#offset = offset
    this.#zone = zone
  }

  windowOf(time: bigint): Window {
    const every = this.#every
    const moment = time - this.#offset
    const zone = this.#zoneAt(moment)
    let into = (moment + zone) % every
    if (into < 0n) into += every
    let start = timeMin + into >= moment ? timeMin : moment - into
    // The clocks may have changed since the start.
    const shift = zone - this.#zoneAt(start)
    if (shift !== 0n && magnitude(shift) < every) start += shift
    return { start: start + this.#offset, stop: this.#stop(moment, every - into, zone) }
  }

  #stop(moment: bigint, left: bigint, zone: bigint): bigint {
    let stop = timeMax - left <= moment ? timeMax : moment + left
    const zoneAtStop = this.#zoneAt(stop)
    const shift = zone - zoneAtStop
    if (shift !== 0n && magnitude(shift) < this.#every) {
      // Hours that come twice belong to the window before; hours that are skipped are not waited for.
      if (shift > 0n || this.#zoneAt(stop + shift) === zoneAtStop) stop += shift
    }
    return stop + this.#offset
  }

  walk(start: bigint, ascending: boolean): WindowWalk {
    return new FixedWalk(start, ascending ? this.#every : -this.#every, this.#zone)
  }

  #zoneAt(time: bigint): bigint {
    return this.#zone === undefined ? 0n : this.#zone.offsetNs(time)
  }
}

class FixedWalk implements WindowWalk {
  time: bigint
  readonly #step: bigint
  readonly #zone: Zone | undefined
  #zoneOffset: bigint

  constructor(start: bigint, step: bigint, zone: Zone | undefined) {
    this.time = start
    this.#step = step
    this.#zone = zone
    this.#zoneOffset = zone?.offsetNs(start) ?? 0n
  }

  advance(): void {
    this.time += this.#step
    if (this.#zone === undefined) return
    const offset = this.#zone.offsetNs(this.time - 1n)
    const shift = this.#zoneOffset - offset
    if (shift !== 0n && magnitude(shift) < magnitude(this.#step)) this.time += shift
    this.#zoneOffset = offset
  }
}

/** Windows of so many months, counted from January 1970. */
class MonthWindows implements WindowClock {
  readonly isSplit = true
  readonly #months: number
  readonly #offset: bigint
  readonly #zone: Zone | undefined

  constructor(interval: Interval, zone: Zone | undefined) {
    this.#months = interval.months
    this.#offset = interval.offsetNs
    this.#zone = zone
  }

  windowOf(time: bigint): Window {
    const seconds = Number(floorDiv(time - this.#offset, nsPerSecond))
    const local = seconds + (this.#zone?.offsetSeconds(seconds) ?? 0)
    const date = new Date(local * 1000)
    const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
    const first = Math.floor(month / this.#months) * this.#months
    return { start: this.#startOf(first), stop: this.#startOf(first + this.#months) }
  }

  walk(start: bigint, ascending: boolean): WindowWalk {
    const walk = {
      time: start,
      advance: () => {
        walk.time = ascending ? this.windowOf(walk.time).stop : this.windowOf(walk.time - 1n).start
      },
    }
    return walk
  }

  #startOf(month: number): bigint {
    const local = Date.UTC(1970, month, 1) / 1000
    const seconds = this.#zone === undefined ? local : this.#zone.fromLocal(local)
    return BigInt(seconds) * nsPerSecond + this.#offset
  }
}
