// A read of the store, looked at run by run: the rows of one series in one batch. The arrays of a
// batch are the store's again when the cursor goes on to the next.

import type { Batch, Run } from '../../../column/batch.js'
import { seriesKey } from '../../../column/series.js'
import type { PointMeter } from '../../../query/limits.js'
import type { ReadRequest, Store } from '../../../store/store.js'
import { BatchTexts, type FieldPiece, fieldPiece } from './field-piece.js'

export interface Reading {
  readonly store: Store
  readonly signal: AbortSignal
  readonly points: PointMeter
  /** Pieces have no values, only times. */
  readonly withoutValues?: boolean
}

export class RunCursor {
  readonly #batches: AsyncIterator<Batch>
  #batch: Batch | undefined
  #texts = new BatchTexts()
  #at = 0
  #run: Run | undefined
  #key: string | undefined

  readonly #points: PointMeter
  readonly #withoutValues: boolean

  constructor({ store, signal, points, withoutValues }: Reading, request: ReadRequest) {
    this.#batches = store.read(request, signal)
    this.#points = points
    this.#withoutValues = withoutValues === true
  }

  /** The run it stands on; undefined: before the first or behind the last. */
  get run(): Run | undefined {
    return this.#run
  }

  get batch(): Batch {
    return this.#batch!
  }

  /** The series of the run as text by which series are in order. */
  get key(): string {
    this.#key ??= seriesKey(this.#run!.key)
    return this.#key
  }

  /** Whether the next run is at hand without waiting for the store. */
  get hasNextAtHand(): boolean {
    return this.#batch !== undefined && this.#at < this.#batch.runs.length
  }

  /** Only where it is at hand. */
  advanceAtHand(): void {
    const run = this.#batch!.runs[this.#at++]
    if (this.#run?.keyId !== run.keyId) this.#key = undefined
    this.#run = run
  }

  async advance(): Promise<void> {
    while (!this.hasNextAtHand) {
      const { done, value } = await this.#batches.next()
      if (done === true) {
        this.#run = undefined
        this.#batch = undefined
        return
      }
      this.#points.addPoints(value.rowCount)
      this.#batch = value
      this.#texts = new BatchTexts()
      this.#at = 0
    }
    this.advanceAtHand()
  }

  /** Of the batch. */
  get texts(): BatchTexts {
    return this.#texts
  }

  /** The points of a field in the run. */
  piece(field: number): FieldPiece | undefined {
    const { start, stop } = this.#run!
    const texts = this.#withoutValues ? undefined : this.#texts
    return fieldPiece(this.#batch!, field, start, stop, texts)
  }

  /** No more is wanted. */
  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}
