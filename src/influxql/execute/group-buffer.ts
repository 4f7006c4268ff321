// Collects the rows of one group from many series until they can be brought into time order. Numbers stay
// in the batches that they came in; texts are numbered as they come, because every batch has a dictionary
// of its own.

import type { Run } from '../../column/batch.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { RowMemory } from '../../query/row-memory.js'
import type { CopiedBatch, GroupRun } from './copied-batch.js'
import { type ColumnOrigin, OrderedRows } from './ordered-rows.js'

export class GroupBuffer {
  readonly #origins: readonly ColumnOrigin[]
  readonly #base: bigint
  readonly #descending: boolean
  /** By column, where it is of texts. */
  readonly #texts: (ColumnBuilder | undefined)[]
  readonly #runs: GroupRun[] = []
  #count = 0

  /** `base`: what times are counted from where rows of several series are brought together. */
  constructor(origins: readonly ColumnOrigin[], base: bigint, descending: boolean) {
    this.#origins = origins
    this.#base = base
    this.#descending = descending
    this.#texts = origins.map((origin) =>
      origin.kind === 'field' && origin.type === 'string'
        ? new ColumnBuilder(origin.type, 64)
        : undefined,
    )
  }

  get count(): number {
    return this.#count
  }

  /** Rows of one series, behind those of it that came before. */
  add(batch: CopiedBatch, run: Run): void {
    const { start, stop } = run
    for (let c = 0; c < this.#texts.length; c++) {
      const column = batch.columns[c]
      if (column === undefined) this.#texts[c]?.pushNulls(stop - start)
      else this.#texts[c]?.pushRange(column, start, stop)
    }
    this.#runs.push({ batch, run })
    this.#count += stop - start
  }

  /** What was added, in time order. Nothing is added afterwards. `memory`: for what has to be known of each row. */
  finish(memory: RowMemory): OrderedRows {
    const parts = {
      origins: this.#origins,
      runs: this.#runs,
      texts: this.#texts.map((builder) => builder?.finish()),
    }
    return new OrderedRows(parts, this.#base, this.#descending, memory)
  }
}
