// LIMIT and OFFSET of rows that are shown as they are. OFFSET without LIMIT is a matter of its own: of
// each week, which is how InfluxDB cuts time into shards, it gives only one row more than it passes
// over. Programs that page with it know no other answer.

import { floorDiv, nsPerWeek, timeAt, yearOneNs } from '../../column/time.js'
import { pickRows, sliceRows } from './row-picks.js'
import type { RowBlock } from './rows.js'

export class RowLimiter {
  readonly #limit: number
  readonly #offset: number
  #seen = 0
  #week: bigint | undefined
  #seenInWeek = 0

  constructor(limit: number, offset: number) {
    this.#limit = limit
    this.#offset = offset
  }

  /** No row that is still to come is of use. */
  get isFull(): boolean {
    return this.#limit > 0 && this.#seen >= this.#offset + this.#limit
  }

  take(block: RowBlock): RowBlock {
    const isCutByWeek = this.#limit === 0 && this.#offset > 0
    const rows = isCutByWeek ? pickRows(block, this.#marksByWeek(block)) : block
    const start = Math.min(Math.max(0, this.#offset - this.#seen), rows.count)
    const end = this.#limit === 0 ? rows.count : this.#offset + this.#limit - this.#seen
    this.#seen += rows.count
    return sliceRows(rows, start, Math.max(start, Math.min(rows.count, end)))
  }

  #marksByWeek(block: RowBlock): Uint8Array {
    const marks = new Uint8Array(block.count)
    for (let row = 0; row < block.count; row++) {
      const week = floorDiv(timeAt(block.times, row) - yearOneNs, nsPerWeek)
      if (week !== this.#week) this.#seenInWeek = 0
      this.#week = week
      marks[row] = this.#seenInWeek++ <= this.#offset ? 1 : 0
    }
    return marks
  }
}
