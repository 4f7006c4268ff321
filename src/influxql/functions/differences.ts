// What lies between neighbouring points: derivative, difference and elapsed. A point at the same
// time as the one before is passed over (several series in one group), except by elapsed. Time
// between points of one block is a difference of offsets; from block to block it is a bigint's.

import { timeAt } from '../../column/time.js'
import type { Points, PointsBuilder, Transform } from './points.js'

type Numbers = Float64Array | BigInt64Array | BigUint64Array

/** The change of the value per `unitNs`. Newest first, time is taken to run backwards. */
export class DerivativeTransform implements Transform {
  readonly #unitNs: number
  readonly #isNonNegative: boolean
  readonly #isUnsigned: boolean
  #previous: number | bigint | undefined
  #previousTime = 0n

  constructor(call: {
    unitNs: bigint
    isNonNegative: boolean
    isUnsigned: boolean
    descending: boolean
  }) {
    this.#unitNs = call.descending ? -Number(call.unitNs) : Number(call.unitNs)
    this.#isNonNegative = call.isNonNegative
    this.#isUnsigned = call.isUnsigned
  }

  add(points: Points, out: PointsBuilder): void {
    const { count, times } = points
    if (count === 0) return
    const values = points.values.values as Numbers
    if (this.#previous === undefined) this.#previous = values[0]
    else this.#step(points, 0, Number(timeAt(times, 0) - this.#previousTime), out)
    if (values instanceof Float64Array && typeof this.#previous === 'number') {
      this.#stepNumbers(points, values, this.#previous, out)
    } else {
      const { offsets } = times
      for (let row = 1; row < count; row++) {
        this.#step(points, row, offsets[row] - offsets[row - 1], out)
      }
    }
    this.#previousTime = timeAt(times, count - 1)
  }

  finish(_out: PointsBuilder): void {
    this.#previous = undefined
  }

  #step(points: Points, row: number, elapsedNs: number, out: PointsBuilder): void {
    if (elapsedNs === 0) return
    const value = (points.values.values as Numbers)[row]
    const change = this.#change(value, this.#previous!)
    this.#previous = value
    if (this.#isNonNegative && change < 0) return
    const { base, offsets } = points.times
    out.pushNumber(change / (elapsedNs / this.#unitNs), base, offsets[row])
  }

  /** Signed integers wrap before they become floats. */
  #change(value: number | bigint, previous: number | bigint): number {
    if (typeof value === 'number' && typeof previous === 'number') return value - previous
    const change = BigInt(value) - BigInt(previous)
    return Number(this.#isUnsigned ? change : BigInt.asIntN(64, change))
  }

  #stepNumbers(points: Points, values: Float64Array, from: number, out: PointsBuilder): void {
    const { base, offsets } = points.times
    const unitNs = this.#unitNs
    let previous = from
    for (let row = 1; row < points.count; row++) {
      const elapsedNs = offsets[row] - offsets[row - 1]
      if (elapsedNs === 0) continue
      const change = values[row] - previous
      previous = values[row]
      if (this.#isNonNegative && change < 0) continue
      out.pushNumber(change / (elapsedNs / unitNs), base, offsets[row])
    }
    this.#previous = previous
  }
}

/** The change of the value, in its own type: integers wrap at 64 bits. */
export class DifferenceTransform implements Transform {
  readonly #type: 'float' | 'integer' | 'unsigned'
  readonly #isNonNegative: boolean
  #previous: number | bigint | undefined
  #previousTime = 0n

  constructor(type: 'float' | 'integer' | 'unsigned', isNonNegative: boolean) {
    this.#type = type
    this.#isNonNegative = isNonNegative
  }

  add(points: Points, out: PointsBuilder): void {
    const { count, times } = points
    if (count === 0) return
    const { offsets } = times
    if (this.#previous === undefined) this.#previous = (points.values.values as Numbers)[0]
    else if (timeAt(times, 0) !== this.#previousTime) this.#step(points, 0, out)
    for (let row = 1; row < count; row++) {
      if (offsets[row] !== offsets[row - 1]) this.#step(points, row, out)
    }
    this.#previousTime = timeAt(times, count - 1)
  }

  finish(_out: PointsBuilder): void {
    this.#previous = undefined
  }

  #step(points: Points, row: number, out: PointsBuilder): void {
    const value = (points.values.values as Numbers)[row]
    const previous = this.#previous!
    this.#previous = value
    const change = this.#change(value, previous)
    if (this.#isNonNegative && (this.#type === 'unsigned' ? value < previous : change < 0)) return
    if (typeof change === 'number') {
      out.pushNumber(change, points.times.base, points.times.offsets[row])
    } else out.push(change, timeAt(points.times, row))
  }

  #change(value: number | bigint, previous: number | bigint): number | bigint {
    if (typeof value === 'number' && typeof previous === 'number') {
      const change = value - previous
      if (this.#type === 'float') return change
      if (Number.isSafeInteger(change) && (change >= 0 || this.#type === 'integer')) return change
    }
    const change = BigInt(value) - BigInt(previous)
    return this.#type === 'unsigned' ? BigInt.asUintN(64, change) : BigInt.asIntN(64, change)
  }
}

/** Whole units between points, of any type: negative when they come newest first. */
export class ElapsedTransform implements Transform {
  readonly #unitNs: bigint
  #previousTime: bigint | undefined

  constructor(unitNs: bigint) {
    this.#unitNs = unitNs
  }

  add(points: Points, out: PointsBuilder): void {
    const { count, times } = points
    if (count === 0) return
    const { base, offsets } = times
    const first = timeAt(times, 0)
    if (this.#previousTime !== undefined) {
      out.push((first - this.#previousTime) / this.#unitNs, first)
    }
    const unitNs = Number(this.#unitNs)
    for (let row = 1; row < count; row++) {
      const elapsedNs = offsets[row] - offsets[row - 1]
      // What is left of a whole division is exact in floats; a quotient might be rounded up.
      out.pushNumber((elapsedNs - (elapsedNs % unitNs)) / unitNs, base, offsets[row])
    }
    this.#previousTime = timeAt(times, count - 1)
  }

  finish(_out: PointsBuilder): void {
    this.#previousTime = undefined
  }
}
