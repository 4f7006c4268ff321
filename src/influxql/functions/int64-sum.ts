// Sums of 64-bit integers, exact, at the price of float additions as long as they fit 53 bits.
// Adding columns relies on this: while the sum of the absolute values stays below 2^53, so does
// every sum on the way, and each of them was exact.

import { type Column, isWide } from '../../column/column.js'

const exactMax = Number.MAX_SAFE_INTEGER

export class Int64Sum {
  readonly #isSigned: boolean
  #small = 0
  #big = 0n

  constructor(isSigned: boolean) {
    this.#isSigned = isSigned
  }

  add(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#big += value
      return
    }
    const sum = this.#small + value
    if (sum > exactMax || sum < -exactMax) this.#spill(value)
    else this.#small = sum
  }

  subtract(value: number | bigint): void {
    this.add(-value)
  }

  addColumn(column: Column, start: number, stop: number): void {
    if (isWide(column)) {
      for (let row = start; row < stop; row++) this.#big += column.values[row]
    } else this.#addNumbers(column.values as Float64Array, start, stop)
  }

  /** Wraps at 64 bits, as InfluxDB's sums do. */
  get value(): number | bigint {
    if (this.#big === 0n && (this.#isSigned || this.#small >= 0)) return this.#small
    const total = this.#big + BigInt(this.#small)
    return this.#isSigned ? BigInt.asIntN(64, total) : BigInt.asUintN(64, total)
  }

  clear(): void {
    this.#small = 0
    this.#big = 0n
  }

  #addNumbers(values: Float64Array, start: number, stop: number): void {
    let sum = 0
    let size = 0
    for (let row = start; row < stop; row++) {
      const value = values[row]
      sum += value
      size += Math.abs(value)
    }
    if (size <= exactMax) this.add(sum)
    else if (stop - start === 1) this.add(values[start])
    else {
      const middle = (start + stop) >>> 1
      this.#addNumbers(values, start, middle)
      this.#addNumbers(values, middle, stop)
    }
  }

  #spill(value: number): void {
    this.#big += BigInt(this.#small) + BigInt(value)
    this.#small = 0
  }
}
