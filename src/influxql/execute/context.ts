// What every part of a running SELECT shares: the store, the limits it counts against, the signal that
// stops it, and figures for EXPLAIN ANALYZE.

import type { Random } from '../../platform/random.js'
import type { QueryMeter } from '../../query/limits.js'
import type { RowMemoryPool } from '../../query/row-memory.js'
import type { Store } from '../../store/store.js'
import type { ReadableRange } from './readable-range.js'

export interface ExecuteContext {
  readonly store: Store
  readonly signal: AbortSignal
  readonly meter: QueryMeter
  readonly random: Random
  readonly now: bigint
  readonly readable: ReadableRange
  readonly figures: ExecuteFigures
  readonly rowMemory: RowMemoryPool
  /** Off: every call computes its points from rows. */
  readonly pushesCalls: boolean
}

/** Counted while a SELECT runs. */
export interface ExecuteFigures {
  reads: number
  rowsRead: number
  /** Or groups, where the store has joined them. */
  seriesRead: number
  /** Calls that the store answered with window aggregates. */
  pushedCalls: number
}

export function newFigures(): ExecuteFigures {
  return { reads: 0, rowsRead: 0, seriesRead: 0, pushedCalls: 0 }
}
