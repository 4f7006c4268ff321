// Rows of a run on their way out: gathered series by series, in the order of ranks, and handed on as batches. No series
// gives more rows than the request wants.

import type { Batch, BatchField } from '../../column/batch.js'
import { type ResultRow, rowBatches } from '../row-batches.js'
import type { PlannedRead, Run } from './planned-read.js'

/** Rows that are put into one batch. */
const batchRows = 4096

export class RunRows {
  readonly #run: Run
  readonly #fields: readonly BatchField[]
  readonly #limitPerSeries: number
  #rank = -1
  #count = 0
  #rows: ResultRow[] = []

  constructor({ request }: PlannedRead, run: Run, fields: readonly BatchField[]) {
    this.#run = run
    this.#fields = fields
    this.#limitPerSeries = request.limitPerSeries ?? Number.POSITIVE_INFINITY
  }

  /** To be called before each row; gives what has to leave first. */
  moveTo(rank: number): Iterable<Batch> {
    const isOther = rank !== this.#rank
    const leaving = isOther || this.#rows.length >= batchRows ? this.flush() : []
    if (isOther) {
      this.#rank = rank
      this.#count = 0
    }
    return leaving
  }

  /** The series has all the rows that are wanted. */
  get isFull(): boolean {
    return this.#count >= this.#limitPerSeries
  }

  push(row: ResultRow): void {
    this.#rows.push(row)
    this.#count++
  }

  flush(): Iterable<Batch> {
    const rows = this.#rows
    if (rows.length === 0) return []
    this.#rows = []
    const { keys, firstRank } = this.#run
    return rowBatches(keys[this.#rank].key, firstRank + this.#rank, this.#fields, rows)
  }
}
