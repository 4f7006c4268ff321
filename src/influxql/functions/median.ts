// median and stddev. Both look at all values of a window: stddev goes through them twice, as
// InfluxDB does, up to a number beyond which one pass with the running mean must do.

import type { FieldType } from '../../column/column.js'
import { NumberBuffer } from './point-buffer.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { floatsOf } from './value-order.js'

export class MedianReducer implements Reducer {
  readonly #numbers: NumberBuffer
  readonly #isUnsigned: boolean

  constructor(inputType: FieldType) {
    this.#numbers = new NumberBuffer(inputType)
    this.#isUnsigned = inputType === 'unsigned'
  }

  add(points: Points, start: number, stop: number): void {
    this.#numbers.append(points.values, start, stop)
  }

  get heldBytes(): number {
    return this.#numbers.count * 8
  }

  finish(out: PointsBuilder): void {
    const { values } = this.#numbers
    if (values.length > 0) out.push(this.#median(values.sort()), undefined)
    this.#numbers.clear()
  }

  #median(sorted: Float64Array | BigInt64Array | BigUint64Array): number {
    const middle = sorted.length >> 1
    const high = sorted[middle]
    if (sorted.length % 2 === 1) return Number(high)
    const low = sorted[middle - 1]
    if (typeof low === 'number') return low + (Number(high) - low) / 2
    const gap = BigInt(high) - low
    return Number(low) + Number(this.#isUnsigned ? gap : BigInt.asIntN(64, gap)) / 2
  }
}

/** 8 MB: values of one window that a second pass goes over. */
const valuesMax = 1_000_000

/** Of one value it is NaN. NaN among the values is passed over. */
export class StddevReducer implements Reducer {
  #values = new Float64Array(64)
  #seen = 0
  #count = 0
  #mean = 0
  /** The sum of squared distances from the mean, once there are too many values to go over them again. */
  #squares = 0

  add(points: Points, start: number, stop: number): void {
    const floats = floatsOf(points.values, stop)
    for (let row = start; row < stop; row++) this.#addValue(floats[row])
  }

  finish(out: PointsBuilder): void {
    if (this.#seen > 0) {
      const squares = this.#count <= valuesMax ? this.#secondPass() : this.#squares
      const deviation = this.#seen < 2 ? Number.NaN : Math.sqrt(squares / (this.#count - 1))
      out.push(deviation, undefined)
    }
    this.#seen = 0
    this.#count = 0
    this.#mean = 0
    this.#squares = 0
  }

  #addValue(value: number): void {
    this.#seen++
    if (Number.isNaN(value)) return
    if (this.#count === valuesMax) this.#squares = this.#secondPass()
    const distance = value - this.#mean
    this.#mean += distance / ++this.#count
    if (this.#count <= valuesMax) this.#addToBuffer(value)
    else this.#squares += distance * (value - this.#mean)
  }

  #addToBuffer(value: number): void {
    if (this.#count > this.#values.length) {
      const grown = new Float64Array(Math.min(valuesMax, this.#values.length * 4))
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.#count - 1] = value
  }

  #secondPass(): number {
    let squares = 0
    for (let i = 0; i < this.#count; i++) {
      const distance = this.#values[i] - this.#mean
      squares += distance * distance
    }
    return squares
  }
}
