// Carries out a read where it is best done: here, or on threads that share it. An aggregate or a
// search over many rows is shared: much is decoded and little comes back. A read that hands out
// what it decodes would only be copied once more. Off: `scanThreadsMax` 0.

import type { Batch } from '../../../column/batch.js'
import type { ByteTableView } from '../../../column/byte-table.js'
import type { Plan } from '../read/plan.js'
import { readSources } from '../read/read.js'
import type { Source } from '../read/sources.js'
import { describeScan } from './scan-job.js'
import { cutSeries, estimateValues } from './scan-parts.js'
import { ScanPool, type ScanPoolOptions } from './scan-pool.js'

export interface ScansOptions extends ScanPoolOptions {
  readonly valuesMin: number
}

export class Scans {
  readonly #pool: ScanPool
  readonly #valuesMin: number
  /** Reads that were shared. */
  count = 0

  constructor(options: ScansOptions) {
    this.#pool = new ScanPool(options)
    this.#valuesMin = options.valuesMin
  }

  /** `seriesCount` is how many series the measurement has. */
  read(
    plan: Plan,
    sources: readonly Source[],
    keys: ByteTableView,
    seriesCount: number,
    signal: AbortSignal,
  ): AsyncIterableIterator<Batch> {
    if (!this.#isBig(plan, sources, seriesCount)) {
      return readSources(plan, sources, keys, signal)
    }
    this.count++
    const parts = cutSeries(sources, plan, keys, this.#pool.threadCount)
    return this.#pool.read(describeScan(plan, sources, keys), parts, signal)
  }

  #isBig(plan: Plan, sources: readonly Source[], seriesCount: number): boolean {
    if (this.#pool.threadCount === 0) return false
    if (plan.window === undefined && plan.rowPredicate === undefined) return false
    return estimateValues(sources, plan, seriesCount) >= this.#valuesMin
  }

  /** Reads under way fail with this error. */
  close(error: Error): Promise<void> {
    return this.#pool.close(error)
  }
}
