// The embedded engine: waist 1 on a folder of files. This file joins the parts and owns their life:
// a write goes through admission and the commit queue into the log and the memtables; full
// memtables are frozen and flushed; segments are compacted; expired shards are dropped; reads see a
// snapshot of all of it. length: every call of the waist is joined to its parts here.

import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import type { Batch } from '../../column/batch.js'
import type { Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { type CorruptionError, DiskError, UserError } from '../../errors.js'
import { BackgroundPace } from '../../platform/background-turns.js'
import type { Clock } from '../../platform/clock.js'
import type { Disk } from '../../platform/disk.js'
import type { PullStream } from '../../platform/pull-stream.js'
import { foresee } from '../../platform/run-turns.js'
import { threadStarter } from '../../platform/start-thread.js'
import { ChangeLog } from '../change-log.js'
import { counter, gauge } from '../metrics.js'
import { ReadSequence } from '../read-sequence.js'
import type {
  BucketId,
  BucketSettings,
  Changes,
  DamagedPlace,
  DeleteRequest,
  Extent,
  FieldSchema,
  FrozenStore,
  HandedRead,
  MeasurementSchema,
  NamesRequest,
  PreparedRead,
  PrepareRequest,
  ReadEstimate,
  ReadRequest,
  SchemaRequest,
  Store,
  StoreMetric,
} from '../store.js'
import type { StoreLog } from '../store-log.js'
import { LogArchive } from './archive/log-archive.js'
import type { ArchiveTarget, BucketNumbering } from './archive/replay-archive.js'
import type { Bucket, Shard } from './bucket/bucket.js'
import { Generation } from './bucket/generation.js'
import { acquireSnapshot, inTurnsOn, releaseSnapshot, type Snapshot } from './bucket/snapshot.js'
import { requireKernels } from './encoding/codec.js'
import { asDamage } from './files/damage.js'
import { walPath } from './files/filenames.js'
import type { Tombstone } from './files/manifest.js'
import { InlineJobs, type Jobs, WorkerJobs } from './jobs/jobs.js'
import { IndexRewrites } from './maintenance/index-rewrite.js'
import { Maintenance } from './maintenance/maintenance.js'
import { type ScrubbedLog, Scrubber } from './maintenance/scrub.js'
import { defaultEngineLimits, type EngineLimits } from './options/limits.js'
import { GroupedRead } from './read/grouped-read.js'
import { type OpenedRead, OpenRead } from './read/open-read.js'
import { PreparedRequest, type RangedRead } from './read/prepared-request.js'
import { SeriesGroups } from './read/series-groups.js'
import { BufferPool } from './rows/buffer-pool.js'
import { describeRead } from './scan/handed-read.js'
import { InlinePort, WorkerPort } from './scan/scan-ports.js'
import { Scans } from './scan/scans.js'
import { mayHaveRows } from './schema/liveness.js'
import { measurementSchema } from './schema/schema.js'
import { SchemaQuestions } from './schema/schema-questions.js'
import { BlockCache } from './segment/block-cache.js'
import type { Damages } from './structure/damages.js'
import { freezeFiles } from './structure/frozen-files.js'
import { type Recovered, recover } from './structure/recovery.js'
import { ReservedSpace } from './structure/reserved-space.js'
import type { SetAside } from './structure/set-aside.js'
import type { Structure } from './structure/structure.js'
import type { WalNote } from './wal/note.js'
import { WalWriter } from './wal/writer.js'
import { type AdmittedTable, Admitter } from './write/admission.js'
import { CommitQueue } from './write/commit-queue.js'
import { Growth } from './write/growth.js'
import { piecesOf, RoundGrowth } from './write/round-growth.js'

export interface EngineOptions {
  readonly disk: Disk
  readonly folder: string
  readonly clock: Clock
  /** `workers` needs the real disk: a worker cannot see a simulated one. */
  readonly jobs: 'inline' | 'workers'
  readonly limits?: Partial<EngineLimits>
  readonly log?: StoreLog
  /** A folder that logs are copied into before they are removed. */
  readonly walArchive?: string | undefined
}

export interface Engine extends Store {
  /** Everything written so far is in segments when resolved. */
  flush(): Promise<void>
  /** Merges until nothing is left to merge. */
  compact(): Promise<void>
  /** Series without rows, of which there may be some, leave the index at once. */
  forgetSeries(): Promise<void>
}

/** Threads that run job-worker.ts. */
const startJobThread = threadStarter('job-worker')

export async function openEngine(options: EngineOptions): Promise<Engine & ArchiveTarget> {
  requireKernels()
  const log: StoreLog = options.log ?? (() => undefined)
  // Run from its TypeScript sources, as tests do, there is no compiled worker to start.
  const threads = options.jobs === 'workers' && !import.meta.url.endsWith('.ts')
  const limits = { ...defaultEngineLimits, ...options.limits }
  const buffers = new BufferPool({ shared: threads, spareBytesMax: 1.25 * limits.memtableBytesMax })
  const blocks = new BlockCache(limits.blockCacheBytesMax)
  const { disk, folder, walArchive } = options
  const archive =
    walArchive === undefined ? undefined : new LogArchive(disk, folder, walArchive, log)
  const recovered = await recover(disk, folder, {
    shared: threads,
    blocks,
    buffers,
    limits,
    log,
    archive,
  })
  const jobs = threads ? new WorkerJobs(startJobThread) : new InlineJobs(options.disk)
  const scans = makeScans(options, limits, threads)
  const hasThreads = threads
  const made = { options, limits, buffers, blocks, recovered, jobs, scans }
  return EmbeddedEngine.start({ ...made, hasThreads, log, archive })
}

/** Without threads a shared read gains nothing: it is shared all the same where that is asked for, by tests. */
function makeScans(options: EngineOptions, limits: EngineLimits, threads: boolean): Scans {
  const valuesMin = limits.scanValuesMin
  const { clock, disk } = options
  if (threads) {
    const threadCount = Math.min(availableParallelism(), limits.scanThreadsMax)
    return new Scans({
      threadCount,
      valuesMin,
      clock,
      makePort: (listener) => new WorkerPort(listener, startJobThread),
    })
  }
  const threadCount = options.limits?.scanThreadsMax ?? 0
  return new Scans({
    threadCount,
    valuesMin,
    clock,
    makePort: (listener) => new InlinePort(disk, listener),
  })
}

interface EngineParts {
  readonly options: EngineOptions
  readonly limits: EngineLimits
  readonly buffers: BufferPool
  readonly blocks: BlockCache
  readonly recovered: Recovered
  readonly jobs: Jobs
  readonly scans: Scans
  readonly hasThreads: boolean
  readonly log: StoreLog
  readonly archive: LogArchive | undefined
}

class EmbeddedEngine implements Engine, ArchiveTarget {
  readonly #disk: Disk
  readonly #root: string
  readonly #clock: Clock
  readonly #changes: ChangeLog
  readonly #limits: EngineLimits
  readonly #buffers: BufferPool
  readonly #blocks: BlockCache
  readonly #structure: Structure
  readonly #jobs: Jobs
  readonly #scans: Scans
  readonly #queue: CommitQueue
  readonly #maintenance: Maintenance
  readonly #rewrites: IndexRewrites
  readonly #scrubber: Scrubber
  /** Of buckets that were written to. */
  readonly #admitters = new Map<Bucket, Admitter>()
  readonly #growth: Growth
  /** Of every bucket that was set: one that nothing was written to costs no more than this (of 5 kB with an index). */
  readonly #settings = new Map<BucketId, BucketSettings>()
  readonly #schema = new SchemaQuestions((request) => this.#schemaSnapshot(request))
  readonly #damagedWals: Set<number>
  /** Of logs from before the start: where each ends. */
  readonly #oldWalEnds: ReadonlyMap<number, number>
  readonly #damages: Damages
  readonly #aside: SetAside
  readonly #reserve: ReservedSpace
  readonly #archive: LogArchive | undefined
  /** Logs that nobody needs but the archive, which did not take them yet. */
  readonly #unarchived: number[] = []
  /** Undefined without threads: tests want the same order of things each time. */
  readonly #background: BackgroundPace | undefined
  /** Undefined: the disk takes no new one yet. */
  #wal: WalWriter | undefined
  /** The last one that there was: where the next stands in the chain. */
  readonly #lastWal: { readonly number: number; readonly end: number }
  /** WAL files that hold rows of `#active`. */
  #walNumbers: number[]
  #active: Generation
  #frozen: Generation | undefined
  /** The two, older first. Replaced as a whole: a read keeps the list it began with. */
  #generations: readonly Generation[]
  #closed: Promise<void> | undefined
  readonly #underWay = new Set<Promise<void>>()
  #writeCount = 0
  #pointCount = 0
  #rejectedCount = 0
  #readCount = 0
  #schemaVersion = 0
  readonly #nextSchemaVersion = () => ++this.#schemaVersion
  #preparedReadCount = 0
  #walSyncCount = 0

  static async start(parts: EngineParts): Promise<EmbeddedEngine> {
    const engine = new EmbeddedEngine(parts)
    try {
      await engine.#beginWal()
    } catch (error) {
      // Reads need no log; the next write tries again.
      if (!(error instanceof DiskError)) throw error
      parts.log('error', `the disk takes no writes: ${error.message}`)
    }
    void engine.#reserve.take()
    return engine
  }

  /** The manifest names it, and need not name logs without rows any more, as every clean stop leaves one. */
  async #beginWal(): Promise<void> {
    const before = this.#walNumbers
    const wal = await this.#newWal()
    this.#wal = wal
    this.#walNumbers = [...before, wal.number]
    const isEmpty = this.#active.isEmpty
    await this.#structure.edit(() => (isEmpty ? { walFloor: wal.number } : {}))
    if (!isEmpty) return
    this.#walNumbers = [wal.number]
    await this.#removeWals(before)
  }

  async #newWal(): Promise<WalWriter> {
    const number = this.#structure.takeNumber()
    const { number: before, end: beforeEnd } =
      this.#wal === undefined
        ? this.#lastWal
        : { number: this.#wal.number, end: this.#wal.byteLength }
    const start = { before, beforeEnd, manifest: this.#structure.number }
    const now = this.#archive === undefined ? undefined : () => this.#clock.now()
    const wal = await WalWriter.create(this.#disk, this.#root, number, start, now)
    this.#structure.newestWal = number
    return wal
  }

  private constructor(parts: EngineParts) {
    const { options, limits, recovered, jobs, log } = parts
    this.#disk = options.disk
    this.#root = options.folder
    this.#clock = options.clock
    this.#changes = new ChangeLog(options.clock)
    this.#archive = parts.archive
    this.#limits = limits
    this.#buffers = parts.buffers
    this.#blocks = parts.blocks
    this.#structure = recovered.structure
    this.#jobs = jobs
    this.#scans = parts.scans
    this.#walNumbers = [...recovered.walNumbers]
    this.#lastWal = recovered.lastWal
    this.#damagedWals = recovered.damagedWals
    this.#oldWalEnds = recovered.walEnds
    this.#damages = recovered.damages
    this.#aside = recovered.aside
    this.#active = recovered.generation
    this.#generations = [this.#active]
    this.#growth = new Growth(limits, () => this.#structure.buckets.values())
    this.#background = parts.hasThreads ? new BackgroundPace() : undefined
    this.#reserve = new ReservedSpace({
      disk: options.disk,
      root: options.folder,
      byteLength: limits.reservedBytes,
      // A delete is preceded by a flush, and two generations may wait for one.
      fullByteLength: 2 * limits.memtableBytesMax,
      memoryBytes: () => this.#generations.reduce((sum, { byteLength }) => sum + byteLength, 0),
      retryMs: limits.reserveRetryMs,
      log,
    })
    this.#queue = new CommitQueue(
      {
        makeRoom: (tables) => this.#makeRoom(tables),
        roundLength: (writes) => this.#roundLength(writes),
        append: async (records) => {
          // Made, where there was none, before the round.
          await this.#wal!.append(records)
          this.#walSyncCount++
        },
        apply: (bucket, tables) => this.#apply(bucket, tables),
      },
      limits.queuedBytesMax,
    )
    this.#scrubber = this.#makeScrubber(log)
    this.#rewrites = this.#makeRewrites(log)
    this.#maintenance = new Maintenance({
      disk: options.disk,
      root: options.folder,
      clock: options.clock,
      limits: this.#limits,
      structure: this.#structure,
      jobs,
      log,
      flush: () => this.flush(),
      makeRoom: (error) => this.#reserve.release(error),
      activeBytes: () => this.#active.byteLength,
      isWritten: (shard) => this.#hasRows(shard),
      forgetSeries: () => this.#rewrites.run(),
      scrub: () => this.#scrubber.begin(),
    })
  }

  #makeScrubber(log: StoreLog): Scrubber {
    return new Scrubber({
      structure: this.#structure,
      log,
      bytesPerSecond: this.#limits.scrubBytesPerSecond,
      everyMs: this.#limits.scrubEveryMs,
      damaged: (bucket, measurement, error) => this.#noteDamageOf(bucket, error, measurement),
      disk: this.#disk,
      logs: () => this.#scrubbedLogs(log),
    })
  }

  #scrubbedLogs(log: StoreLog): ScrubbedLog[] {
    const logs: ScrubbedLog[] = [...this.#structure.buckets.values()].map((bucket) => {
      const { log: index } = bucket
      const isNeeded = () => bucket.log === index && !bucket.isDropped
      const damaged = (error: CorruptionError) => this.#noteDamageOf(bucket, error)
      return { path: index.path, byteLength: index.byteLength, isNeeded, damaged }
    })
    const damaged = (error: CorruptionError) => {
      this.#damages.note(error)
      // Its points are in memory still: once they are in segments nobody needs the log any more.
      this.flush().catch((failure: Error) => log('error', failure.message))
    }
    for (const number of this.#walNumbers) {
      const isNow = number === this.#wal?.number
      const byteLength = isNow ? this.#wal?.byteLength : this.#oldWalEnds.get(number)
      // What was found at the start was told then.
      if (byteLength === undefined || this.#damagedWals.has(number)) continue
      const isNeeded = () => this.#walNumbers.includes(number)
      logs.push({ path: walPath(this.#root, number), byteLength, isNeeded, damaged })
    }
    return logs
  }

  #makeRewrites(log: StoreLog): IndexRewrites {
    return new IndexRewrites({
      structure: this.#structure,
      log,
      generations: () => this.#generations,
      markQueued: (bucket, marks) => this.#queue.markSeries(bucket, marks),
      whenFlushed: (action) => this.#queue.between(() => this.#whenFlushed(action)),
      breathe: () => this.#background?.breathe(),
      damaged: (bucket, measurement, error) => this.#noteDamageOf(bucket, error, measurement),
      replaced: (bucket) => this.#indexReplaced(bucket),
    })
  }

  async setBucket(bucket: BucketId, settings: BucketSettings): Promise<void> {
    checkBucketId(bucket)
    if (this.#structure.damagedBuckets.has(bucket)) return
    this.#settings.set(bucket, settings)
    const known = this.#structure.buckets.get(bucket)
    if (known !== undefined) known.settings = settings
  }

  #mustBeReadable(id: BucketId): void {
    const damaged = this.#structure.damagedBuckets.get(id)
    if (damaged !== undefined) throw damaged.error
  }

  #bucket(id: BucketId): Bucket {
    this.#mustBeReadable(id)
    return this.#structure.buckets.get(id) ?? this.#makeBucket(id)
  }

  #makeBucket(id: BucketId): Bucket {
    checkBucketId(id)
    const bucket = this.#structure.makeBucket(id)
    bucket.settings = this.#settings.get(id) ?? bucket.settings
    return bucket
  }

  async write(bucketId: BucketId, batch: WriteBatch, signal?: AbortSignal, isAtomic = false) {
    signal?.throwIfAborted()
    this.#mustBeOpen()
    this.#queue.checkRoom()
    this.#reserve.checkWrite()
    this.#maintenance.checkFlushes(this.#active.byteLength)
    let bucket = this.#bucket(bucketId)
    while (bucket.gate !== undefined) {
      await bucket.gate
      this.#mustBeOpen()
      bucket = this.#bucket(bucketId)
    }
    let admitter = this.#admitters.get(bucket)
    if (admitter === undefined) {
      admitter = new Admitter(
        bucket,
        this.#limits,
        this.#growth,
        (measurement) =>
          this.#queue.holds(bucket, measurement.id) ||
          mayHaveRows(this.#snapshot(bucket, allTime), measurement),
      )
      this.#admitters.set(bucket, admitter)
    }
    const { tables, result } = admitter.admit(batch, this.#clock.now(), isAtomic)
    const pieces = piecesOf(tables, this.#limits.memtableBytesMax / 4)
    await this.#queue.commit(bucket, pieces)
    if (result.writtenCount > 0) this.#changes.wrote(bucketId, batch)
    this.#writeCount++
    this.#pointCount += result.writtenCount
    this.#rejectedCount += result.rejectedCount
    return result
  }

  #apply(bucket: Bucket, tables: readonly AdmittedTable[]): void {
    // A bucket that was dropped meanwhile takes its writes with it.
    if (this.#structure.buckets.get(bucket.id) !== bucket) return
    for (const { shard, table } of tables) {
      // A shard that expired meanwhile is no longer listed: its rows would never be seen again.
      if (bucket.shards.includes(shard)) this.#active.append(bucket, shard, table)
    }
    this.#reserve.follow()
  }

  /** Before each round of the commit queue: a full generation is frozen; an unfinished flush is waited for. */
  async #makeRoom(tables: readonly AdmittedTable[]): Promise<void> {
    await this.#structure.makeSure()
    if (this.#wal === undefined) await this.#beginWal()
    const isFull = this.#active.byteLength >= this.#limits.memtableBytesMax
    if (!isFull && !this.#growsTooMuch(tables)) return
    if (this.#frozen !== undefined) await this.#maintenance.flushAttempt()
    if (this.#frozen === undefined) await this.#freeze()
    else this.#maintenance.checkFlushes(this.#active.byteLength)
  }

  /** Rows that would take far less memory in a generation of their own, where they take much in this one. */
  #growsTooMuch(tables: readonly AdmittedTable[]): boolean {
    const here = new RoundGrowth(this.#active)
    here.add(tables)
    if (here.byteLength <= this.#limits.memtableBytesMax) return false
    const alone = new RoundGrowth()
    alone.add(tables)
    return here.byteLength > alone.byteLength * 2
  }

  #roundLength(writes: readonly (readonly AdmittedTable[])[]): number {
    const growth = new RoundGrowth(this.#active)
    let count = 0
    for (const tables of writes) {
      growth.add(tables)
      if (count > 0 && growth.byteLength > this.#limits.memtableBytesMax) break
      count++
    }
    return count
  }

  /** Runs between two rounds of the commit queue only: nothing is half way through the log. */
  async #freeze(): Promise<void> {
    if (this.#active.isEmpty) return
    const wal = await this.#newWal()
    const { number } = wal
    const walNumbers = this.#walNumbers
    const frozen = this.#active
    await this.#wal?.end(number)
    this.#wal = wal
    this.#walNumbers = [number]
    this.#frozen = frozen
    this.#active = new Generation(this.#buffers, this.#limits, frozen.rowCounts())
    this.#generations = [frozen, this.#active]
    this.#maintenance.startFlush(frozen, number, async () => {
      this.#frozen = undefined
      this.#generations = [this.#active]
      frozen.retire()
      await this.#removeWals(walNumbers)
    })
  }

  /**
   * A file that cannot be removed now is removed at the next start: the manifest no longer counts it. One that cannot
   * be archived stays, and is tried again with the next.
   */
  async #removeWals(numbers: readonly number[]): Promise<void> {
    for (const number of [...this.#unarchived.splice(0), ...numbers]) {
      const path = walPath(this.#root, number)
      const isWhole = !this.#damagedWals.has(number)
      if (isWhole && (await this.#archive?.keep(basename(path))) === false) {
        this.#unarchived.push(number)
        continue
      }
      const gone = this.#damagedWals.delete(number)
        ? this.#aside.take(path.slice(this.#root.length + 1), 'the log is damaged')
        : this.#disk.remove(path)
      await gone.catch(() => undefined)
    }
  }

  async flush(): Promise<void> {
    this.#mustBeOpen()
    await this.#seenThrough(this.#flushAll())
  }

  /** `note`: for an archive, behind everything that was written so far. */
  async #flushAll(note?: WalNote): Promise<void> {
    if (this.#frozen !== undefined) await this.#maintenance.flushed()
    await this.#queue.between(async () => {
      await this.#freezeNext()
      if (note !== undefined) await this.#wal?.note(note)
    })
    if (this.#frozen !== undefined) await this.#maintenance.flushed()
  }

  /** A round before this one may have frozen a generation: one flush at a time, in their order. */
  async #freezeNext(): Promise<void> {
    if (this.#frozen !== undefined) await this.#maintenance.flushed()
    await this.#freeze()
  }

  /** What `close` has to wait for: it would go on changing files otherwise. */
  async #seenThrough(work: Promise<void>): Promise<void> {
    this.#underWay.add(work)
    try {
      await work
    } finally {
      this.#underWay.delete(work)
    }
  }

  async compact(): Promise<void> {
    this.#mustBeOpen()
    await this.#maintenance.compactAll()
  }

  #hasRows(shard: Shard): boolean {
    return this.#generations.some((g) =>
      Array.from(g.entries()).some((entry) => entry.shard === shard),
    )
  }

  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch> {
    return this.#read(new PreparedRequest(request, 0), request.range, signal)
  }

  readSeveral(requests: readonly ReadRequest[], signal: AbortSignal): PullStream<Batch> {
    return new ReadSequence(requests.map((request) => () => this.read(request, signal)))
  }

  prepare(request: PrepareRequest): PreparedRead {
    const prepared = new PreparedRequest(request, this.#limits.preparedSeriesMax)
    return { read: (range, signal) => this.#read(prepared, range, signal) }
  }

  #read(prepared: PreparedRequest, range: TimeRange, signal: AbortSignal): PullStream<Batch> {
    return new OpenRead(
      () => this.#openRead(prepared, range, signal),
      (error) => this.#noteDamage(error, prepared.request, range),
    )
  }

  /** For the operator: what of whose points cannot be read. */
  #noteDamage(error: unknown, request: PrepareRequest, range: TimeRange): void {
    const damage = asDamage(error)
    if (damage === undefined) return
    const { bucket, measurement } = request
    const name = measurement === undefined ? {} : { measurement }
    this.#damages.note(damage, {
      bucket,
      ...name,
      range: this.#structure.rangeOf(bucket, damage.file) ?? range,
    })
  }

  #openRead(
    prepared: PreparedRequest,
    range: TimeRange,
    signal: AbortSignal,
  ): OpenedRead | undefined {
    const read = this.#beginRead(prepared, range)
    if (read === undefined) return undefined
    const held = { shards: read.views, generations: this.#generations }
    const input = read.input(held.generations)
    foresee(signal, () => this.#scans.cost(read, input))
    const series = this.#scans.read(read, input, signal)
    const { grouping, measurement } = read
    const batches =
      grouping === undefined
        ? series
        : new GroupedRead(grouping, new SeriesGroups(measurement, grouping.tags), range, series)
    acquireSnapshot(held)
    return { batches, release: () => releaseSnapshot(held) }
  }

  handOver(request: ReadRequest): HandedRead | undefined {
    const { range } = request
    const read = this.#beginRead(new PreparedRequest(request, 0), range)
    if (read === undefined) return undefined
    const held = { shards: read.views, generations: this.#generations }
    const { sources } = read.input(held.generations)
    const job = describeRead(read, sources, range, this.#clock.now())
    acquireSnapshot(held)
    return {
      job,
      release: (error) => {
        if (error !== undefined) this.#noteDamage(error, request, range)
        return releaseSnapshot(held)
      },
    }
  }

  /** Undefined: there is nothing to be read. */
  #beginRead(prepared: PreparedRequest, range: TimeRange): RangedRead | undefined {
    this.#mustBeOpen()
    this.#readCount++
    const { bucket: id } = prepared.request
    this.#mustBeReadable(id)
    const bucket = this.#structure.buckets.get(id)
    if (bucket === undefined || range.start >= range.stop) return undefined
    return this.#ranged(prepared, bucket, range)
  }

  #ranged(prepared: PreparedRequest, bucket: Bucket, range: TimeRange): RangedRead | undefined {
    const last = prepared.last(bucket, range, this.#oldest(bucket))
    if (last !== undefined) {
      this.#preparedReadCount++
      return last
    }
    const snapshot = this.#snapshot(bucket, range)
    this.#mustBeWhole(snapshot, range)
    return prepared.at(snapshot, range)
  }

  measurementSchema(id: BucketId, measurement: string): MeasurementSchema {
    this.#mustBeOpen()
    this.#mustBeReadable(id)
    const { index } = this.#structure.buckets.get(id) ?? {}
    return measurementSchema(index?.measurement(measurement), this.#nextSchemaVersion)
  }

  schemaVersion(bucket: BucketId, measurement: string): number {
    return this.measurementSchema(bucket, measurement).version
  }

  names(request: NamesRequest, signal?: AbortSignal): PullStream<readonly string[]> {
    return this.#schema.names(request, signal)
  }

  fields(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly FieldSchema[]> {
    return this.#schema.fields(request, signal)
  }

  series(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly Series[]> {
    return this.#schema.series(request, signal)
  }

  cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    return this.#schema.cardinality(request, signal)
  }

  extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    return this.#schema.extent(request, signal)
  }

  async estimate(request: ReadRequest, signal?: AbortSignal): Promise<ReadEstimate> {
    signal?.throwIfAborted()
    const { bucket, range } = request
    const snapshot = this.#schemaSnapshot({ bucket, range })
    const isEmpty = range.start >= range.stop
    const read = isEmpty ? undefined : new PreparedRequest(request, 0).at(snapshot, range)
    if (read === undefined) return { valueCount: 0, storedBytes: 0, isShared: false }
    const input = read.input(snapshot.generations)
    return inTurnsOn(snapshot, this.#scans.estimate(read, input), signal)
  }

  shards(bucket: BucketId, signal?: AbortSignal): Promise<readonly TimeRange[]> {
    return this.#schema.shards(bucket, signal)
  }

  async changes(bucket: BucketId, since: bigint, signal?: AbortSignal): Promise<Changes> {
    signal?.throwIfAborted()
    this.#mustBeOpen()
    return this.#changes.since(bucket, since)
  }

  #schemaSnapshot({ bucket, range }: SchemaRequest): Snapshot {
    this.#mustBeOpen()
    const snapshot = this.#snapshot(this.#bucket(bucket), range ?? allTime)
    // Without a range the index answers alone: damaged segments are none of its business.
    if (range !== undefined) this.#mustBeWhole(snapshot, range)
    return snapshot
  }

  /** Points before this moment have expired. */
  #oldest(bucket: Bucket): bigint {
    const { retentionNs } = bucket.settings
    return retentionNs === 0n ? allTime.start : this.#clock.now() - retentionNs
  }

  #snapshot(bucket: Bucket, range: { start: bigint; stop: bigint }): Snapshot {
    const oldest = this.#oldest(bucket)
    const shards = bucket.shards.filter(
      (shard) => shard.start < range.stop && shard.stop > range.start && shard.stop > oldest,
    )
    return {
      bucket,
      index: bucket.index,
      shards: shards.map((shard) => ({ shard, segments: shard.segments })),
      generations: this.#generations,
      oldest,
    }
  }

  /** Better no answer than one that leaves out the rows of a segment that could not be opened. */
  #mustBeWhole({ shards }: Snapshot, range: TimeRange): void {
    for (const { shard } of shards) {
      for (const { entry, error } of shard.lost) {
        if (entry.minTime < range.stop && entry.maxTime >= range.start) throw error
      }
    }
  }

  async delete(request: DeleteRequest, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.#mustBeOpen()
    this.#mustBeReadable(request.bucket)
    const bucket = this.#structure.buckets.get(request.bucket)
    if (bucket === undefined) return
    await this.#seenThrough(this.#evenWhenFull(() => this.#delete(bucket, request)))
  }

  /** What gives room back may use what was kept for that. Done twice it is the same. */
  async #evenWhenFull(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(await this.#reserve.release(error))) throw error
      await work()
    }
  }

  async #delete(bucket: Bucket, request: DeleteRequest): Promise<void> {
    // Everything written so far goes into segments; the tombstone is on those, and later points are safe from it.
    await this.#flushAll({ kind: 'delete', request })
    const { range, measurement, predicate } = request
    const tombstone: Tombstone = {
      start: range.start,
      stop: range.stop,
      ...(measurement === undefined ? {} : { measurement }),
      ...(predicate === undefined ? {} : { predicate }),
    }
    await this.#maintenance.addTombstone(bucket, tombstone)
    this.#changes.deleted(request)
    bucket.losses++
  }

  async dropBucket(id: BucketId, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.#mustBeOpen()
    this.#changes.dropped(id)
    this.#settings.delete(id)
    if (this.#structure.damagedBuckets.has(id)) {
      await this.#seenThrough(this.#structure.edit(() => ({ droppedDamagedBucket: id })))
    }
    const bucket = this.#structure.buckets.get(id)
    if (bucket === undefined) return
    const drop = () => this.#queue.between(() => this.#drop(bucket))
    await this.#seenThrough(this.#evenWhenFull(drop))
  }

  /**
   * Runs between two rounds of the commit queue, as a whole: no log file that can be replayed knows the bucket
   * afterwards, and no flush of a new bucket with the same name meets the removal of the old one's files.
   */
  async #drop(bucket: Bucket): Promise<void> {
    if (this.#structure.buckets.get(bucket.id) !== bucket) return
    await this.#whenFlushed(async () => {
      await this.#wal?.note({ kind: 'drop', bucket: bucket.id })
      await this.#structure.edit(() => ({ droppedBucket: bucket }))
    })
    this.#admitters.delete(bucket)
  }

  /** Within what runs between two rounds of the commit queue: memtables and log are empty for the action. */
  async #whenFlushed(action: () => Promise<void>): Promise<void> {
    await this.#freezeNext()
    if (this.#frozen !== undefined) await this.#maintenance.flushed()
    await action()
  }

  async forgetSeries(): Promise<void> {
    this.#mustBeOpen()
    await this.#seenThrough(this.#rewrites.run(true))
  }

  /** Reads that began before keep the old index: rows to come, whose series it may not know, must not reach them. */
  #indexReplaced(bucket: Bucket): void {
    this.#admitters.delete(bucket)
    this.#active = new Generation(this.#buffers, this.#limits, this.#active.rowCounts())
    this.#generations = [this.#active]
  }

  #noteDamageOf({ id }: Bucket, error: CorruptionError, measurement?: string): void {
    const range = this.#structure.rangeOf(id, error.file) ?? allTime
    const name = measurement === undefined ? {} : { measurement }
    this.#damages.note(error, { bucket: id, ...name, range })
  }

  numbering(id: BucketId): BucketNumbering | undefined {
    const index = this.#structure.buckets.get(id)?.index
    if (index === undefined) return undefined
    const fields = index.measurements.flatMap(({ id: measurementId, fields: ofOne }) =>
      ofOne.map((field) => ({ measurementId, ...field })),
    )
    const { next: count, fieldCount } = index
    return { count, key: (series) => index.key(series), fields, fieldCount }
  }

  freeze(buckets?: ReadonlySet<BucketId>): Promise<FrozenStore> {
    this.#mustBeOpen()
    return this.#queue.between(() =>
      this.#structure.between((manifest) =>
        freezeFiles({
          disk: this.#disk,
          root: this.#root,
          at: this.#clock.now(),
          manifest,
          structure: this.#structure,
          buckets,
          wal: this.#wal && { number: this.#wal.number, byteLength: this.#wal.byteLength },
        }),
      ),
    )
  }

  #memtableBytes(): number {
    return this.#active.byteLength + (this.#frozen?.byteLength ?? 0)
  }

  async metrics(): Promise<readonly StoreMetric[]> {
    return [
      counter('store_writes_total', 'Write batches stored', this.#writeCount),
      counter('store_points_written_total', 'Points stored', this.#pointCount),
      counter('store_points_rejected_total', 'Points refused', this.#rejectedCount),
      counter('store_reads_total', 'Reads begun', this.#readCount),
      counter('store_prepared_reads_total', 'Reads prepared before', this.#preparedReadCount),
      counter('store_scans_total', 'Reads shared by several threads', this.#scans.count),
      counter('store_wal_syncs_total', 'Group commits made durable', this.#walSyncCount),
      gauge('store_wal_bytes', 'Size of the current log file', this.#wal?.byteLength ?? 0),
      gauge('store_wal_queued_bytes', 'Writes waiting for the log', this.#queue.queuedBytes),
      gauge('store_memtable_bytes', 'Rows not flushed yet', this.#memtableBytes()),
      gauge('store_spare_bytes', 'Memory kept for the next memtables', this.#buffers.spareBytes),
      gauge('store_kept_block_bytes', 'Decoded blocks kept for reads', this.#blocks.byteLength),
      gauge('store_reserved_bytes', 'Room kept for a full disk', this.#reserve.byteLength),
      gauge('store_damaged_places', 'Places found damaged', this.#damages.count),
      counter(
        'store_forgotten_series_total',
        'Series that have left',
        this.#rewrites.forgottenCount,
      ),
      ...this.#structure.metrics(),
      ...this.#maintenance.metrics(),
      ...this.#scrubber.metrics(),
    ]
  }

  bucketIds(): readonly BucketId[] {
    const { buckets, damagedBuckets } = this.#structure
    const held = [...buckets.values()].filter(({ index }) => index.size > 0)
    return [...held.map(({ id }) => id), ...damagedBuckets.keys()]
  }

  damage(): readonly DamagedPlace[] {
    return this.#damages.places
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#scans.close(new DiskError(this.#root, 'the store is closed'))
    await this.#scrubber.stop()
    await this.#rewrites.stop()
    await Promise.allSettled(this.#underWay)
    await this.#queue.drained()
    this.#maintenance.stop()
    await this.#reserve.close()
    // A flush that fails now loses nothing: the log is replayed at the next start.
    await this.#flushAll().catch(() => undefined)
    // A merge under way is given up; its inputs are still there.
    await this.#jobs.close()
    await this.#maintenance.settled()
    await this.#wal?.close()
    await this.#structure.close()
  }

  #mustBeOpen(): void {
    if (this.#closed !== undefined) throw new DiskError(this.#root, 'the store is closed')
  }
}

function checkBucketId(id: BucketId): void {
  if (!/^[0-9a-f]{16}$/.test(id)) throw new UserError('invalid', `invalid bucket id "${id}"`)
}
