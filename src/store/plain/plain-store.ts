// The plain engine: points in maps, in memory, every answer by looking through all of them. The simplest code that is
// right: the model that other engines are held against, and the one to read before writing a new one. `--store plain`
// serves it; nothing outlives the process.

import type { Batch } from '../../column/batch.js'
import { type Value, valueAt } from '../../column/column.js'
import { compareByTags, compareUtf8, type Series } from '../../column/series.js'
import { allTime, type TimeRange, timeAt } from '../../column/time.js'
import type { WriteBatch, WriteField } from '../../column/write-batch.js'
import { DiskError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { PullStream } from '../../platform/pull-stream.js'
import {
  checkFields,
  defaultAdmissionLimits,
  keyProblem,
  Rejections,
  TableCheck,
} from '../admission-rules.js'
import { ChangeLog } from '../change-log.js'
import { estimateByExtent } from '../estimate-by-extent.js'
import { matcher, tagOf } from '../matches.js'
import { ReadSequence } from '../read-sequence.js'
import { BatchStream } from '../row-batches.js'
import { listOf, SchemaPages } from '../schema-pages.js'
import type {
  BucketId,
  BucketSettings,
  Changes,
  DeleteRequest,
  Extent,
  FieldSchema,
  MeasurementSchema,
  NamesRequest,
  PreparedRead,
  PrepareRequest,
  ReadEstimate,
  ReadRequest,
  SchemaRequest,
  Store,
  StoreMetric,
  WriteResult,
} from '../store.js'
import { hasRowsIn, holds, PlainBucket, type PlainMeasurement } from './points.js'
import { readMeasurement } from './read.js'

/** What a plain store keeps: whoever holds on to it can open it again. */
export type PlainBuckets = Map<BucketId, PlainBucket>

const noRow: ReadonlyMap<string, Value> = new Map()

export class PlainStore implements Store {
  readonly #clock: Clock
  readonly #buckets: PlainBuckets
  readonly #changes: ChangeLog
  #madeCount = 0
  #pointCount = 0
  #isClosed = false

  constructor(clock: Clock, buckets: PlainBuckets = new Map()) {
    this.#clock = clock
    this.#buckets = buckets
    this.#changes = new ChangeLog(clock)
  }

  async setBucket(id: BucketId, { retentionNs }: BucketSettings): Promise<void> {
    this.#bucket(id).retentionNs = retentionNs
  }

  async write(
    id: BucketId,
    batch: WriteBatch,
    signal?: AbortSignal,
    isAtomic = false,
  ): Promise<WriteResult> {
    this.#begin(signal)
    const bucket = this.#bucket(id)
    const rejections = new Rejections()
    // All or nothing: everything is looked at before anything is kept.
    for (const table of isAtomic ? batch.tables : []) {
      this.#checkTable(bucket, new TableCheck(table, rejections))
    }
    for (const table of rejections.areNone ? batch.tables : []) {
      this.#writeTable(bucket, new TableCheck(table, rejections))
    }
    const result = rejections.resultOf(batch, isAtomic)
    this.#pointCount += result.writtenCount
    if (result.writtenCount > 0) this.#changes.wrote(id, batch)
    return result
  }

  /** Refuses what may not stay; returns the fields that may. */
  #checkTable(bucket: PlainBucket, check: TableCheck): WriteField[] {
    const { table } = check
    const now = this.#clock.now()
    if (bucket.retentionNs > 0n) check.refuseBefore(now - bucket.retentionNs)
    const known = this.#written(bucket, table.measurement)
    const typeOf = (name: string) => known?.fields.get(name)
    const before = { count: known?.fields.size ?? 0, typeOf }
    const fields = checkFields(check, before, defaultAdmissionLimits)
    for (let row = 0; row < table.rowCount; row++) {
      const problem = keyProblem(table.keys.key(table.series[row]))
      if (problem !== undefined) check.reject(row, problem)
    }
    return fields
  }

  /** A measurement that has rows: what nothing is left of begins anew. */
  #written(bucket: PlainBucket, name: string): PlainMeasurement | undefined {
    const known = bucket.measurements.get(name)
    const live = bucket.shardsIn(allTime, this.#clock.now())
    return known?.inKeyOrder().some((one) => hasRowsIn(one, live)) ? known : undefined
  }

  #writeTable(bucket: PlainBucket, check: TableCheck): void {
    const { table } = check
    const fields = this.#checkTable(bucket, check)
    if (check.keptCount === 0) return
    if (this.#written(bucket, table.measurement) === undefined) {
      bucket.measurements.delete(table.measurement)
    }
    for (let row = 0; row < table.rowCount; row++) {
      if (check.isRejected(row)) continue
      const measurement = bucket.measurement(table.measurement, () => ++this.#madeCount)
      const time = timeAt(table.times, row)
      bucket.makeShard(time)
      const values = measurement.rowAt(table.keys.key(table.series[row]), time)
      for (const { name, column } of fields) {
        const value = valueAt(column, row)
        if (value === null) continue
        measurement.fields.set(name, column.type)
        values.set(name, value)
      }
    }
  }

  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch> {
    return new BatchStream(this.#batches(request, signal))
  }

  *#batches(request: ReadRequest, signal: AbortSignal): Generator<Batch, void, void> {
    this.#begin(signal)
    const bucket = this.#buckets.get(request.bucket)
    const measurement = bucket?.measurements.get(request.measurement)
    if (bucket === undefined || measurement === undefined) return
    const oldest = bucket.oldest(this.#clock.now())
    // Everything first: a read sees what was there when it began.
    for (const batch of [...readMeasurement(measurement, request, oldest)]) {
      signal.throwIfAborted()
      yield batch
    }
  }

  readSeveral(requests: readonly ReadRequest[], signal: AbortSignal): PullStream<Batch> {
    return new ReadSequence(requests.map((request) => () => this.read(request, signal)))
  }

  prepare(request: PrepareRequest): PreparedRead {
    return { read: (range, signal) => this.read({ ...request, range }, signal) }
  }

  measurementSchema(id: BucketId, name: string, signal?: AbortSignal): MeasurementSchema {
    this.#begin(signal)
    const known = this.#buckets.get(id)?.measurements.get(name)
    if (known === undefined) return { version: 0, fields: [], tagKeys: [] }
    return { version: known.version, fields: fieldsOf(known), tagKeys: [...known.tagKeys].sort() }
  }

  schemaVersion(id: BucketId, name: string): number {
    return this.measurementSchema(id, name).version
  }

  /** The measurements asked for, by name, with those of their series that count, where there are any. */
  #select({ bucket: id, measurement: name, range, predicate }: SchemaRequest) {
    const bucket = this.#buckets.get(id)
    const shards = bucket?.shardsIn(range ?? allTime, this.#clock.now()) ?? []
    const matches = matcher(predicate)
    return [...(bucket?.measurements.values() ?? [])]
      .filter((measurement) => name === undefined || measurement.name === name)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((measurement) => {
        const series = measurement.inKeyOrder().filter((one) => {
          return matches(one.series, noRow) && (range === undefined || hasRowsIn(one, shards))
        })
        return { measurement, series, shards }
      })
      .filter(({ series }) => series.length > 0)
  }

  names(request: NamesRequest, signal?: AbortSignal): PullStream<readonly string[]> {
    return this.#pages(() => [...new Set(this.#namesOf(request))].sort(compareUtf8), signal)
  }

  #namesOf(request: NamesRequest): string[] {
    const selected = this.#select(request)
    if (request.kind === 'measurements') return selected.map(({ measurement }) => measurement.name)
    const series = selected.flatMap((one) => one.series.map((each) => each.series))
    if (request.kind !== 'tag-values')
      return series.flatMap((one) => one.tags.map(({ key }) => key))
    return series.map((one) => tagOf(one, request.tag)).filter((value) => value !== '')
  }

  fields(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly FieldSchema[]> {
    const { range } = request
    const isAll =
      range === undefined || (range.start <= allTime.start && range.stop >= allTime.stop)
    const find = () =>
      this.#select(request).flatMap(({ measurement, shards }) => {
        const all = measurement.inKeyOrder()
        const isThere = (name: string) => all.some((one) => hasRowsIn(one, shards, name))
        return fieldsOf(measurement).filter(({ name }) => isAll || isThere(name))
      })
    return this.#pages(find, signal)
  }

  series(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly Series[]> {
    const all = () => this.#select(request).flatMap((one) => one.series.map(({ series }) => series))
    return this.#pages(() => all().sort(compareByTags), signal)
  }

  #pages<T>(find: () => readonly T[], signal: AbortSignal | undefined): PullStream<readonly T[]> {
    return new SchemaPages(() => {
      this.#begin(signal)
      return listOf(find())
    }, signal)
  }

  async cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    this.#begin(signal)
    return this.#select(request).reduce((sum, { series }) => sum + series.length, 0)
  }

  async extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    this.#begin(signal)
    const oldest = this.#buckets.get(request.bucket)?.oldest(this.#clock.now()) ?? allTime.start
    const range = request.range ?? allTime
    const start = range.start > oldest ? range.start : oldest
    const all = this.#select({ ...request, range: allTime }).flatMap(({ series }) =>
      series.flatMap(({ rows }) => [...rows.keys()]),
    )
    const times = all
      .filter((time) => holds({ start, stop: range.stop }, time))
      .sort((a, b) => (a < b ? -1 : 1))
    const rowCountMax = times.length
    const isWhole = rowCountMax === all.length
    if (rowCountMax === 0) return { range: undefined, rowCountMax, isWhole }
    return { range: { start: times[0], stop: times[rowCountMax - 1] + 1n }, rowCountMax, isWhole }
  }

  async estimate(request: ReadRequest, signal?: AbortSignal): Promise<ReadEstimate> {
    return estimateByExtent(this, request, signal)
  }

  async shards(id: BucketId, signal?: AbortSignal): Promise<readonly TimeRange[]> {
    this.#begin(signal)
    const all = this.#select({ bucket: id }).flatMap(({ series }) => series)
    const live = this.#buckets.get(id)?.shardsIn(allTime, this.#clock.now()) ?? []
    return live.filter((shard) => all.some((one) => hasRowsIn(one, [shard])))
  }

  async delete(request: DeleteRequest, signal?: AbortSignal): Promise<void> {
    this.#begin(signal)
    const { range, ...of } = request
    for (const { rows } of this.#select(of).flatMap(({ series }) => series)) {
      for (const time of [...rows.keys()]) if (holds(range, time)) rows.delete(time)
    }
    this.#changes.deleted(request)
  }

  async changes(bucket: BucketId, since: bigint, signal?: AbortSignal): Promise<Changes> {
    this.#begin(signal)
    return this.#changes.since(bucket, since)
  }

  async dropBucket(id: BucketId, signal?: AbortSignal): Promise<void> {
    this.#begin(signal)
    this.#buckets.delete(id)
    this.#changes.dropped(id)
  }

  async metrics(): Promise<readonly StoreMetric[]> {
    const points = { name: 'store_points_written_total', help: 'Points stored' }
    return [{ ...points, type: 'counter', value: this.#pointCount }]
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #begin(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new DiskError('memory', 'the store is closed')
  }

  #bucket(id: BucketId): PlainBucket {
    const bucket = this.#buckets.get(id) ?? new PlainBucket()
    this.#buckets.set(id, bucket)
    return bucket
  }
}

function fieldsOf({ name: measurement, fields }: PlainMeasurement): FieldSchema[] {
  const all = Array.from(fields, ([name, type]) => ({ measurement, name, type }))
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}
