// One aggregate of all groups of a query, window by window: a row of windows for each group, laid as a read gives
// them. Numbers lie in one typed array while a float64 tells them exactly.

import type { Column, Value } from '../../column/column.js'
import type { TimeColumn } from '../../column/time.js'
import { GroupColumn } from '../../store/group-column.js'

export class WindowTable {
  readonly #windowCount: number
  readonly #column: GroupColumn

  /** `keepsTimes`: where the chosen points lie is asked for. */
  constructor(windowCount: number, keepsTimes: boolean) {
    this.#windowCount = windowCount
    this.#column = new GroupColumn('last', keepsTimes, windowCount)
  }

  /** Of a window of a group, about. */
  get windowBytes(): number {
    return this.#column.slotBytes
  }

  /** Rows `start` up to `stop` of a batch; `windows` by row, counted over all groups, of which there are so many. */
  add(
    groupCount: number,
    windows: Int32Array,
    column: Column,
    start: number,
    stop: number,
    times: TimeColumn | undefined,
  ): void {
    this.#column.reserve(groupCount * this.#windowCount)
    this.#column.add(windows, column, start, stop, times)
  }

  /** 1 where the window has a value. A view, until a later group makes the table grow. */
  marks(group: number): Uint8Array {
    const { marks } = this.#column
    if (marks.length === this.#windowCount) return marks
    const start = group * this.#windowCount
    return marks.subarray(start, start + this.#windowCount)
  }

  hasValue(group: number, window: number): boolean {
    return this.#column.marks[group * this.#windowCount + window] !== 0
  }

  /** How many windows of the group have a value. */
  count(group: number): number {
    const { marks } = this.#column
    const start = group * this.#windowCount
    let count = 0
    for (let i = 0; i < this.#windowCount; i++) count += marks[start + i]
    return count
  }

  /** A view as well; windows without a value hold 0. Undefined: values are not all plain numbers. */
  numbers(group: number): Float64Array | undefined {
    const { numbers } = this.#column
    if (numbers === undefined || numbers.length === this.#windowCount) return numbers
    const start = group * this.#windowCount
    return numbers.subarray(start, start + this.#windowCount)
  }

  /** Integers of any size come as bigint when one of them was not safe. */
  value(group: number, window: number): Value {
    return this.#column.value(group * this.#windowCount + window)
  }

  /** Where the chosen point lies. */
  time(group: number, window: number): bigint {
    return this.#column.time(group * this.#windowCount + window)
  }
}
