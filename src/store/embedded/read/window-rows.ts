// Rows of window aggregates on their way into a batch: a column of times, one of values per
// aggregate, and where asked for one of the chosen points' times. No object per window; moments
// come as a base and an offset, so that a window costs no bigint.

import type { Batch, BatchField, Run } from '../../../column/batch.js'
import type { Value } from '../../../column/column.js'
import { type TimeColumn, timeOffsetMax } from '../../../column/time.js'
import { ValueSink } from '../../value-sink.js'

/** Moments of one column lie this near to its base, so that sums of offsets stay exact. */
export const nearMax = timeOffsetMax / 2

const noNumbers: Float64Array = new Float64Array(0)

/** Moments, each told from a base that changes seldom; or numbers of windows, told in the same way. */
class TimeSink {
  #base: bigint | undefined
  /** Moments told from here lie `#shift` behind the base. */
  #from = 0n
  #shift = 0
  #offsets = noNumbers
  #count = 0

  /** Moments go there, until there is no more room. */
  fill(offsets: Float64Array): void {
    this.#offsets = offsets
  }

  fits(from: bigint, offset: number): boolean {
    return this.#base === undefined || Math.abs(this.#shiftOf(from) + offset) < nearMax
  }

  push(from: bigint, offset: number): void {
    if (this.#base === undefined) this.#setBase(from + BigInt(offset))
    this.#add(this.#shiftOf(from) + offset)
  }

  /** Moments that lie so far behind `from`; false, and nothing happens, where they are not near enough. */
  extend(from: bigint, offsets: Float64Array, count: number): boolean {
    if (this.#base === undefined) this.#setBase(from + BigInt(offsets[0]))
    const shift = this.#shiftOf(from)
    if (Math.abs(shift + offsets[0]) >= nearMax) return false
    if (Math.abs(shift + offsets[count - 1]) >= nearMax) return false
    while (this.#count + count > this.#offsets.length) this.#grow()
    const out = this.#offsets
    const at = this.#count
    for (let i = 0; i < count; i++) out[at + i] = shift + offsets[i]
    this.#count += count
    return true
  }

  /** A row without a value has a place too, that means nothing. */
  pushNothing(): void {
    this.#add(0)
  }

  baseAndOffset(row: number): { from: bigint; offset: number } {
    return { from: this.#base ?? 0n, offset: this.#offsets[row] }
  }

  column(): TimeColumn {
    return { base: this.#base ?? 0n, offsets: this.#offsets }
  }

  clear(): void {
    this.#base = undefined
    this.#count = 0
  }

  #setBase(base: bigint): void {
    this.#base = base
    this.#from = base
    this.#shift = 0
  }

  #shiftOf(from: bigint): number {
    if (from !== this.#from) {
      this.#from = from
      this.#shift = Number(from - this.#base!)
    }
    return this.#shift
  }

  #add(offset: number): void {
    if (this.#count === this.#offsets.length) this.#grow()
    this.#offsets[this.#count++] = offset
  }

  #grow(): void {
    const grown = new Float64Array(this.#offsets.length * 2)
    grown.set(this.#offsets)
    this.#offsets = grown
  }
}

/** Where a chosen point lies: at `pointBase + pointOffset`. */
export interface ChosenPoint {
  pointBase: bigint
  pointOffset: number
}

export interface WindowColumnSpec extends BatchField {
  /** Whether the chosen points' times are asked for. */
  readonly hasPoints: boolean
}

export class WindowRows {
  count = 0
  readonly runs: Run[] = []
  readonly #specs: readonly WindowColumnSpec[]
  readonly #times = new TimeSink()
  readonly #sinks: ValueSink[] = []
  readonly #points: (TimeSink | undefined)[] = []
  /** So many rows get room when the first comes. */
  readonly #rowsExpected: number
  #hasRoom = false

  constructor(specs: readonly WindowColumnSpec[], rowsExpected: number) {
    this.#specs = specs
    this.#rowsExpected = rowsExpected
    for (const { type, hasPoints } of specs) {
      this.#sinks.push(new ValueSink(type))
      this.#points.push(hasPoints ? new TimeSink() : undefined)
    }
  }

  /** One piece of memory for all columns: to allocate one costs as much as computing a hundred windows. */
  #makeRoom(): void {
    this.#hasRoom = true
    const rows = this.#rowsExpected
    const bytes = rows * 8
    const memory = new ArrayBuffer(bytes * (1 + this.#sinks.length))
    this.#times.fill(new Float64Array(memory, 0, rows))
    for (let o = 0; o < this.#sinks.length; o++) {
      this.#sinks[o].fill(new Float64Array(memory, bytes * (1 + o), rows))
    }
    for (const points of this.#points) points?.fill(new Float64Array(rows))
  }

  /** Whether a row with these values can stand with the others: its times lie near enough. */
  fits(
    from: bigint,
    offset: number,
    values: readonly (Value | null)[],
    points: readonly ChosenPoint[],
  ): boolean {
    if (!this.#times.fits(from, offset)) return false
    for (let o = 0; o < values.length; o++) {
      const { pointBase, pointOffset } = points[o]
      if (values[o] !== null && this.#points[o]?.fits(pointBase, pointOffset) === false)
        return false
    }
    return true
  }

  push(
    from: bigint,
    offset: number,
    values: readonly (Value | null)[],
    points: readonly ChosenPoint[],
  ): void {
    if (!this.#hasRoom) this.#makeRoom()
    this.count++
    this.#times.push(from, offset)
    for (let o = 0; o < values.length; o++) {
      this.#sinks[o].push(values[o])
      const times = this.#points[o]
      if (times === undefined) continue
      if (values[o] === null) times.pushNothing()
      else times.push(points[o].pointBase, points[o].pointOffset)
    }
  }

  /**
   * Adds rows at times that rise, and tells where the first one stands in `numbers`, to be filled in by the caller. -1:
   * they cannot stand with the others, and nothing was added.
   */
  extend(from: bigint, offsets: Float64Array, count: number): number {
    if (!this.#hasRoom) this.#makeRoom()
    for (const sink of this.#sinks) if (!sink.isPlain) return -1
    if (!this.#times.extend(from, offsets, count)) return -1
    for (const sink of this.#sinks) sink.extend(count)
    this.count += count
    return this.count - count
  }

  numbers(o: number): Float64Array {
    return this.#sinks[o].numbers
  }

  /** A row that was pushed: its time; `values` and `points` are filled for it. */
  replay(
    row: number,
    values: (Value | null)[],
    points: readonly ChosenPoint[],
  ): { from: bigint; offset: number } {
    for (let o = 0; o < values.length; o++) {
      values[o] = this.#sinks[o].at(row)
      const place = this.#points[o]?.baseAndOffset(row)
      if (place === undefined) continue
      points[o].pointBase = place.from
      points[o].pointOffset = place.offset
    }
    return this.#times.baseAndOffset(row)
  }

  /** Forgets all rows and keeps the memory. */
  clear(): void {
    this.count = 0
    this.#times.clear()
    for (const sink of this.#sinks) sink.clear()
    for (const points of this.#points) points?.clear()
  }

  batch(measurement: string, hasPointTimes: boolean): Batch {
    const batch = {
      measurement,
      rowCount: this.count,
      runs: this.runs,
      times: this.#times.column(),
      fields: this.#specs,
      columns: this.#sinks.map((sink) => sink.column()),
    }
    if (!hasPointTimes) return batch
    return { ...batch, pointTimes: this.#points.map((points) => points?.column()) }
  }
}
