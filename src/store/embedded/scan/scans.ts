// Carries out a read where it is best done: here, or on threads that share it. An aggregate or a
// search over many rows is shared: much is decoded and little comes back. A read that hands out
// what it decodes would only be copied once more. Off: `scanThreadsMax` 0.

import type { Batch } from '../../../column/batch.js'
import type { Clock } from '../../../platform/clock.js'
import { type PullStream, streamOf } from '../../../platform/pull-stream.js'
import type { Work } from '../../../platform/turns.js'
import type { ReadEstimate } from '../../store.js'
import type { Plan } from '../read/plan.js'
import type { RangedRead, ReadInput } from '../read/prepared-request.js'
import { readRows } from '../read/read.js'
import { blockBytes } from './block-bytes.js'
import { describeScan } from './scan-job.js'
import { cutSeries, estimateScan } from './scan-parts.js'
import { ScanPool, type ScanPoolOptions } from './scan-pool.js'

export interface ScansOptions extends ScanPoolOptions {
  readonly valuesMin: number
  readonly clock: Clock
}

export class Scans {
  readonly #pool: ScanPool
  readonly #valuesMin: number
  readonly #clock: Clock
  /** Reads that were shared. */
  count = 0

  constructor(options: ScansOptions) {
    this.#pool = new ScanPool(options)
    this.#valuesMin = options.valuesMin
    this.#clock = options.clock
  }

  read(
    { plan, keys, measurement }: RangedRead,
    input: ReadInput,
    signal: AbortSignal,
  ): PullStream<Batch> {
    if (!this.#isBig(plan, input, measurement.seriesCount)) {
      return readRows(plan, input.cursors, keys, signal)
    }
    this.count++
    const { sources } = input
    const parts = cutSeries(sources, plan, keys, this.#pool.threadCount)
    const job = describeScan(plan, sources, keys.shareable(), this.#clock.now())
    return streamOf(this.#pool.read(job, parts, signal))
  }

  #isBig(plan: Plan, input: ReadInput, seriesCount: number): boolean {
    if (this.#pool.threadCount === 0) return false
    if (plan.window === undefined && plan.rowPredicate === undefined) return false
    return costOf(plan, input, seriesCount) >= this.#valuesMin
  }

  /** What a read is about to take, in values. */
  cost({ plan, measurement }: RangedRead, input: ReadInput): number {
    return costOf(plan, input, measurement.seriesCount)
  }

  /** What carrying it out is expected to take. Interruptible. */
  *estimate({ plan, measurement }: RangedRead, input: ReadInput): Work<ReadEstimate> {
    const { seriesCount } = measurement
    const { values, cost, share } = estimateScan(input.sources, plan, seriesCount)
    input.cost = cost
    const bytes = yield* blockBytes(input.sources, plan, seriesCount)
    return {
      valueCount: Math.round(values),
      storedBytes: Math.round(bytes * share),
      isShared: this.#isBig(plan, input, seriesCount),
    }
  }

  /** Reads under way fail with this error. */
  close(error: Error): Promise<void> {
    return this.#pool.close(error)
  }
}

function costOf(plan: Plan, input: ReadInput, seriesCount: number): number {
  input.cost ??= estimateScan(input.sources, plan, seriesCount).cost
  return input.cost
}
