// The store on ClickHouse: any number of processes over the same tables. This file joins the parts; what it keeps
// itself is how long buckets keep their points.

import type { Batch } from '../../column/batch.js'
import { allTime } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { DiskError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import { type MaybePromise, type PullStream, streamOf } from '../../platform/pull-stream.js'
import { ChangeLog } from '../change-log.js'
import { estimateByExtent } from '../estimate-by-extent.js'
import { counter, gauge } from '../metrics.js'
import { ReadSequence } from '../read-sequence.js'
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
import type { StoreLog } from '../store-log.js'
import { ChangesSent } from './changes-sent.js'
import { type DeleteParts, deletePoints } from './deletes.js'
import { EmptiedSeries } from './emptied-series.js'
import { statementsOf } from './explained-read.js'
import { Inserts } from './inserts.js'
import { spanRange } from './layout.js'
import { Maintenance } from './maintenance.js'
import { ReadMemory, readMeasurement } from './read.js'
import { type Measurement, Registry, type RegistryStorage } from './registry.js'
import { Schema } from './schema.js'
import { SeriesCache } from './series-cache.js'
import type { Servers } from './servers.js'
import { SpanCache } from './span-cache.js'
import { missingReplicas, Watch } from './watch.js'
import { type WriteParts, writeBatch } from './write.js'

export interface ClickhouseStoreOptions {
  readonly servers: Servers
  readonly registry: RegistryStorage
  readonly clock: Clock
  readonly log: StoreLog
  /** Replicas of a shard that must have a write; 0: those that are there. */
  readonly writeQuorum?: number
}

/** How long writes under way may take when the store is closed. */
const closeMsMax = 15_000

const noSchema: MeasurementSchema = { version: 0, fields: [], tagKeys: [] }

export class ClickhouseStore implements Store {
  readonly #servers: Servers
  readonly #clock: Clock
  readonly #registry: Registry
  readonly #schema: Schema
  readonly #writeParts: WriteParts
  readonly #inserts: Inserts
  readonly #series = new SeriesCache()
  readonly #reads = new ReadMemory()
  readonly #retentions = new Map<BucketId, bigint>()
  readonly #changes: ChangeLog
  readonly maintenance: Maintenance
  readonly #deleteParts: DeleteParts
  readonly #emptied: EmptiedSeries
  readonly #watch: Watch
  readonly #underWay = new Set<Promise<unknown>>()
  #pointCount = 0
  #isClosed = false

  constructor({ servers, registry, clock, log, writeQuorum = 0 }: ClickhouseStoreOptions) {
    this.#servers = servers
    this.#clock = clock
    this.#registry = new Registry(registry)
    this.#changes = new ChangeLog(clock)
    const changes = new ChangesSent(servers, writeQuorum)
    this.#watch = new Watch(servers, changes)
    this.#inserts = new Inserts((shard, sql, body) => changes.insert(shard, sql, body))
    const oldest = (bucket: BucketId) => this.#oldest(bucket)
    this.#schema = new Schema({ servers, registry: this.#registry, oldest })
    this.#writeParts = {
      clock,
      registry: this.#registry,
      series: this.#series,
      spans: new SpanCache(this.#registry),
      inserts: this.#inserts,
      shardCount: servers.shardCount,
      retentionOf: (bucket) => this.#retentions.get(bucket) ?? 0n,
    }
    const retentions = this.#retentions
    this.#deleteParts = { servers, changes }
    this.#emptied = new EmptiedSeries({ servers, changes, registry: this.#registry })
    this.maintenance = new Maintenance({
      ...this.#deleteParts,
      registry: this.#registry,
      emptied: this.#emptied,
      retentions,
      clock,
      log,
    })
  }

  async setBucket(bucket: BucketId, { retentionNs }: BucketSettings): Promise<void> {
    const before = this.#retentions.get(bucket) ?? 0n
    // Points that had expired may be written again, and the index has forgotten their series.
    if (before > 0n && (retentionNs === 0n || retentionNs > before)) {
      this.#series.forget()
      this.#writeParts.spans.forget()
    }
    this.#retentions.set(bucket, retentionNs)
  }

  async write(
    bucket: BucketId,
    batch: WriteBatch,
    signal?: AbortSignal,
    isAtomic = false,
  ): Promise<WriteResult> {
    this.#begin(signal)
    const result = await this.#tracked(writeBatch(this.#writeParts, bucket, batch, isAtomic))
    this.#pointCount += result.writtenCount
    if (result.writtenCount > 0) this.#changes.wrote(bucket, batch)
    return result
  }

  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch> {
    return streamOf(this.#batches(request, signal))
  }

  async *#batches(request: ReadRequest, signal: AbortSignal): AsyncGenerator<Batch, void, void> {
    this.#begin(signal)
    const { bucket, measurement: name } = request
    const oldest = this.#oldest(bucket)
    const read = (found: Measurement, own: AbortSignal) =>
      readMeasurement(this.#servers, found, request, oldest, own, this.#reads)
    const { guess, isRight, found } = this.#registry.guess(bucket, name)
    const guessed = guess === undefined ? undefined : (own: AbortSignal) => read(guess, own)
    const otherwise = async function* () {
      const now = await found
      if (now !== undefined) yield* read(now, signal)
    }
    yield* this.#reads.ahead.read(signal, guessed, isRight, otherwise)
  }

  readSeveral(requests: readonly ReadRequest[], signal: AbortSignal): PullStream<Batch> {
    return new ReadSequence(requests.map((request) => () => this.read(request, signal)))
  }

  async statements(request: ReadRequest, signal: AbortSignal): Promise<readonly string[]> {
    this.#begin(signal)
    const { bucket, measurement: name } = request
    const found = await this.#registry.find(bucket, name)
    if (found === undefined) return []
    return statementsOf(this.#servers, found, request, this.#oldest(bucket), signal)
  }

  prepare(request: PrepareRequest): PreparedRead {
    return { read: (range, signal) => this.read({ ...request, range }, signal) }
  }

  measurementSchema(
    bucket: BucketId,
    name: string,
    signal?: AbortSignal,
  ): MaybePromise<MeasurementSchema> {
    this.#begin(signal)
    const known = this.#registry.current(bucket, name)
    if (known !== undefined) return known?.schema ?? noSchema
    return this.#registry.find(bucket, name).then((found) => found?.schema ?? noSchema)
  }

  schemaVersion(bucket: BucketId, name: string): number | undefined {
    const known = this.#registry.current(bucket, name)
    return known === null ? 0 : known?.schema.version
  }

  names(request: NamesRequest, signal?: AbortSignal): PullStream<readonly string[]> {
    return this.#pages(() => this.#schema.names(request, signal), signal)
  }

  fields(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly FieldSchema[]> {
    return this.#pages(() => this.#schema.fields(request, signal), signal)
  }

  series(request: SchemaRequest, signal?: AbortSignal) {
    return this.#pages(() => this.#schema.series(request, signal), signal)
  }

  #pages<T>(find: () => Promise<readonly T[]>, signal: AbortSignal | undefined) {
    return new SchemaPages(async () => {
      this.#begin(signal)
      return listOf(await find())
    }, signal)
  }

  async cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    this.#begin(signal)
    return this.#schema.cardinality(request, signal)
  }

  async extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    this.#begin(signal)
    return this.#schema.extent(request, signal)
  }

  async estimate(request: ReadRequest, signal?: AbortSignal): Promise<ReadEstimate> {
    return estimateByExtent(this, request, signal)
  }

  async shards(bucket: BucketId, signal?: AbortSignal) {
    this.#begin(signal)
    return this.#schema.shards(bucket)
  }

  async delete(request: DeleteRequest, signal?: AbortSignal): Promise<void> {
    this.#begin(signal)
    const { bucket, measurement } = request
    const measurements =
      measurement === undefined
        ? await this.#registry.all(bucket)
        : [await this.#registry.find(bucket, measurement)].filter((one) => one !== undefined)
    const { range, predicate } = request
    const isWhole = range.start <= allTime.start && range.stop >= allTime.stop
    if (isWhole && predicate === undefined) {
      // At once, however many points there are; whoever is writing now begins anew.
      const numbers = measurements.map(({ number }) => number)
      if (numbers.length > 0) await this.#registry.retire(bucket, numbers)
    } else await this.#tracked(this.#deletePart(measurements, request, signal))
    this.#changes.deleted(request)
  }

  /** What it empties leaves the index with it; where that fails, by the next round of maintenance. */
  async #deletePart(
    measurements: readonly Measurement[],
    request: DeleteRequest,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { bucket, range } = request
    const { storage } = this.#registry
    const numbers = measurements.map(({ number }) => number)
    await storage.noteDelete(bucket, numbers)
    await deletePoints(this.#deleteParts, measurements, request, signal)
    await this.#emptied.leave(bucket, measurements, ({ spanClass }, span) => {
      const own = spanRange(BigInt(span), spanClass)
      return own.start < range.stop && own.stop > range.start
    })
    await storage.forgetDeletes(numbers, 1)
  }

  async changes(bucket: BucketId, since: bigint, signal?: AbortSignal): Promise<Changes> {
    this.#begin(signal)
    return this.#changes.since(bucket, since)
  }

  async dropBucket(bucket: BucketId, signal?: AbortSignal): Promise<void> {
    this.#begin(signal)
    await this.#registry.retire(bucket)
    this.#retentions.delete(bucket)
    this.#changes.dropped(bucket)
  }

  async metrics(): Promise<readonly StoreMetric[]> {
    const all = missingReplicas(this.#servers)
    const missing = all.reduce((sum, { wanted, whole }) => sum + wanted - whole, 0)
    return [
      counter('store_points_written_total', 'Points stored', this.#pointCount),
      counter('store_inserts_total', 'Inserts sent to ClickHouse', this.#inserts.sentCount),
      gauge('store_cached_series', 'Series whose numbers are cached', this.#series.entryCount),
      counter('store_statements_total', 'Statements sent to ClickHouse', this.#servers.sentCount),
      gauge('store_replicas_missing', 'Replicas that do not have all points', missing),
    ]
  }

  /** Every shard: points of a series lie on one of them. */
  async reach(signal?: AbortSignal): Promise<void> {
    this.#begin(signal)
    await this.#servers.rowsOfAll('SELECT 1 AS c', ['UInt8'], signal)
  }

  /** What the operator should mend, while everything is served. */
  weakness(): readonly string[] {
    return missingReplicas(this.#servers).map(({ shard, wanted, whole }) => {
      return `shard ${shard + 1} of the store: ${whole} of ${wanted} replicas have all points`
    })
  }

  /** What happens by itself, from now on. */
  async start(): Promise<void> {
    this.maintenance.start()
    await this.#watch.start()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.maintenance.stop()
    const settled = Promise.allSettled(this.#underWay)
    // Writes may finish, but nobody waits for ever for a server that has lost their connection.
    const late = setTimeout(() => this.#servers.breakOff(), closeMsMax)
    await settled
    clearTimeout(late)
    await this.#watch.stop()
    await this.#servers.close()
  }

  #oldest(bucket: BucketId): bigint {
    const retentionNs = this.#retentions.get(bucket) ?? 0n
    return retentionNs === 0n ? allTime.start : this.#clock.now() - retentionNs
  }

  #begin(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new DiskError('ClickHouse', 'the store is closed')
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }
}
