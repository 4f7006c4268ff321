// min, max and spread: one pass for the row of the extreme value. Of equal values the earliest
// point is chosen, whatever the order of the query.

import type { Column, FieldType, Value } from '../../column/column.js'
import { HeldPoint } from './held-point.js'
import type { Points, PointsBuilder, Reducer } from './points.js'

type Numbers = Float64Array | BigInt64Array | BigUint64Array | Uint8Array

export class ExtremeReducer implements Reducer {
  readonly #isMax: boolean
  readonly #isBoolean: boolean
  readonly #best = new HeldPoint()

  constructor(isMax: boolean, inputType: FieldType) {
    this.#isMax = isMax
    this.#isBoolean = inputType === 'boolean'
  }

  add(points: Points, start: number, stop: number): void {
    if (start >= stop) return
    const row = extremeRow(points, start, stop, this.#isMax)
    const found = (points.values.values as Numbers)[row]
    const value = this.#isBoolean ? found !== 0 : found
    if (!this.#best.isHeld || this.#isBetter(value, points, row))
      this.#best.take(value, points, row)
  }

  finish(out: PointsBuilder): void {
    if (this.#best.isHeld) this.#best.pushTo(out)
    this.#best.clear()
  }

  #isBetter(value: Value, points: Points, row: number): boolean {
    const best = this.#best.value
    if (value < best) return !this.#isMax
    if (value > best) return this.#isMax
    return value >= best && this.#best.compareTime(points.times, row) < 0
  }
}

/** The greatest value less the smallest. Integers wrap at 64 bits. */
export class SpreadReducer implements Reducer {
  readonly #inputType: FieldType
  #min: number | bigint | undefined
  #max: number | bigint | undefined

  constructor(inputType: FieldType) {
    this.#inputType = inputType
  }

  add(points: Points, start: number, stop: number): void {
    if (start >= stop) return
    const values = points.values.values as Numbers
    const low = values[extremeRow(points, start, stop, false)]
    const high = values[extremeRow(points, start, stop, true)]
    if (this.#min === undefined || low < this.#min) this.#min = low
    if (this.#max === undefined || high > this.#max) this.#max = high
  }

  finish(out: PointsBuilder): void {
    if (this.#min !== undefined && this.#max !== undefined) {
      out.push(spread(this.#min, this.#max, this.#inputType), undefined)
    }
    this.#min = undefined
    this.#max = undefined
  }
}

function spread(min: number | bigint, max: number | bigint, type: FieldType): number | bigint {
  if (typeof min === 'number' && typeof max === 'number') {
    const difference = max - min
    if (type === 'float' || Number.isSafeInteger(difference)) return difference
  }
  const difference = BigInt(max) - BigInt(min)
  return type === 'unsigned' ? difference : BigInt.asIntN(64, difference)
}

function extremeRow(points: Points, start: number, stop: number, isMax: boolean): number {
  const { offsets } = points.times
  const { values } = points.values as Exclude<Column, { type: 'string' }>
  if (values instanceof Float64Array) {
    return isMax ? maxRow(values, offsets, start, stop) : minRow(values, offsets, start, stop)
  }
  return extremeRowOfAny(values, offsets, start, stop, isMax)
}

function minRow(values: Float64Array, offsets: Float64Array, start: number, stop: number): number {
  let best = start
  let min = values[start]
  for (let row = start + 1; row < stop; row++) {
    const value = values[row]
    if (value < min) {
      min = value
      best = row
    } else if (value === min && offsets[row] < offsets[best]) best = row
  }
  return best
}

function maxRow(values: Float64Array, offsets: Float64Array, start: number, stop: number): number {
  let best = start
  let max = values[start]
  for (let row = start + 1; row < stop; row++) {
    const value = values[row]
    if (value > max) {
      max = value
      best = row
    } else if (value === max && offsets[row] < offsets[best]) best = row
  }
  return best
}

/** Booleans and wide integers; apart from floats, whose loops would be slower for meeting other arrays. */
function extremeRowOfAny(
  values: Numbers,
  offsets: Float64Array,
  start: number,
  stop: number,
  isMax: boolean,
): number {
  let best = start
  for (let row = start + 1; row < stop; row++) {
    const isBetter = isMax ? values[row] > values[best] : values[row] < values[best]
    const isSame = values[row] === values[best]
    if (isBetter || (isSame && offsets[row] < offsets[best])) best = row
  }
  return best
}
