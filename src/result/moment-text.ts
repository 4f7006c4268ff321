// Moments as text straight into bytes: RFC3339 with as many decimals as needed, in UTC or a zone, or
// a whole number since 1970. A column's moments are a base and float offsets, or 64-bit integers that
// are read in halves; both are split into seconds and nanoseconds, so that no bigint is made per row.
// The date is spelt once per day.

import type { TimeColumn } from '../column/time.js'
import { floorDiv, nsPerHour, nsPerSecond } from '../column/time.js'
import { type Zone, zoneOf } from '../column/zone.js'
import { putFour, putNatural, putNine, putSix, putTwo } from './number-text.js'

/** Units of whole numbers since 1970. */
export type EpochUnit = 'ns' | 'us' | 'ms' | 's' | 'm' | 'h'

const unitNs: Readonly<Record<EpochUnit, bigint>> = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: nsPerSecond,
  m: 60n * nsPerSecond,
  h: nsPerHour,
}

/** The longest: 1677-09-21T00:12:43.145224194-04:56 */
export const momentBytesMax = 40

/** A sign and 19 digits, in whole steps of four. */
const epochBytesMax = 24
const billion = 1e9
/** 2^32 and 2^48 nanoseconds. */
const [top32Seconds, top32Nanos] = [4, 294_967_296]
const [top48Seconds, top48Nanos] = [281_474, 976_710_656]
const secondsPerDay = 86_400
const dateBytes = 11
const [zero, minus, plus, colon, point, letterT, letterZ] = [48, 45, 43, 58, 46, 84, 90]

const noOffsets = new Float64Array(0)
/** Until a moment comes again. */
const noText = new DataView(new ArrayBuffer(0))
/** Where a date is spelt before it is kept. */
const dateText = new DataView(new ArrayBuffer(12))

export class MomentText {
  #base = 0n
  #baseSeconds = 0
  #baseNanos = 0
  #offsets: Float64Array = noOffsets
  /** The low and the high half of each moment, in turn; undefined: they are offsets. */
  #halves: Int32Array | undefined
  #zoneName: string | undefined
  #zone: Zone | undefined
  /** The day that these spell, four bytes each: `2020-01-01T` and a byte to be written over. */
  #day = Number.NaN
  #date0 = 0
  #date1 = 0
  #date2 = 0
  /** The row before, where it was the second of the same moment: how it was written. 0 bytes: it was not. */
  #lastOffset = Number.NaN
  #lastUnit: EpochUnit = 'ns'
  #lastBytes = 0
  #last = noText
  /** Of the row looked at. */
  #seconds = 0
  #nanos = 0

  /** The column that the following rows are of. */
  use(times: TimeColumn, zone: string | undefined): void {
    if (times.base !== this.#base) this.#useBase(times.base)
    this.#offsets = times.offsets
    this.#halves = undefined
    this.#useZone(zone)
  }

  /** Tables of one answer mostly count from the same moment. */
  #useBase(base: bigint): void {
    const seconds = floorDiv(base, nsPerSecond)
    this.#base = base
    this.#lastOffset = Number.NaN
    this.#baseSeconds = Number(seconds)
    this.#baseNanos = Number(base - seconds * nsPerSecond)
  }

  /** The same for nanoseconds since 1970, printed in UTC. */
  useNanoseconds(values: BigInt64Array): void {
    this.#halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
    this.#useZone(undefined)
  }

