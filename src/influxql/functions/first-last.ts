// first and last. Of points at the same time the greater value is chosen; among booleans `first`
// prefers false, as InfluxDB does. Since points come in order, only one end of a block is looked at.

import { type FieldType, type Value, valueAt } from '../../column/column.js'
import { HeldPoint } from './held-point.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { compareValues } from './value-order.js'

export class EndReducer implements Reducer {
  readonly #isLast: boolean
  readonly #looksAtBack: boolean
  readonly #prefersFalse: boolean
  readonly #best = new HeldPoint()

  constructor(isLast: boolean, inputType: FieldType, descending: boolean) {
    this.#isLast = isLast
    this.#looksAtBack = isLast !== descending
    this.#prefersFalse = !isLast && inputType === 'boolean'
  }

  add(points: Points, start: number, stop: number): void {
    if (start >= stop) return
    const { offsets } = points.times
    let row = start
    if (this.#looksAtBack) {
      row = stop - 1
      while (row > start && offsets[row - 1] === offsets[row]) row--
    }
    const offset = offsets[row]
    for (; row < stop && offsets[row] === offset; row++) this.#offer(points, row)
  }

  finish(out: PointsBuilder): void {
    if (this.#best.isHeld) this.#best.pushTo(out)
    this.#best.clear()
  }

  #offer(points: Points, row: number): void {
    const best = this.#best
    if (best.isHeld) {
      const later = best.compareTime(points.times, row)
      if (this.#isLast ? later < 0 : later > 0) return
      if (later === 0 && !this.#isPreferred(rowValue(points, row))) return
    }
    best.take(rowValue(points, row), points, row)
  }

  #isPreferred(value: Value): boolean {
    const order = compareValues(value, this.#best.value)
    return this.#prefersFalse ? order < 0 : order > 0
  }
}

function rowValue(points: Points, row: number): Value {
  const column = points.values
  // Narrow integers stay numbers: `valueAt` would make bigints of them.
  if (column.values instanceof Float64Array) return column.values[row]
  return valueAt(column, row)!
}
