// Column builders whose batch is finished, kept for the next ones, with the pool that their arrays come from: a request
// with thousands of measurements needs ten thousands of builders, each of which would survive until the request ends.

import { ArrayPool } from './array-pool.js'
import { ColumnBuilder } from './column-builder.js'
import { WriteTally } from './write-tally.js'

/** Some 150 bytes each. */
const columnsMax = 1 << 16

export class BuilderPool {
  readonly arrays: ArrayPool
  /** Of the batch that is being read: what its tables take, filled or not. */
  tableBytes = 0
  readonly tally = new WriteTally()
  readonly #columns: ColumnBuilder[] = []

  constructor(arrayBytesMax: number) {
    this.arrays = new ArrayPool(arrayBytesMax)
  }

  column(type: number, capacity: number): ColumnBuilder {
    const found = this.#columns.pop()
    if (found === undefined) return new ColumnBuilder(type, this.arrays, capacity)
    found.open(type, capacity)
    return found
  }

  /** It has finished, and nobody fills it any more. */
  give(column: ColumnBuilder): void {
    if (this.#columns.length < columnsMax) this.#columns.push(column)
  }
}
