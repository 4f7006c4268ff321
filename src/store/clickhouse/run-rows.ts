// Rows of a run on their way out: gathered series by series, in the order of ranks, and handed on as batches, of many
// series where each has few rows. No series gives more rows than the request wants.

import type { Batch, BatchField, Run as BatchRun } from '../../column/batch.js'
import type { Series } from '../../column/series.js'
import { type ResultRow, runBatches } from '../row-batches.js'
import type { PlannedRead, Run } from './planned-read.js'

/** Rows that are put into one batch. */
const batchRows = 4096

export class RunRows {
  readonly #run: Run
  readonly #fields: readonly BatchField[]
  readonly #limitPerSeries: number
  #rank = -1
  #key: Series | undefined
  #count = 0
  #rows: ResultRow[] = []
  /** Of the rows; that of the current rank is added when it ends. */
  #runs: BatchRun[] = []
  #runStart = 0

  constructor({ request }: PlannedRead, run: Run, fields: readonly BatchField[]) {
    this.#run = run
    this.#fields = fields
    this.#limitPerSeries = request.limitPerSeries ?? Number.POSITIVE_INFINITY
  }

  /** To be called before each row; gives what has to leave first. */
  moveTo(rank: number): Iterable<Batch> {
    const leaving = this.#rows.length >= batchRows ? this.flush() : []
    if (rank !== this.#rank) {
      this.#endRun()
      this.#rank = rank
      this.#key = undefined
      this.#count = 0
    }
    return leaving
  }

  #endRun(): void {
    const [start, stop] = [this.#runStart, this.#rows.length]
    this.#runStart = stop
    if (start === stop) return
    this.#runs.push({ key: this.key, keyId: this.#run.firstRank + this.#rank, start, stop })
  }

  /** Of the current rank. */
  get key(): Series {
    this.#key ??= this.#run.key(this.#rank)
    return this.#key
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
    this.#endRun()
    const [runs, rows] = [this.#runs, this.#rows]
    if (rows.length === 0) return []
    this.#rows = []
    this.#runs = []
    this.#runStart = 0
    return runBatches(runs, this.#fields, rows)
  }
}
