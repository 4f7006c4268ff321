// One aggregate of groups of series: for each group and window, a slot, what the series so far amount to. Numbers stay
// in typed arrays while a float64 tells them exactly; wide integers, strings and booleans are kept as values. Engines
// join with it what they group, and Flux what no engine can: groups of several fields, with rules of its own for ties.

import { type Column, isWide, type Value, valueAt } from '../column/column.js'
import { type TimeColumn, timeAt } from '../column/time.js'
import type { AggregateFunction } from './store.js'

const slotsMin = 64

/** Means are joined as sums and counts. */
export type GroupJoin = Exclude<AggregateFunction, 'mean'>

export class GroupColumn {
  readonly #join: AggregateFunction
  #numbers: Float64Array | undefined
  #values: Value[] | undefined
  #times: BigInt64Array | undefined
  #has: Uint8Array

  /** `keepsTimes`: where the chosen points lie is asked for, or decides which is chosen. */
  constructor(join: GroupJoin, keepsTimes: boolean, slotCount = slotsMin) {
    this.#join = join
    this.#numbers = new Float64Array(slotCount)
    this.#has = new Uint8Array(slotCount)
    if (keepsTimes) this.#times = new BigInt64Array(slotCount)
  }

  /** About what a slot takes; texts apart. */
  get slotBytes(): number {
    return this.#times === undefined ? 9 : 17
  }

  has(slot: number): boolean {
    return slot < this.#has.length && this.#has[slot] !== 0
  }

  /** Integers of any size come as bigint when one of them was not safe. */
  value(slot: number): Value {
    return this.#values === undefined ? this.#numbers![slot] : this.#values[slot]
  }

  time(slot: number): bigint {
    return this.#times![slot]
  }

  /** 1 where a slot has a value: a view, until more are reserved. */
  get marks(): Uint8Array {
    return this.#has
  }

  /** A view as well; undefined: values are not all plain numbers. */
  get numbers(): Float64Array | undefined {
    return this.#numbers
  }

  reserve(slotCount: number): void {
    if (slotCount <= this.#has.length) return
    const length = Math.max(slotCount, 2 * this.#has.length)
    const has = new Uint8Array(length)
    has.set(this.#has)
    this.#has = has
    if (this.#numbers !== undefined) {
      const numbers = new Float64Array(length)
      numbers.set(this.#numbers)
      this.#numbers = numbers
    }
    if (this.#times === undefined) return
    const times = new BigInt64Array(length)
    times.set(this.#times)
    this.#times = times
  }

  /** Rows `start` up to `stop` of a batch, which fall into `slots[start]` and so on; there is room for them. */
  add(
    slots: Int32Array,
    column: Column,
    start: number,
    stop: number,
    times: TimeColumn | undefined,
  ): void {
    const from = times === undefined ? this.#joinNumbers(slots, column, start, stop) : start
    const { validity } = column
    for (let row = from; row < stop; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      this.#addRow(slots[row], column, row, times === undefined ? 0n : timeAt(times, row))
    }
  }

  /** Returns the first row that it could not join. */
  #joinNumbers(slots: Int32Array, column: Column, start: number, stop: number): number {
    const numbers = this.#numbers
    if (numbers === undefined || !isPlain(column)) return start
    const has = this.#has
    const { validity } = column
    const values = column.values as Float64Array
    const isAdded = this.#isAdded
    const isInteger = column.type !== 'float'
    const isMin = this.#join === 'min'
    for (let row = start; row < stop; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const slot = slots[row]
      const value = values[row]
      if (has[slot] === 0) {
        has[slot] = 1
        numbers[slot] = value
      } else if (isAdded) {
        const sum = numbers[slot] + value
        if (isInteger && !Number.isSafeInteger(sum)) return row
        numbers[slot] = sum
      } else if (isMin ? value < numbers[slot] : value > numbers[slot]) numbers[slot] = value
    }
    return stop
  }

  #addRow(slot: number, column: Column, row: number, time: bigint): void {
    const numbers = this.#numbers
    if (numbers === undefined || !isPlain(column)) {
      return this.addValue(slot, valueAt(column, row)!, time)
    }
    const value = column.values[row] as number
    const isExact = column.type === 'float' || !this.#isAdded
    const isSafe = isExact || Number.isSafeInteger(numbers[slot] + value)
    this.addValue(slot, isSafe ? value : BigInt(value), time)
  }

  /**
   * One value; integers as bigint where one of them may not be safe. `time`: what decides which is first, and between
   * equal ones.
   */
  addValue(slot: number, value: Value, time: bigint): void {
    if (typeof value !== 'number') this.#widen(typeof value === 'bigint')
    const held = this.#has[slot] === 0 || !this.#isAdded ? undefined : this.value(slot)
    if (!this.#takes(slot, value, time)) return
    const taken = held === undefined ? value : sumOf(held, value)
    if (this.#values !== undefined) this.#values[slot] = taken
    else this.#numbers![slot] = taken as number
  }

  get #isAdded(): boolean {
    return this.#join === 'sum' || this.#join === 'count' || this.#join === 'rows'
  }

  /** Whether the value changes what the slot holds; its time is noted then. */
  #takes(slot: number, value: Value, time: bigint): boolean {
    const isFirst = this.#has[slot] === 0
    if (!isFirst && !this.#isAdded && !this.#wins(value, time, this.value(slot), slot)) return false
    this.#has[slot] = 1
    if (this.#times !== undefined) this.#times[slot] = time
    return true
  }

  /** See `WindowAggregate.groupBy`. */
  #wins(value: Value, time: bigint, held: Value, slot: number): boolean {
    const heldTime = this.#times === undefined ? 0n : this.#times[slot]
    switch (this.#join) {
      case 'min':
        return value < held || (value === held && time < heldTime)
      case 'max':
        return value > held || (value === held && time < heldTime)
      case 'first':
        if (time !== heldTime) return time < heldTime
        return typeof value === 'boolean' ? value < held : value > held
      default:
        return time === heldTime ? value > held : time > heldTime
    }
  }

  #widen(asBigint: boolean): void {
    const numbers = this.#numbers
    if (numbers === undefined) return
    this.#values = Array.from(numbers, (value) => (asBigint ? BigInt(Math.trunc(value)) : value))
    this.#numbers = undefined
  }
}

function sumOf(a: Value, b: Value): Value {
  return typeof a === 'number' ? a + (b as number) : BigInt(a) + BigInt(b)
}

function isPlain(column: Column): boolean {
  return column.type !== 'string' && column.type !== 'boolean' && !isWide(column)
}
