// Window aggregates of one group, brought together from many series: for each window and aggregate the
// sum, the count, the smallest, the first … so far. Numbers stay in typed arrays while they are safe;
// wide integers, texts and truths are kept as values.

import { type Column, isWide, type Value, valueAt } from '../../column/column.js'
import type { AggregateFunction } from '../../store/store.js'

/** What the store computed for a window of a series, to be joined with other series of its group. */
export class AggregateWindows {
  readonly #join: AggregateFunction
  #numbers: Float64Array | undefined
  #values: Value[] | undefined
  #times: BigInt64Array | undefined
  #has: Uint8Array
  /** Windows that have a value. */
  count = 0

  /** `windowCount`: how many there can be. `keepsTimes`: where the chosen points lie is asked for or decides. */
  constructor(join: AggregateFunction, windowCount: number, keepsTimes: boolean) {
    this.#join = join
    this.#has = new Uint8Array(windowCount)
    this.#numbers = new Float64Array(windowCount)
    if (keepsTimes) this.#times = new BigInt64Array(windowCount)
  }

  has(window: number): boolean {
    return this.#has[window] !== 0
  }

  /** All windows at once, with marks of those that have a value; undefined where values are not plain numbers. */
  get numbers(): { readonly values: Float64Array; readonly has: Uint8Array } | undefined {
    return this.#numbers === undefined ? undefined : { values: this.#numbers, has: this.#has }
  }

  /** Integers of any size come as bigint when one of them was not safe. */
  value(window: number): Value {
    return this.#values === undefined ? this.#numbers![window] : this.#values[window]
  }

  /** Where the chosen point lies. */
  time(window: number): bigint {
    return this.#times![window]
  }

  /** Row `row` of a batch falls into `window`; `time` is where its chosen point lies. */
  add(window: number, column: Column, row: number, time: bigint): void {
    if (column.validity !== undefined && column.validity[row] === 0) return
    if (this.#values === undefined && isPlain(column)) {
      const value = column.values[row] as number
      if (column.type === 'float' || this.#staysSafe(window, value)) {
        this.#addNumber(window, value, time)
        return
      }
    }
    this.#addValue(window, valueAt(column, row)!, time)
  }

  /**
   * Rows `start` up to `stop` of a batch, the first of them in window `windows[0]`, where no times are kept. Plain
   * numbers, as nearly all are, take one loop and no bigint.
   */
  addRows(windows: Int32Array, column: Column, start: number, stop: number): void {
    const row = isPlain(column) ? this.#joinNumbers(windows, column, start, stop) : start
    for (let i = row; i < stop; i++) this.add(windows[i - start], column, i, 0n)
  }

  /** Returns the first row that it could not join. */
  #joinNumbers(windows: Int32Array, column: Column, start: number, stop: number): number {
    const numbers = this.#numbers
    if (numbers === undefined || column.validity !== undefined) return start
    const has = this.#has
    const values = column.values as Float64Array
    const isAdded = this.#join === 'sum' || this.#join === 'count'
    const isInteger = column.type !== 'float'
    const isMin = this.#join === 'min'
    for (let row = start; row < stop; row++) {
      const window = windows[row - start]
      const value = values[row]
      if (has[window] === 0) {
        has[window] = 1
        this.count++
        numbers[window] = value
      } else if (isAdded) {
        const sum = numbers[window] + value
        if (isInteger && !Number.isSafeInteger(sum)) return row
        numbers[window] = sum
      } else if (isMin ? value < numbers[window] : value > numbers[window]) numbers[window] = value
    }
    return stop
  }

  /** A sum of integers may leave those that a float64 tells exactly. */
  #staysSafe(window: number, value: number): boolean {
    return this.#join !== 'sum' || Number.isSafeInteger(this.#numbers![window] + value)
  }

  #addNumber(window: number, value: number, time: bigint): void {
    const numbers = this.#numbers!
    if (this.#has[window] === 0) {
      this.#has[window] = 1
      this.count++
      numbers[window] = value
      if (this.#times !== undefined) this.#times[window] = time
      return
    }
    switch (this.#join) {
      case 'sum':
      case 'count':
        numbers[window] += value
        break
      default:
        if (!this.#wins(value, time, numbers[window], window)) return
        numbers[window] = value
        if (this.#times !== undefined) this.#times[window] = time
    }
  }

  #wins(value: Value, time: bigint, held: Value, window: number): boolean {
    const heldTime = this.#times === undefined ? 0n : this.#times[window]
    switch (this.#join) {
      case 'min':
        return value < held || (value === held && time < heldTime)
      case 'max':
        return value > held || (value === held && time < heldTime)
      case 'first':
        // Of truths at the same time InfluxDB's first is the false one.
        if (time === heldTime) return typeof value === 'boolean' ? value < held : value > held
        return time < heldTime
      default:
        return time > heldTime || (time === heldTime && value > held)
    }
  }

  #addValue(window: number, value: Value, time: bigint): void {
    const values = this.#widen(typeof value === 'bigint')
    if (this.#has[window] !== 0) {
      const held = values[window]
      if (this.#join === 'sum' || this.#join === 'count') {
        values[window] = (held as bigint) + (value as bigint)
        return
      }
      if (!this.#wins(value, time, held, window)) return
    } else this.count++
    this.#has[window] = 1
    values[window] = value
    if (this.#times !== undefined) this.#times[window] = time
  }

  #widen(asBigint: boolean): Value[] {
    if (this.#values === undefined) {
      const numbers = this.#numbers!
      this.#values = Array.from(numbers, (value) => (asBigint ? BigInt(Math.trunc(value)) : value))
      this.#numbers = undefined
    }
    return this.#values
  }
}

function isPlain(column: Column): boolean {
  return column.type !== 'string' && column.type !== 'boolean' && !isWide(column)
}
