// percentile: the point whose value stands at the given share of the window's sorted values. Where
// several points have that value, the one InfluxDB's sort puts there.

import type { FieldType } from '../../column/column.js'
import { PointBuffer } from './point-buffer.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { rowsByKey } from './row-order.js'

export class PercentileReducer implements Reducer {
  readonly #percent: number
  readonly #points: PointBuffer

  constructor(percent: number, inputType: FieldType, companionTypes: readonly FieldType[]) {
    this.#percent = percent
    this.#points = new PointBuffer(inputType, companionTypes)
  }

  add(points: Points, start: number, stop: number): void {
    this.#points.append(points, start, stop)
  }

  get heldBytes(): number {
    return this.#points.heldBytes
  }

  finish(out: PointsBuilder): void {
    const { values } = this.#points.numbers
    const at = Math.floor((values.length * this.#percent) / 100 + 0.5) - 1
    if (at >= 0 && at < values.length) this.#points.pushRow(rowAt(values, at), out)
    this.#points.clear()
  }
}

type Numbers = Float64Array | BigInt64Array | BigUint64Array

function rowAt(values: Numbers, at: number): number {
  const sorted = values.slice().sort()
  const value = sorted[at]
  const isAlone = sorted[at - 1] !== value && sorted[at + 1] !== value
  const row = isAlone ? (values as Float64Array).indexOf(value as number) : -1
  if (row !== -1) return row
  return rowsByKey(keysOf(values, sorted), values.length)[at]
}

/** Floats in the same order as the numbers; a wide number's is its place among the sorted. */
export function keysOf(values: Numbers, sorted: Numbers): Float64Array {
  if (values instanceof Float64Array) return values
  const places = new Map<number | bigint, number>()
  for (let i = 0; i < sorted.length; i++) places.set(sorted[i], i)
  return Float64Array.from(values as BigInt64Array, (value) => places.get(value)!)
}
