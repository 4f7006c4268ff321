// Reading: cursors over memtables and segments are merged series by series, and the rows pass
// through filter, order and limit, or into window aggregates, and out as batches. The same code
// runs where the request came in and on the threads that share a big scan.

import type { Batch } from '../../../column/batch.js'
import { type MaybePromise, PullStream } from '../../../platform/pull-stream.js'
import { nextTurn } from '../../../platform/run-turns.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { Plan } from './plan.js'
import { RowRead } from './row-read.js'
import { SeriesMerge } from './series-merge.js'
import { type CursorInput, openCursors } from './sources.js'
import type { SteppedRead } from './stepped-read.js'
import { WindowRead } from './window-read.js'

/** Carries out a plan. The signal is looked at in pauses. `rowsTogether`: see RowRead. */
export function readRows(
  plan: Plan,
  inputs: readonly CursorInput[],
  keys: SeriesKeyView,
  signal: AbortSignal,
  rowsTogether?: number,
): PullStream<Batch> {
  signal.throwIfAborted()
  const merge = new SeriesMerge(openCursors(inputs), keys)
  const read =
    plan.window === undefined
      ? new RowRead(plan, keys, merge, rowsTogether)
      : new WindowRead(plan, plan.window, keys, merge)
  return new StepStream(read, signal)
}

/** Batches as they are made, synchronously unless it is time to let others run. */
class StepStream extends PullStream<Batch> {
  readonly #read: SteppedRead
  readonly #signal: AbortSignal

  constructor(read: SteppedRead, signal: AbortSignal) {
    super()
    this.#read = read
    this.#signal = signal
  }

  take(): MaybePromise<Batch | undefined> {
    const step = this.#read.next()
    return step === 'pause' ? this.#afterPause() : step
  }

  async #afterPause(): Promise<Batch | undefined> {
    await nextTurn(this.#signal)
    return this.take()
  }

  close(): void {}
}