  #useZone(zone: string | undefined): void {
    if (zone !== this.#zoneName) {
      this.#zoneName = zone
      this.#zone = zone === undefined ? undefined : zoneOf(zone)
    }
  }

  /** Seconds since 1970, rounded down, and the nanoseconds beyond them. */
  split(row: number): { readonly seconds: number; readonly nanos: number } {
    this.#look(row)
    return { seconds: this.#seconds, nanos: this.#nanos }
  }

  /** The same number that `putEpoch` writes. */
  epoch(row: number, unit: EpochUnit): bigint {
    this.#look(row)
    const time = BigInt(this.#seconds) * nsPerSecond + BigInt(this.#nanos)
    return time / unitNs[unit]
  }

  #look(row: number): void {
    if (this.#halves !== undefined) return this.#lookAtHalves(this.#halves, row)
    const offset = this.#offsets[row]
    // The division may round up to the next second; the rest is then negative.
    let seconds = Math.floor(offset / billion)
    let nanos = offset - seconds * billion + this.#baseNanos
    if (nanos < 0) {
      seconds--
      nanos += billion
    } else if (nanos >= billion) {
      seconds++
      nanos -= billion
    }
    this.#seconds = this.#baseSeconds + seconds
    this.#nanos = nanos
  }

  /** In parts of 16, 16 and 32 bits no product is beyond 2^53. */
  #lookAtHalves(halves: Int32Array, row: number): void {
    const high = halves[row * 2 + 1]
    const top = high >> 16
    const middle = high & 0xffff
    const nanos = top * top48Nanos + middle * top32Nanos + (halves[row * 2] >>> 0)
    const seconds = Math.floor(nanos / billion)
    this.#seconds = top * top48Seconds + middle * top32Seconds + seconds
    this.#nanos = nanos - seconds * billion
  }

  putRfc3339(view: DataView, start: number, row: number): number {
    this.#look(row)
    const offset = this.#zone === undefined ? 0 : this.#zone.offsetSeconds(this.#seconds)
    const local = this.#seconds + offset
    const day = Math.floor(local / secondsPerDay)
    if (day !== this.#day) this.#spellDay(day)
    view.setInt32(start, this.#date0, true)
    view.setInt32(start + 4, this.#date1, true)
    view.setInt32(start + 8, this.#date2, true)
    let at = putClock(view, start + dateBytes, (local - day * secondsPerDay) | 0)
    if (this.#nanos !== 0) at = putFraction(view, at, this.#nanos)
    // Zones at no distance from UTC are written as UTC is.
    if (offset !== 0) return putOffset(view, at, offset)
    view.setUint8(at, letterZ)
    return at + 1
  }

  /**
   * Rounds towards 1970, as InfluxDB does. Where many series are printed by time, rows of one moment follow each other:
   * from the third on they are copied.
   */
  putEpoch(view: DataView, start: number, row: number, unit: EpochUnit): number {
    if (this.#halves !== undefined) return this.#spellEpoch(view, start, row, unit)
    const offset = this.#offsets[row]
    const isKnown = offset === this.#lastOffset && unit === this.#lastUnit
    if (isKnown && this.#lastBytes > 0) return this.#putLast(view, start)
    const end = this.#spellEpoch(view, start, row, unit)
    this.#lastOffset = offset
    this.#lastUnit = unit
    this.#lastBytes = isKnown ? this.#keepLast(view, start, end) : 0
    return end
  }

  #putLast(view: DataView, start: number): number {
    const from = this.#last
    for (let i = 0; i < this.#lastBytes; i += 4)
      view.setInt32(start + i, from.getInt32(i, true), true)
    return start + this.#lastBytes
  }

  #keepLast(view: DataView, start: number, end: number): number {
    if (this.#last === noText) this.#last = new DataView(new ArrayBuffer(epochBytesMax))
    for (let i = 0; i < end - start; i++) this.#last.setUint8(i, view.getUint8(start + i))
    return end - start
  }

  #spellEpoch(view: DataView, start: number, row: number, unit: EpochUnit): number {
    this.#look(row)
    if (this.#seconds >= 0) return putSize(view, start, this.#seconds, this.#nanos, unit)
    const isWhole = this.#nanos === 0
    const seconds = isWhole ? -this.#seconds : -this.#seconds - 1
    view.setUint8(start, minus)
    const end = putSize(view, start + 1, seconds, isWhole ? 0 : billion - this.#nanos, unit)
    // What rounds to zero has no sign.
    if (end > start + 2 || view.getUint8(start + 1) !== zero) return end
    view.setUint8(start, zero)
    return start + 1
  }

  #spellDay(day: number): void {
    const { year, month, dayOfMonth } = civilDate(day)
    putFour(dateText, 0, year)
    dateText.setUint8(4, minus)
    putTwo(dateText, 5, month)
    dateText.setUint8(7, minus)
    putTwo(dateText, 8, dayOfMonth)
    dateText.setUint8(10, letterT)
    this.#date0 = dateText.getInt32(0, true)
    this.#date1 = dateText.getInt32(4, true)
    this.#date2 = dateText.getInt32(8, true)
    this.#day = day
  }
}

function putSize(
  view: DataView,
  at: number,
  seconds: number,
  nanos: number,
  unit: EpochUnit,
): number {
  switch (unit) {
    case 'ns':
      if (seconds === 0) return putNatural(view, at, nanos)
      return putNine(view, putNatural(view, at, seconds), nanos)
    case 'us':
      // Late moments have more microseconds than a safe integer.
      if (seconds === 0) return putNatural(view, at, Math.floor(nanos / 1e3))
      return putSix(view, putNatural(view, at, seconds), Math.floor(nanos / 1e3))
    case 'ms':
      return putNatural(view, at, seconds * 1e3 + Math.floor(nanos / 1e6))
    case 's':
      return putNatural(view, at, seconds)
    case 'm':
      return putNatural(view, at, Math.floor(seconds / 60))
    case 'h':
      return putNatural(view, at, Math.floor(seconds / 3600))
  }
}

function putClock(view: DataView, at: number, secondOfDay: number): number {
  const hours = (secondOfDay / 3600) | 0
  const minutes = ((secondOfDay - hours * 3600) / 60) | 0
  putTwo(view, at, hours)
  view.setUint8(at + 2, colon)
  putTwo(view, at + 3, minutes)
  view.setUint8(at + 5, colon)
  putTwo(view, at + 6, secondOfDay - hours * 3600 - minutes * 60)
  return at + 8
}

/** Without zeros at the end. */
function putFraction(view: DataView, at: number, nanos: number): number {
  view.setUint8(at, point)
  let end = putNine(view, at + 1, nanos)
  while (view.getUint8(end - 1) === zero) end--
  return end
}

/** Hours and minutes; the seconds that offsets of old have are left out, as RFC3339 has no place for them. */
function putOffset(view: DataView, at: number, offset: number): number {
  view.setUint8(at, offset < 0 ? minus : plus)
  const minutes = (Math.abs(offset) / 60) | 0
  putTwo(view, at + 1, (minutes / 60) | 0)
  view.setUint8(at + 3, colon)
  putTwo(view, at + 4, minutes % 60)
  return at + 6
}

/**
 * The date of a day counted from 1970-01-01, in years that start in March: the leap day is their
 * last, and months have 153 days in five.
 */
function civilDate(day: number): { year: number; month: number; dayOfMonth: number } {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const leaps =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, dayOfMonth: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1 }
}
