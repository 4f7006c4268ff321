// One aggregate of all groups of a query, window by window, in one table: a row of windows for each group.
// What a store computed for a window of a series is joined with the other series of its group. Numbers stay in
// typed arrays while they are safe; wide integers, texts and booleans turn the table into one of values.

import { type Column, isWide, type Value, valueAt } from '../column/column.js'
import { type TimeColumn, timeAt } from '../column/time.js'
import type { AggregateFunction } from '../store/store.js'

export class GroupWindows {
  readonly #join: AggregateFunction
  readonly #windowCount: number
  #has: Uint8Array
  #numbers: Float64Array | undefined
  #values: Value[] | undefined
  #times: BigInt64Array | undefined

  /** `keepsTimes`: where the chosen points lie is asked for, or decides which is chosen. */
  constructor(join: AggregateFunction, windowCount: number, keepsTimes: boolean) {
    this.#join = join
    this.#windowCount = windowCount
    this.#has = new Uint8Array(windowCount)
    this.#numbers = new Float64Array(windowCount)
    if (keepsTimes) this.#times = new BigInt64Array(windowCount)
  }

  /** Bytes of one window, roughly. */
  static windowBytes(keepsTimes: boolean): number {
    return keepsTimes ? 17 : 9
  }

  /** 1 where the window has a value. A view, until a later group makes the table grow. */
  marks(group: number): Uint8Array {
    if (this.#has.length === this.#windowCount) return this.#has
    const start = group * this.#windowCount
    return this.#has.subarray(start, start + this.#windowCount)
  }

  /** How many windows of the group have a value. */
  count(group: number): number {
    const marks = this.marks(group)
    let count = 0
    for (let i = 0; i < marks.length; i++) count += marks[i]
    return count
  }

  /** A view as well; windows without a value hold 0. Undefined: values are not all plain numbers. */
  numbers(group: number): Float64Array | undefined {
    const numbers = this.#numbers
    if (numbers === undefined || numbers.length === this.#windowCount) return numbers
    const start = group * this.#windowCount
    return numbers.subarray(start, start + this.#windowCount)
  }

  /** Integers of any size come as bigint when one of them was not safe. */
  value(group: number, window: number): Value {
    const at = group * this.#windowCount + window
    return this.#values === undefined ? this.#numbers![at] : this.#values[at]
  }

  /** Where the chosen point lies. */
  time(group: number, window: number): bigint {
    return this.#times![group * this.#windowCount + window]
  }

  /** Rows `start` up to `stop` of a batch; `windows` by row; `times` where the chosen points lie. */
  add(
    group: number,
    windows: Int32Array,
    column: Column,
    start: number,
    stop: number,
    times: TimeColumn | undefined,
  ): void {
    if ((group + 1) * this.#windowCount > this.#has.length) this.#grow(group + 1)
    const first = group * this.#windowCount
    let row = start
    if (this.#times === undefined && isPlain(column)) {
      row = this.#joinNumbers(first, windows, column, start, stop)
    }
    for (; row < stop; row++) {
      if (column.validity !== undefined && column.validity[row] === 0) continue
      const time = times === undefined ? 0n : timeAt(times, row)
      this.#addRow(first + windows[row], column, row, time)
    }
  }

  /** One loop and no bigint, as nearly all rows are joined. Returns the first row that it could not join. */
  #joinNumbers(
    first: number,
    windows: Int32Array,
    column: Column,
    start: number,
    stop: number,
  ): number {
    const table = this.#numbers
    if (table === undefined) return start
    const has = this.#has
    const { validity } = column
    const values = column.values as Float64Array
    const isAdded = this.#join === 'sum' || this.#join === 'count'
    const isMin = this.#join === 'min'
    const isInteger = column.type !== 'float'
    for (let row = start; row < stop; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const at = first + windows[row]
      const value = values[row]
      if (has[at] === 0) {
        has[at] = 1
        table[at] = value
      } else if (isAdded) {
        const sum = table[at] + value
        if (isInteger && !Number.isSafeInteger(sum)) return row
        table[at] = sum
      } else if (isMin ? value < table[at] : value > table[at]) table[at] = value
    }
    return stop
  }

  #addRow(at: number, column: Column, row: number, time: bigint): void {
    const numbers = this.#numbers
    if (numbers !== undefined && isPlain(column)) {
      const value = column.values[row] as number
      // A sum of integers may leave those that a float64 tells exactly.
      const isSafe = column.type === 'float' || Number.isSafeInteger(numbers[at] + value)
      if (isSafe || this.#join !== 'sum') {
        numbers[at] = this.#joined(at, value, numbers[at], time) as number
        return
      }
    }
    const value = valueAt(column, row)!
    const values = this.#widen(typeof value === 'bigint')
    values[at] = this.#joined(at, value, values[at], time)
  }

  /** What the window holds from now on. */
  #joined(at: number, value: Value, held: Value, time: bigint): Value {
    const isFirst = this.#has[at] === 0
    this.#has[at] = 1
    if (!isFirst && (this.#join === 'sum' || this.#join === 'count')) {
      return typeof held === 'bigint'
        ? held + (value as bigint)
        : (held as number) + (value as number)
    }
    if (!isFirst && !this.#wins(value, time, held, this.#times?.[at] ?? 0n)) return held
    if (this.#times !== undefined) this.#times[at] = time
    return value
  }

  #wins(value: Value, time: bigint, held: Value, heldTime: bigint): boolean {
    switch (this.#join) {
      case 'min':
        return value < held || (value === held && time < heldTime)
      case 'max':
        return value > held || (value === held && time < heldTime)
      case 'first':
        // Of booleans at the same time InfluxDB's first is the false one.
        if (time === heldTime) return typeof value === 'boolean' ? value < held : value > held
        return time < heldTime
      default:
        return time > heldTime || (time === heldTime && value > held)
    }
  }

  #widen(asBigint: boolean): Value[] {
    if (this.#values === undefined) {
      const numbers = this.#numbers!
      this.#values = Array.from(numbers, (value) => (asBigint ? BigInt(Math.trunc(value)) : value))
      this.#numbers = undefined
    }
    return this.#values
  }

  #grow(groupCount: number): void {
    const groupRoom = this.#has.length / this.#windowCount
    const length = this.#windowCount * Math.max(groupCount, 8, 2 * groupRoom)
    const has = new Uint8Array(length)
    has.set(this.#has)
    this.#has = has
    if (this.#numbers !== undefined) {
      const numbers = new Float64Array(length)
      numbers.set(this.#numbers)
      this.#numbers = numbers
    }
    if (this.#times !== undefined) {
      const times = new BigInt64Array(length)
      times.set(this.#times)
      this.#times = times
    }
  }
}

function isPlain(column: Column): boolean {
  return column.type !== 'string' && column.type !== 'boolean' && !isWide(column)
}
