// What is said between the thread that answers and the threads that scan. A scan is opened on a
// thread once; then parts of it (series between two keys) are handed over one after the other, and
// batches come back. A part stops when so many batches are on their way that nobody has taken, and
// goes on when told that there is room.

import type { ThreadFailure } from '../../../platform/thread-failure.js'
import type { ResolvedDelete } from '../bucket/tombstones.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { Plan } from '../read/plan.js'
import type { SeriesBounds } from '../read/selection.js'
import type { FrozenTable } from '../rows/memtable.js'
import type { MeasurementDirectory } from '../segment/directory.js'
import type { PackedBatch } from './packed-batch.js'

/** Batches of a part that may wait to be taken: enough to bridge a busy moment of the reader. */
export const batchesAhead = 4

export interface ScanSegment {
  readonly kind: 'segment'
  readonly base: bigint
  readonly rank: number
  /** The file is opened where it is read; what lies where in it is told. */
  readonly path: string
  readonly directory: MeasurementDirectory
  readonly deletes: readonly ResolvedDelete[]
}

export interface ScanTable {
  readonly kind: 'table'
  readonly base: bigint
  readonly rank: number
  readonly minOffset: number
  readonly maxOffset: number
  /** Never changed any more: it is frozen, or a copy. */
  readonly table: FrozenTable
}

export type ScanSource = ScanSegment | ScanTable

export interface ScanJob {
  readonly plan: Plan
  readonly keys: SeriesKeyView
  readonly sources: readonly ScanSource[]
  /** When it was asked for: see `checkMinute`. */
  readonly minute: number
}

export type ScanRequest =
  | { readonly kind: 'scan-open'; readonly id: number; readonly job: ScanJob }
  | {
      readonly kind: 'scan-part'
      readonly id: number
      readonly part: number
      readonly bounds: SeriesBounds
    }
  /** A batch of the part was taken and is not needed any more: its memory may be written again. */
  | {
      readonly kind: 'scan-more'
      readonly id: number
      readonly part: number
      /** See PackedBatch. */
      readonly slab: number | undefined
    }
  /** Stop whatever is under way and release files and memory: no batch is looked at any more. */
  | { readonly kind: 'scan-close'; readonly id: number }

export type ScanReply =
  | {
      readonly kind: 'scan-batch'
      readonly id: number
      readonly part: number
      /** Undefined: the part has no rows. */
      readonly batch: PackedBatch | undefined
      /** The part is over. */
      readonly isLast: boolean
    }
  | {
      readonly kind: 'scan-failed'
      readonly id: number
      readonly part: number
      readonly failure: ThreadFailure
    }
  /** Nothing of the scan is in use here any more. */
  | { readonly kind: 'scan-closed'; readonly id: number }

/** Where scans are carried out: another thread, or this one behind the same words. */
export interface ScanPort {
  post(request: ScanRequest): void
  close(): Promise<void>
}

export interface ScanListener {
  reply(reply: ScanReply): void
  /** The port is gone, and with it everything that it was doing. */
  failed(error: Error): void
}
