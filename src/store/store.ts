// WAIST 1, types only. Above it nobody knows files, encodings or engines; below it nobody knows
// languages or HTTP. A second engine implements this without touching anything above; one contract
// suite runs against every one.

import type { Batch } from '../column/batch.js'
import type { FieldType } from '../column/column.js'
import type { Predicate, TagPredicate } from '../column/predicate.js'
import type { Series } from '../column/series.js'
import type { TimeRange } from '../column/time.js'
import type { WriteBatch } from '../column/write-batch.js'
import type { MaybePromise, PullStream } from '../platform/pull-stream.js'

/** 16 hex characters. */
export type BucketId = string

export interface BucketSettings {
  /** Points older than this are rejected, hidden and dropped. 0n: kept for ever. */
  readonly retentionNs: bigint
  /** Buckets of one owner share what it may have of series, measurements and fields, where the engine counts them. */
  readonly owner?: string | undefined
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

/** `rows`: how many rows there are, whatever fields they have. */
export type AggregateFunction = 'count' | 'sum' | 'min' | 'max' | 'mean' | 'first' | 'last' | 'rows'

export interface Aggregate {
  /** Of `rows` only the name that its column is to have. */
  readonly field: string
  readonly function: AggregateFunction
}

/**
 * One row per series, or with `groupBy` per group of series, and window that holds at least one value. Windows start at
 * multiples of `everyNs` from `offsetNs`; a row's time is its window's start, cut to the range's start. Without
 * `everyNs` the range is the window.
 */
export interface WindowAggregate {
  readonly everyNs?: bigint | undefined
  readonly offsetNs?: bigint | undefined
  readonly aggregates: readonly Aggregate[]
  /**
   * Tags whose values make the groups; none: one group of all series. Absent: each series by itself. Groups come in the
   * order of their values (as UTF-8), tag by tag as listed here; a series without the tag has the empty value. The
   * earliest of equal minima and maxima is chosen; of several series with a point at the time of the first or last the
   * greatest value is (of booleans the first is false before true). Sums of floats add up the sums of the series in key
   * order, as far as an engine can: the last digits may differ between engines.
   */
  readonly groupBy?: readonly string[] | undefined
  /** Sums of integers beyond 64 bits fail the read. Default false: they wrap, as InfluxDB's do. */
  readonly refusesOverflow?: boolean
  /** Also tell where the points chosen by min, max, first and last lay (`Batch.pointTimes`). */
  readonly pointTimes?: boolean
}

/** What is to be read, apart from when: see `Store.prepare`. Not to be changed afterwards. */
export interface PrepareRequest {
  readonly bucket: BucketId
  readonly measurement: string
  /** Fields to return, in this order; fields that do not exist are left out. Absent: all, by name. */
  readonly fields?: readonly string[]
  /**
   * Also rows that have a value in none of these fields, if only in others; there may then be no fields to return. Not
   * for windows. Default false.
   */
  readonly everyRow?: boolean | undefined
  readonly predicate?: Predicate | undefined
  /** Newest first within each series or group. Default false. */
  readonly descending?: boolean
  /** At most so many rows of each series or group, counted from where the order starts. */
  readonly limitPerSeries?: number | undefined
  readonly window?: WindowAggregate
  /**
   * What a read with groups may hold, in bytes, where an engine gathers them before it answers: else the read fails.
   * 0: as much as it takes. Absent: an engine's own bound.
   */
  readonly memoryBytesMax?: number
}

export interface ReadRequest extends PrepareRequest {
  readonly range: TimeRange
}

/**
 * What follows from a request before its time range is known: which series and fields it means, and how their rows are
 * checked. To be kept by whoever asks again, with the same range or another: reading through it costs less. It stays
 * right whatever happens to the store: where fields or series have come since, it is prepared anew as it is read.
 */
export interface PreparedRead {
  /** As `Store.read` does; any number of times, also at the same time. */
  read(range: TimeRange, signal: AbortSignal): PullStream<Batch>
}

/** A read that another thread of this process carries out. */
export interface HandedRead {
  /** What that thread needs to know: plain data and shared memory. */
  readonly job: unknown
  /** Once, when nothing of it is read any more; `error`: what it failed with there. */
  release(error?: Error): Promise<void> | undefined
}

/** Which series a question about the schema is about. */
export interface SchemaRequest {
  readonly bucket: BucketId
  /** Only what has points here. Shards are the grain: a neighbour's points may count. Absent: ever written. */
  readonly range?: TimeRange | undefined
  readonly measurement?: string
  readonly predicate?: TagPredicate | undefined
}

export type NamesRequest = SchemaRequest &
  (
    | { readonly kind: 'measurements' | 'tag-keys' }
    | { readonly kind: 'tag-values'; readonly tag: string }
  )

export interface FieldSchema {
  readonly measurement: string
  readonly name: string
  readonly type: FieldType
}

/** What every query must know of its measurement before it can be planned. */
export interface MeasurementSchema {
  /**
   * Another number whenever fields, their types or tag keys have changed, or the bucket was made anew: while it is the
   * same, so is everything that follows from this schema. 0: there is no such measurement.
   */
  readonly version: number
  /** By name. */
  readonly fields: readonly FieldSchema[]
  readonly tagKeys: readonly string[]
}

/**
 * Without decoding anything: every point lies in `range` (undefined: there is none), and there are at most so many.
 * Both may be larger than the truth, and are cut to the range and the retention asked for.
 */
export interface Extent {
  readonly range: TimeRange | undefined
  readonly rowCountMax: number
  /** Of the blocks that hold them, where the store has any; what was not flushed yet is not among them. */
  readonly storedBytes?: number
  /**
   * Every row that is stored of what is asked for lies in the range and has not expired: names, series and cardinality
   * of all time are then exactly those of series with rows in the range. Absent: it is not known.
   */
  readonly isWhole?: boolean
}

/** What a read is expected to take, from what is known without decoding anything: the truth may be more or less. */
export interface ReadEstimate {
  /** To be decoded; where no field is asked for, times. Windows that statistics of blocks answer need none. */
  readonly valueCount: number
  /** Of the blocks that they lie in, where the store has any; what was not flushed yet is not among them. */
  readonly storedBytes?: number | undefined
  /** Several threads of this process share the read. */
  readonly isShared: boolean
}

/** Everything of the bucket in the range that matches; without a predicate, all series of the measurement. */
export interface DeleteRequest {
  readonly bucket: BucketId
  readonly range: TimeRange
  readonly measurement?: string
  readonly predicate?: TagPredicate
}

/** Points came or went somewhere in a span of time. */
export interface Change {
  readonly range: TimeRange
  /** When that was done last. */
  readonly at: bigint
  /** Points went. Absent: they came. */
  readonly removed?: Removed | undefined
}

/** What a delete was about. */
export interface Removed {
  readonly measurement?: string | undefined
  readonly predicate?: TagPredicate | undefined
  /** Several deletes told as one: what went lay in the span, but not all of the span did. */
  readonly isRough?: boolean
}

export interface Changes {
  /** Changes before this moment may be missing: the store did not look yet, or has forgotten. */
  readonly knownSince: bigint
  /** Later ones are not among them: ask from here on next time. */
  readonly until: bigint
  /** In the order of their spans, which may be larger than the truth, and overlap. */
  readonly changes: readonly Change[]
}

/** A file of a store that is being copied. */
export interface FrozenFile {
  /** Where it belongs, below the store's folder. Nobody above reads anything into it. */
  readonly name: string
  readonly byteLength: number
  /** Equal marks, equal bytes: such a file never changes. Absent: it is another one in every copy. */
  readonly mark?: string
  /** All of its bytes, in pieces; each is the reader's. */
  read(): AsyncIterable<Uint8Array>
}

/**
 * Everything that was acknowledged up to a moment and nothing that came later, as the files of a folder that this kind
 * of store opens. Writes go on meanwhile; what is held must be released.
 */
export interface FrozenStore {
  /** By the store's clock. */
  readonly at: bigint
  readonly files: readonly FrozenFile[]
  /** What cannot be copied because it cannot be read, in words for a person. */
  readonly damage: readonly string[]
  release(): Promise<void>
}

export interface Counted {
  /** How many there are on all pages, where the store knows it when the first was taken. */
  readonly count?: number | undefined
}

/** Figures for monitoring. Names are Prometheus names without the program's prefix; values are numbers. */
export interface StoreMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly value: number
}

