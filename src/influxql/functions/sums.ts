// count, sum and mean. Integers are summed exactly and wrap at 64 bits; a mean of integers is their
// wrapped sum as a float, divided by how many they are: all as InfluxDB has it.

import { Int64Sum } from './int64-sum.js'
import type { Points, PointsBuilder, Reducer } from './points.js'

export class CountReducer implements Reducer {
  #count = 0

  add(_points: Points, start: number, stop: number): void {
    this.#count += stop - start
  }

  finish(out: PointsBuilder): void {
    if (this.#count > 0) out.push(this.#count, undefined)
    this.#count = 0
  }
}

/** The sum or the mean of floats. */
export class FloatSumReducer implements Reducer {
  readonly #isMean: boolean
  #sum = 0
  #count = 0

  constructor(isMean: boolean) {
    this.#isMean = isMean
  }

  add(points: Points, start: number, stop: number): void {
    this.#sum = sumOnto(this.#sum, points.values.values as Float64Array, start, stop)
    this.#count += stop - start
  }

  finish(out: PointsBuilder): void {
    if (this.#count > 0) out.push(this.#isMean ? this.#sum / this.#count : this.#sum, undefined)
    this.#sum = 0
    this.#count = 0
  }
}

/** The sum or the mean of integers. */
export class IntegerSumReducer implements Reducer {
  readonly #isMean: boolean
  readonly #sum: Int64Sum
  #count = 0

  constructor(isMean: boolean, isSigned: boolean) {
    this.#isMean = isMean
    this.#sum = new Int64Sum(isSigned)
  }

  add(points: Points, start: number, stop: number): void {
    this.#sum.addColumn(points.values, start, stop)
    this.#count += stop - start
  }

  finish(out: PointsBuilder): void {
    const { value } = this.#sum
    if (this.#count > 0) out.push(this.#isMean ? Number(value) / this.#count : value, undefined)
    this.#sum.clear()
    this.#count = 0
  }
}

/** One after the other: the order of additions decides the last digits. */
function sumOnto(sum: number, values: Float64Array, start: number, stop: number): number {
  let total = sum
  for (let row = start; row < stop; row++) total += values[row]
  return total
}
