// distinct: every value of a window once, and count(distinct()): how many there are. They come out
// by the time of the first point that had each, earliest first whatever the order of the query, and
// by value where times are equal; the window's start is the time of all.

import type { FieldType, StringColumn, Value } from '../../column/column.js'
import { timeAt } from '../../column/time.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { StringNumbers } from './string-numbers.js'
import { compareValues } from './value-order.js'

type Numeric = Float64Array | BigInt64Array | BigUint64Array | Uint8Array

/** About what a value and its time take in a map. */
const seenBytes = 64

export class DistinctReducer implements Reducer {
  readonly #inputType: FieldType
  readonly #isCount: boolean
  /** The time each value was first seen at; strings by their number. */
  #firstSeen = new Map<number | bigint, bigint>()
  #strings = new StringNumbers()

  constructor(inputType: FieldType, isCount: boolean) {
    this.#inputType = inputType
    this.#isCount = isCount
  }

  add(points: Points, start: number, stop: number): void {
    if (this.#inputType === 'string') this.#addStrings(points, start, stop)
    else this.#addNumbers(points, start, stop)
  }

  get heldBytes(): number {
    return this.#firstSeen.size * seenBytes + this.#strings.heldBytes
  }

  finish(out: PointsBuilder): void {
    if (this.#firstSeen.size > 0) {
      if (this.#isCount) out.push(this.#firstSeen.size, undefined)
      else for (const value of this.#inOrder()) out.push(value, undefined)
    }
    this.#firstSeen = new Map()
    this.#strings = new StringNumbers()
  }

  #addNumbers(points: Points, start: number, stop: number): void {
    const seen = this.#firstSeen
    const values = points.values.values as Numeric
    // Narrow and wide blocks of one field may follow each other: the same number has one spelling.
    const isWide = values instanceof BigInt64Array || values instanceof BigUint64Array
    for (let row = start; row < stop; row++) {
      const value = isWide ? narrowed(values[row] as bigint) : values[row]
      if (!seen.has(value)) seen.set(value, timeAt(points.times, row))
    }
  }

  #addStrings(points: Points, start: number, stop: number): void {
    const seen = this.#firstSeen
    const column = points.values as StringColumn
    for (let row = start; row < stop; row++) {
      const number = this.#strings.number(column, row)
      if (!seen.has(number)) seen.set(number, timeAt(points.times, row))
    }
  }

  #inOrder(): Value[] {
    const entries = [...this.#firstSeen].map(([key, time]) => ({ value: this.#valueOf(key), time }))
    entries.sort((a, b) => {
      if (a.time !== b.time) return a.time < b.time ? -1 : 1
      return compareValues(a.value, b.value)
    })
    return entries.map((entry) => entry.value)
  }

  #valueOf(key: number | bigint): Value {
    if (this.#inputType === 'string') return this.#strings.texts[key as number]
    return this.#inputType === 'boolean' ? key !== 0 : key
  }
}

function narrowed(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
