// WAIST 1, types only. Above it nobody knows files, encodings or engines; below it nobody knows
// languages or HTTP. A second engine implements this without touching anything above; one contract
// suite runs against every one.

import type { Batch } from '../column/batch.js'
import type { FieldType } from '../column/column.js'
import type { Predicate, TagPredicate } from '../column/predicate.js'
import type { Series } from '../column/series.js'
import type { TimeRange } from '../column/time.js'
import type { WriteBatch } from '../column/write-batch.js'
import type { PullStream } from '../platform/pull-stream.js'

/** 16 hex characters. */
export type BucketId = string

export interface BucketSettings {
  /** Points older than this are rejected, hidden and dropped. 0n: kept for ever. */
  readonly retentionNs: bigint
}

export interface RejectedPoint {
  /** Line in the request, counted from 1. */
  readonly line: number
  /** As InfluxDB words it: `field type conflict: input field "f" on measurement "m" is type float, ...`. */
  readonly reason: string
}

export interface WriteResult {
  readonly writtenCount: number
  readonly rejectedCount: number
  /** The first 100 of them, and points that lost a field on the way (not counted above), in line order. */
  readonly rejected: readonly RejectedPoint[]
}

export type AggregateFunction = 'count' | 'sum' | 'min' | 'max' | 'mean' | 'first' | 'last'

export interface Aggregate {
  readonly field: string
  readonly function: AggregateFunction
}

/**
 * One row per series and window that holds at least one value. Windows start at multiples of `everyNs` from
 * `offsetNs`; a row's time is its window's start, cut to the range's start. Without `everyNs` the range is the window.
 */
export interface WindowAggregate {
  readonly everyNs?: bigint | undefined
  readonly offsetNs?: bigint | undefined
  readonly aggregates: readonly Aggregate[]
  /** Also tell where the points chosen by min, max, first and last lay (`Batch.pointTimes`). */
  readonly pointTimes?: boolean
}

/**
 * Not to be changed once it was read: who sends the same request again had best send the same object, as what follows
 * from it is kept with it.
 */
export interface ReadRequest {
  readonly bucket: BucketId
  readonly range: TimeRange
  readonly measurement: string
  /** Fields to return, in this order; fields that do not exist are left out. Absent: all, by name. */
  readonly fields?: readonly string[]
  /**
   * Also rows that have a value in none of these fields, if only in others; there may then be no fields to return. Not
   * for windows. Default false.
   */
  readonly everyRow?: boolean | undefined
  readonly predicate?: Predicate | undefined
  /** Newest first within each series. Default false. */
  readonly descending?: boolean
  /** At most so many rows of each series, counted from where the order starts. */
  readonly limitPerSeries?: number | undefined
  readonly window?: WindowAggregate
}

export type SchemaRequest = {
  readonly bucket: BucketId
  /** Only what has points here. Shards are the grain: a neighbour's points may count. Absent: ever written. */
  readonly range?: TimeRange | undefined
  readonly measurement?: string
  readonly predicate?: TagPredicate | undefined
} & (
  | { readonly kind: 'measurements' | 'tag-keys' | 'fields' | 'series' | 'cardinality' | 'extent' }
  | { readonly kind: 'tag-values'; readonly tag: string }
  /** Neither measurement nor predicate count. */
  | { readonly kind: 'shards' }
)

export interface FieldSchema {
  readonly measurement: string
  readonly name: string
  readonly type: FieldType
}

/** Names are sorted and unique; series come in key order. */
export type SchemaAnswer =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'fields'; readonly fields: readonly FieldSchema[] }
  | { readonly kind: 'series'; readonly series: readonly Series[] }
  | { readonly kind: 'cardinality'; readonly count: number }
  /**
   * Without decoding anything: every point lies in `range` (undefined: there is none), and there are at most so many.
   * Both may be larger than the truth, and are cut to the range and the retention asked for.
   */
  | { readonly kind: 'extent'; readonly range: TimeRange | undefined; readonly rowCountMax: number }
  /** Spans of time that are kept and dropped as a whole and hold points, in time order. */
  | { readonly kind: 'shards'; readonly shards: readonly TimeRange[] }

/** Everything of the bucket in the range that matches; without a predicate, all series of the measurement. */
export interface DeleteRequest {
  readonly bucket: BucketId
  readonly range: TimeRange
  readonly measurement?: string
  readonly predicate?: TagPredicate
}

/** Figures for monitoring. Names are Prometheus names without the program's prefix; values are numbers. */
export interface StoreMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly value: number
}

export interface Store {
  /** Makes the bucket known or changes its settings. A bucket that was never set keeps its points for ever. */
  setBucket(bucket: BucketId, settings: BucketSettings): void

  /**
   * Durable and visible to reads when resolved. Rejected points are values in the result, not exceptions. Throws
   * BusyError when memory is full and DiskError when the disk refuses; nothing of the batch is kept then.
   */
  write(bucket: BucketId, batch: WriteBatch): Promise<WriteResult>

  /**
   * Series in key order, each series' points in time order. The arrays of a batch belong to the reader until it
   * asks for the next batch; then they may be used again: copy what is kept.
   */
  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch>

  /**
   * Measurements, tag keys, tag values, fields with types, series, cardinalities: answered from the index. Extents and
   * shards: from what is known of the stored rows without reading them. Answers are not to be changed: two may be one
   * object, and then nothing has changed between them.
   */
  schema(request: SchemaRequest): Promise<SchemaAnswer>

  /** The same without waiting, of stores that have their index at hand. Throws what `schema` rejects with. */
  schemaAtOnce?(request: SchemaRequest): SchemaAnswer

  /** Gone from every read that starts after this resolves, and durably so. */
  delete(request: DeleteRequest): Promise<void>

  dropBucket(bucket: BucketId): Promise<void>

  metrics(): readonly StoreMetric[]

  /** Finishes writes under way, makes everything durable, lets go of the files. */
  close(): Promise<void>
}