/** Something that was stored and cannot be read. What is not told is not known, or concerns all of it. */
export interface DamagedPlace {
  readonly bucket?: BucketId
  readonly measurement?: string
  readonly range?: TimeRange
  readonly message: string
}

/**
 * A call that is given a signal fails with its reason once it is aborted; what it was to change may be changed or not.
 */
export interface Store {
  /** Makes the bucket known or changes its settings. A bucket that was never set keeps its points for ever. */
  setBucket(bucket: BucketId, settings: BucketSettings, signal?: AbortSignal): Promise<void>

  /**
   * Durable and visible to reads when resolved. Rejected points are values in the result, not exceptions. Throws
   * BusyError when memory is full and DiskError when the disk refuses; nothing of the batch is kept then. With
   * `isAtomic` nothing is kept either where anything is rejected.
   */
  write(
    bucket: BucketId,
    batch: WriteBatch,
    signal?: AbortSignal,
    isAtomic?: boolean,
  ): Promise<WriteResult>

  /**
   * Series in key order, or groups in theirs, the rows of each in time order. The arrays of a batch belong to the
   * reader until it asks for the next batch; then they may be used again: copy what is kept.
   */
  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch>

  /** Several measurements in one read: what a read of each gives, in this order. */
  readSeveral(requests: readonly ReadRequest[], signal: AbortSignal): PullStream<Batch>

