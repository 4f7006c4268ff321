// One aggregate of all groups of a query, window by window, in one table of plain numbers: a row of windows
// for each group. Numbers that a float64 does not tell exactly do not go in: whoever meets one has to
// compute in another way.

import { type Column, isWide } from '../../column/column.js'

export type WindowJoin = 'sum' | 'count' | 'min' | 'max'

export class GroupWindows {
  readonly #join: WindowJoin
  readonly #windowCount: number
  #values: Float64Array
  #has: Uint8Array

  constructor(join: WindowJoin, windowCount: number) {
    this.#join = join
    this.#windowCount = windowCount
    this.#values = new Float64Array(windowCount)
    this.#has = new Uint8Array(windowCount)
  }

  /** Views, until a later group makes the table grow. Windows without a value hold 0. */
  values(group: number): Float64Array {
    if (this.#values.length === this.#windowCount) return this.#values
    const start = group * this.#windowCount
    return this.#values.subarray(start, start + this.#windowCount)
  }

  /** 1 where the window has a value. */
  marks(group: number): Uint8Array {
    if (this.#has.length === this.#windowCount) return this.#has
    const start = group * this.#windowCount
    return this.#has.subarray(start, start + this.#windowCount)
  }

  /**
   * Rows `start` up to `stop` of a batch, which fall into `windows[start]` and so on. False: they cannot be told
   * exactly here.
   */
  add(group: number, windows: Int32Array, column: Column, start: number, stop: number): boolean {
    if (isWide(column)) return false
    if ((group + 1) * this.#windowCount > this.#values.length) this.#grow(group + 1)
    const { validity } = column
    const values = column.values as Float64Array
    const table = this.#values
    const has = this.#has
    const isAdded = this.#join === 'sum' || this.#join === 'count'
    const isMin = this.#join === 'min'
    const isInteger = column.type !== 'float'
    const first = group * this.#windowCount
    for (let row = start; row < stop; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const at = first + windows[row]
      const value = values[row]
      if (has[at] === 0) {
        has[at] = 1
        table[at] = value
      } else if (isAdded) {
        const sum = table[at] + value
        if (isInteger && !Number.isSafeInteger(sum)) return false
        table[at] = sum
      } else if (isMin ? value < table[at] : value > table[at]) table[at] = value
    }
    return true
  }

  #grow(groupCount: number): void {
    const length = this.#windowCount * Math.max(groupCount, 8, 2 * this.#groupRoom)
    const values = new Float64Array(length)
    values.set(this.#values)
    this.#values = values
    const has = new Uint8Array(length)
    has.set(this.#has)
    this.#has = has
  }

  get #groupRoom(): number {
    return this.#values.length / this.#windowCount
  }
}
