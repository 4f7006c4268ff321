// What the planner knows of a stream that comes from the store: how far the functions it went through
// can be told to the store. A rule takes the shape of a node's input and the node, and says what shape
// both have together, and how to run them where that is not simply the node after its input.

import type { MaybePromise } from '../../../platform/pull-stream.js'
import type { AggregateFunction, BucketId } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import type { StreamNode } from '../../node/node.js'
import type { BatchStream } from '../../table/table-batch.js'
import type { ColumnStep } from '../storage/column-step.js'
import type { GroupColumns } from '../storage/group-columns.js'
import type { StorageRead } from '../storage/storage-read.js'
import type { TableSource } from '../storage/table-source.js'

export interface Windowing {
  readonly everyNs: bigint
  readonly offsetNs: bigint
  readonly createEmpty: boolean
}

export type Shape =
  /** `from`, not yet bounded. */
  | { readonly kind: 'bucket'; readonly bucket: BucketId }
  /** Tables as the store has them: one per series and field, rows in time order. */
  | { readonly kind: 'rows'; readonly read: StorageRead }
  /** Such tables, cut into windows. */
  | {
      readonly kind: 'windows'
      readonly read: StorageRead
      readonly windowing: Windowing
      /** The columns by which the tables were put together before; undefined: they were not. */
      readonly groups: GroupColumns | undefined
    }
  /** One row per window; `time`: the end of the window that stands in `_time`, undefined: none does yet. */
  | {
      readonly kind: 'window-aggregate'
      readonly read: StorageRead
      readonly windowing: Windowing
      readonly groups: GroupColumns | undefined
      readonly function: AggregateFunction
      /** Rows were put into windows without points, where there are such. */
      readonly isFilled: boolean
      readonly time: '_start' | '_stop' | undefined
    }
  /** Tables put together by columns that are the same in all rows of a series. */
  | {
      readonly kind: 'groups'
      readonly read: StorageRead
      readonly columns: GroupColumns
    }
  /** Tables of which the columns are changed as they are built. */
  | {
      readonly kind: 'tables'
      readonly source: TableSource
      readonly steps: readonly ColumnStep[]
      /** Rows that only lost columns of the key, which is as if they were put together by the rest. */
      readonly groups?: { readonly read: StorageRead; readonly columns: GroupColumns } | undefined
    }
  /** Only the values of one column of the key; `isGrouped`: all in one table. */
  | {
      readonly kind: 'key-column'
      readonly read: StorageRead
      readonly column: string
      readonly isGrouped: boolean
    }
  /** The names of the columns of each table's key; `isKept`: nothing else. */
  | { readonly kind: 'key-names'; readonly read: StorageRead; readonly isKept: boolean }

export interface Planned {
  readonly shape?: Shape | undefined
  /** Absent: the node's own way, on what its inputs give. `inBatches`: whoever reads it takes batches. */
  readonly run?: ((general: () => BatchStream, inBatches: boolean) => BatchStream) | undefined
  /** What comes before all the nodes that `run` takes the place of; absent: nothing does. */
  readonly source?: StreamNode | undefined
}

/** undefined: the rule does not fit. */
export type Rule = (
  node: StreamNode,
  input: Shape,
  context: FluxContext,
) => MaybePromise<Planned | undefined>
