// The aggregates that choose one point of a window: the smallest and the largest value, the earliest of equals, and
// the first and the last point.

import { type Column, type Value, valueAt } from '../../../column/column.js'
import { Accumulator } from './accumulator.js'
import type { PieceStatistics } from './cursor.js'
import type { WindowSpans } from './window-spans.js'

/** The smallest (-1) or largest (1) value; the earliest of equals. */
export class Extreme extends Accumulator {
  override readonly usesStatistics = true
  readonly #sign: 1 | -1
  #best: number | bigint | null = null

  constructor(sign: 1 | -1) {
    super()
    this.#sign = sign
  }

  add(column: Column, i: number, j: number, base: bigint, offsets: Float64Array): void {
    const { values, validity } = column
    const row =
      values instanceof Float64Array && validity === undefined
        ? this.#sign < 0
          ? minRow(values, i, j)
          : maxRow(values, i, j)
        : this.#extremeRow(column, i, j)
    if (row < 0) return
    const value = values[row]
    if (this.#best !== null && (this.#sign < 0 ? value >= this.#best : value <= this.#best)) return
    this.#best = value
    this.pointBase = base
    this.pointOffset = offsets[row]
  }

  #extremeRow(column: Column, i: number, j: number): number {
    const { values, validity } = column
    let best = -1
    for (let row = i; row < j; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      if (best < 0 || (this.#sign < 0 ? values[row] < values[best] : values[row] > values[best])) {
        best = row
      }
    }
    return best
  }

  override canSpan({ values }: Column): boolean {
    return values instanceof Float64Array
  }

  override span(column: Column, spans: WindowSpans, out: Float64Array, at: number): void {
    const values = column.values as Float64Array
    if (this.#sign < 0) minima(values, spans, out, at)
    else maxima(values, spans, out, at)
  }

  /** Tells the value but not its place: only used where places are not asked for. */
  override addStatistics(statistics: PieceStatistics, field: number): boolean {
    if (statistics.valueCount(field) === 0) return true
    const range = statistics.range(field)
    if (range === undefined) return false
    const value = this.#sign < 0 ? range.min : range.max
    if (this.#best === null || (this.#sign < 0 ? value < this.#best : value > this.#best)) {
      this.#best = value
    }
    return true
  }

  take(): Value | null {
    const best = this.#best
    this.#best = null
    return best
  }
}

function minima(values: Float64Array, spans: WindowSpans, out: Float64Array, at: number): void {
  const { ends, count, firstRow } = spans
  for (let w = 0, i = firstRow; w < count; i = ends[w++]) {
    out[at + w] = values[minRow(values, i, ends[w])]
  }
}

function maxima(values: Float64Array, spans: WindowSpans, out: Float64Array, at: number): void {
  const { ends, count, firstRow } = spans
  for (let w = 0, i = firstRow; w < count; i = ends[w++]) {
    out[at + w] = values[maxRow(values, i, ends[w])]
  }
}

function minRow(values: Float64Array, i: number, j: number): number {
  let best = i
  let value = values[i]
  for (let row = i + 1; row < j; row++) {
    if (values[row] < value) {
      value = values[row]
      best = row
    }
  }
  return best
}

function maxRow(values: Float64Array, i: number, j: number): number {
  let best = i
  let value = values[i]
  for (let row = i + 1; row < j; row++) {
    if (values[row] > value) {
      value = values[row]
      best = row
    }
  }
  return best
}

export class First extends Accumulator {
  #value: Value | null = null

  override get isSettled(): boolean {
    return this.#value !== null
  }

  add(column: Column, i: number, j: number, base: bigint, offsets: Float64Array): void {
    if (this.#value !== null) return
    for (let row = i; row < j && this.#value === null; row++) {
      this.#value = valueAt(column, row)
      this.pointBase = base
      this.pointOffset = offsets[row]
    }
  }

  take(): Value | null {
    const value = this.#value
    this.#value = null
    return value
  }
}

export class Last extends Accumulator {
  readonly #newestFirst: boolean
  #value: Value | null = null

  constructor(newestFirst: boolean) {
    super()
    this.#newestFirst = newestFirst
  }

  override get isSettled(): boolean {
    return this.#newestFirst && this.#value !== null
  }

  add(column: Column, i: number, j: number, base: bigint, offsets: Float64Array): void {
    if (this.isSettled) return
    for (let row = j - 1; row >= i; row--) {
      const value = valueAt(column, row)
      if (value === null) continue
      this.#value = value
      this.pointBase = base
      this.pointOffset = offsets[row]
      return
    }
  }

  take(): Value | null {
    const value = this.#value
    this.#value = null
    return value
  }
}