  /** For whoever reads the same again, in this range or another. Throws nothing: reading does. */
  prepare(request: PrepareRequest): PreparedRead

  /**
   * Opens a read for another thread, which carries it out with `readHanded` (`engines/handed-reads.ts`); undefined:
   * there is nothing to be read. Absent: reads are carried out where they are asked for.
   */
  readonly handOver?: ((request: ReadRequest) => MaybePromise<HandedRead | undefined>) | undefined

  /** A promise only where the store has to ask elsewhere. */
  measurementSchema(
    bucket: BucketId,
    measurement: string,
    signal?: AbortSignal,
  ): MaybePromise<MeasurementSchema>

  /** The version of that schema, where it can be told without waiting; undefined: ask for the schema. */
  schemaVersion(bucket: BucketId, measurement: string): number | undefined

  /**
   * Names, fields and series come from the index, in pages of at most `schemaPageEntries`, sorted and unique across all
   * pages: names and fields by their characters (as their UTF-8 bytes sort), series by measurement and then tag by tag.
   * Long ones are found in turns: nobody else waits for them; who reads the first page of many need not wait for all.
   */
  names(request: NamesRequest, signal?: AbortSignal): PullStream<readonly string[]> & Counted

  fields(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly FieldSchema[]>

  series(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly Series[]>

  /** How many series there are. */
  cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number>

  extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent>

  /** For EXPLAIN. Nothing is read. */
  estimate(request: ReadRequest, signal?: AbortSignal): Promise<ReadEstimate>

  /** Spans of time that are kept and dropped as a whole and hold points, in time order. */
  shards(bucket: BucketId, signal?: AbortSignal): Promise<readonly TimeRange[]>

  /**
   * What has changed in a bucket since a moment, by the store's clock. A bucket is looked after from when this is first
   * asked, for as long as it is asked at least once an hour. What retention takes away is no change.
   */
  changes(bucket: BucketId, since: bigint, signal?: AbortSignal): Promise<Changes>

  /** Gone from every read that starts after this resolves, and durably so. */
  delete(request: DeleteRequest, signal?: AbortSignal): Promise<void>

  dropBucket(bucket: BucketId, signal?: AbortSignal): Promise<void>

  /** For backups, of all points or of those buckets' alone. Absent: this kind of store has its own way to be copied. */
  freeze?(buckets?: ReadonlySet<BucketId>): Promise<FrozenStore>

  metrics(signal?: AbortSignal): Promise<readonly StoreMetric[]>

  /** Fails while the store is out of reach. Absent: it is in this process. */
  reach?(signal?: AbortSignal): Promise<void>

  /** Buckets that it holds files or points of, in no order. Absent: the engine cannot tell. */
  bucketIds?(): readonly BucketId[]

  /** What other servers are sent for a read, for EXPLAIN. Absent: the engine reads by itself. */
  readonly statements?:
    | ((request: ReadRequest, signal: AbortSignal) => Promise<readonly string[]>)
    | undefined

  /** What was found damaged since the start, for the operator. Absent: the engine looks after that elsewhere. */
  damage?(): readonly DamagedPlace[]

  /** What the operator should mend although everything is served: replicas that are missing. */
  weakness?(): readonly string[]

  /** Finishes writes under way, makes everything durable, closes the files. */
  close(): Promise<void>
}
