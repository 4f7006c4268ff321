// What the engine does behind the writers' backs: flushes frozen memtables (again and again if the
// disk refuses), merges segments, carries out deletes, drops expired shards.

import type { Column } from '../../../column/column.js'
import { BusyError, CorruptionError, DiskError } from '../../../errors.js'
import type { Clock } from '../../../platform/clock.js'
import type { Disk } from '../../../platform/disk.js'
import { inTurns, type Work } from '../../../platform/turns.js'
import { counter, gauge } from '../../metrics.js'
import type { StoreMetric } from '../../store.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket, Shard } from '../bucket/bucket.js'
import type { Generation, ShardTables } from '../bucket/generation.js'
import type { Segment } from '../bucket/segment.js'
import { weightOf } from '../bucket/tombstone-list.js'
import { resolveAllTombstones } from '../bucket/tombstones.js'
import { bucketFolder, shardFolder } from '../files/filenames.js'
import type { SegmentEntry, Tombstone } from '../files/manifest.js'
import type { FlushJob, FlushTable } from '../jobs/flush-job.js'
import type { Jobs } from '../jobs/jobs.js'
import { packSmallTables, type SmallEntry } from '../jobs/small-flush.js'
import type { EngineLimits } from '../options/limits.js'
import type { FrozenTable } from '../rows/memtable.js'
import { SmallTable } from '../rows/small-table.js'
import type { FieldEntry } from '../segment/directory.js'
import type { SegmentSummary } from '../segment/writer.js'
import type { Structure } from '../structure/structure.js'
import { type Pressure, pickCompaction, pickDeleted } from './compaction.js'
import { KnownFields } from './merged-fields.js'
import { deleteEdits, withLaterDeletes } from './pending-deletes.js'

export interface MaintenanceParts {
  readonly disk: Disk
  readonly root: string
  readonly clock: Clock
  readonly limits: EngineLimits
  readonly structure: Structure
  readonly jobs: Jobs
  readonly log: StoreLog
  flush(): Promise<void>
  /** On a full disk: whether there is more room now, and what failed is worth another try. */
  makeRoom(error: unknown): Promise<boolean>
  /** Of the rows that wait in the memtables being filled. */
  activeBytes(): number
  /** Rows of the shard wait in memtables. */
  isWritten(shard: Shard): boolean
  /** Series without rows leave the index, where many have none. */
  forgetSeries(): Promise<void>
  /** Begins to look for damage, where it is time to. */
  scrub(): void
}

interface Flush {
  readonly generation: Generation
  readonly walFloor: number
  done(): Promise<void>
}

/** Smaller remainders stay where they are: whoever writes a little now and then would leave a segment each time. */
const quietFlushShare = 1 / 8

export class Maintenance {
  readonly #parts: MaintenanceParts
  #flush: Flush | undefined
  /** The attempt under way, or the last one; it does not reject. */
  #attempt: Promise<void> = Promise.resolve()
  #flushError: Error | undefined
  #retry: NodeJS.Timeout | undefined
  readonly #ticker: NodeJS.Timeout
  #quiet: NodeJS.Timeout | undefined
  #compaction: Promise<void> | undefined
  /** The one of it that is under way; does not reject. */
  #merge: Promise<void> | undefined
  #stopped = false
  /** Compactions that failed on a damaged input: not tried again. */
  readonly #unmergeable = new Set<number>()
  readonly #knownFields = new KnownFields()
  #ticksSinceFlush = 0
  #flushCount = 0
  #flushFailureCount = 0
  #compactionCount = 0
  #compactedBytes = 0
  #expiredShardCount = 0

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
    this.#ticker = setInterval(() => this.#tick(), parts.limits.retentionCheckMs)
    this.#ticker.unref()
  }

  /** Takes over a frozen generation. `done` runs when its rows are in segments. */
  startFlush(generation: Generation, walFloor: number, done: () => Promise<void>): void {
    this.#ticksSinceFlush = 0
    this.#flush = { generation, walFloor, done }
    this.#attempt = this.#tryFlush()
  }

  /** The attempt under way has ended, well or not. */
  async flushAttempt(): Promise<void> {
    await this.#attempt
  }

  /** The frozen generation is in segments; throws where the attempt failed. */
  async flushed(): Promise<void> {
    const attempt = this.#attempt
    await attempt
    if (this.#flush === undefined) return
    // Others wait for the same attempt, and one new one serves all of them: two would write the rows twice.
    if (this.#attempt === attempt) this.#attempt = this.#tryFlush()
    await this.#attempt
    if (this.#flush !== undefined && this.#flushError !== undefined) throw this.#flushError
  }

  /** Refuses writes when flushes fail and memory is used up: better an error than a process that dies. */
  checkFlushes(activeBytes: number): void {
    // While flushes succeed writers wait for them in the queue, which has a bound of its own.
    if (this.#flush === undefined || this.#flushError === undefined) return
    if (activeBytes < 2 * this.#parts.limits.memtableBytesMax) return
    if (this.#flushError instanceof DiskError) throw this.#flushError
    throw new BusyError('memory for new points is used up, and flushes fail')
  }

  async #tryFlush(): Promise<void> {
    const flush = this.#flush
    if (flush === undefined) return
    clearTimeout(this.#retry)
    try {
      await this.#writeSegments(flush)
      this.#flush = undefined
      this.#flushError = undefined
      this.#flushCount++
      await flush.done()
      if (!this.#stopped) this.#afterFlush()
    } catch (error) {
      this.#flushError = error as Error
      this.#flushFailureCount++
      this.#parts.log('error', `cannot flush: ${(error as Error).message}`)
      if (this.#stopped) return
      this.#retry = setTimeout(() => {
        this.#attempt = this.#tryFlush()
      }, this.#parts.limits.flushRetryMs)
      this.#retry.unref()
    }
  }

  async #writeSegments({ generation, walFloor }: Flush): Promise<void> {
    const { structure, disk } = this.#parts
    const written: { entry: ShardTables; segment: SegmentEntry }[] = []
    const paths: string[] = []
    try {
      for (const entry of generation.entries()) {
        if (!isListed(structure, entry)) continue
        const number = structure.takeNumber()
        const path = structure.unfinishedPath(entry.bucket, entry.shard, number)
        paths.push(path)
        const summary = await this.#writeShard(entry, path)
        written.push({ entry, segment: segmentEntry(number, entry.shard, summary) })
      }
      for (const bucket of new Set(written.map(({ entry }) => entry.bucket))) {
        await bucket.log.append(bucket.index)
      }
      await structure.edit(() => ({
        walFloor,
        shards: written
          .filter(({ entry }) => isListed(structure, entry))
          .map(({ entry: { bucket, shard }, segment }) => ({
            bucket,
            shard,
            segments: [...shard.entries, segment],
          })),
      }))
    } catch (error) {
      // The manifest on the disk may name them; then they are needed, or else swept at the next start.
      if (!structure.isUnsure) {
        for (const path of paths) await disk.remove(path).catch(() => undefined)
      }
      throw error
    }
  }

  async #writeShard(entry: ShardTables, path: string): Promise<SegmentSummary> {
    const { disk, root, jobs, structure } = this.#parts
    const { bucket, shard } = entry
    const folder = shardFolder(root, bucket.id, shard.start)
    await disk.makeDir(folder)
    const summary = await jobs.flush(flushJob(entry, path, structure.number))
    await disk.syncDir(folder)
    await disk.syncDir(bucketFolder(root, bucket.id))
    await disk.syncDir(root)
    return summary
  }

  /** Durable when resolved. Waits first where deletes come faster than they are carried out. */
  async addTombstone(bucket: Bucket, tombstone: Tombstone): Promise<void> {
    await this.#carriedOut()
    await this.#parts.structure.edit(() => {
      const shards = deleteEdits(bucket, tombstone)
      return shards.length === 0 ? undefined : { shards }
    })
    this.#scheduleCompaction('busy')
  }

  /** Until few enough deletes are left. A merge that fails, as on a full disk, does not hold the next delete up. */
  async #carriedOut(): Promise<void> {
    while (!this.#stopped && this.#tombstoneWeight() > this.#parts.limits.tombstonesMax) {
      const before = this.#compactionCount
      this.#scheduleCompaction('busy')
      await (this.#merge ?? this.#compaction)
      if (this.#compactionCount === before) return
    }
  }

  /** Of the segments that can be rewritten. */
  #tombstoneWeight(): number {
    let weight = 0
    for (const { segment } of this.#rewritable()) weight += weightOf(segment.entry.tombstones)
    return weight
  }

  *#rewritable(): Generator<{ bucket: Bucket; shard: Shard; segment: Segment }, void, void> {
    for (const bucket of this.#parts.structure.buckets.values()) {
      for (const shard of bucket.shards) {
        for (const segment of shard.segments) {
          if (!this.#unmergeable.has(segment.entry.number)) yield { bucket, shard, segment }
        }
      }
    }
  }

  #afterFlush(): void {
    this.#scheduleCompaction('busy')
    this.#watchForQuiet(0)
  }

  #watchForQuiet(activeBytes: number): void {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#whenQuiet(activeBytes), this.#parts.limits.quietMs)
    this.#quiet.unref()
  }

  /**
   * No flush came for a while. Where nothing was written either, what the load left in the memtables goes into a
   * segment too, if it is worth one. Means by host and hour of 2.2 million rows took 66 ms with the last of them in
   * memtables, and 41 ms without; the last point of 500 series 26 ms, and 16.
   */
  #whenQuiet(bytesBefore: number): void {
    const { limits, flush, activeBytes } = this.#parts
    const bytes = activeBytes()
    if (bytes < limits.memtableBytesMax * quietFlushShare) return this.#scheduleCompaction('quiet')
    if (bytes === bytesBefore) flush().catch(() => undefined)
    else this.#watchForQuiet(bytes)
    this.#scheduleCompaction('quiet')
  }

  #scheduleCompaction(pressure: Pressure): void {
    this.#compaction ??= this.#compactWhilePossible(pressure).finally(() => {
      this.#compaction = undefined
    })
  }

  async compactAll(): Promise<void> {
    await this.#compaction
    this.#scheduleCompaction('finished')
    await this.#compaction
  }

  async #compactWhilePossible(pressure: Pressure): Promise<void> {
    try {
      while (!this.#stopped) {
        await inTurns(this.#readFields(), undefined)
        const next = this.#stopped ? undefined : this.#pick(pressure)
        if (next === undefined) return
        const merge = this.#compact(next.bucket, next.shard, next.segments)
        this.#merge = merge.catch(() => undefined)
        await merge
      }
    } catch (error) {
      if (this.#stopped) return
      if (await this.#parts.makeRoom(error)) return this.#compactWhilePossible(pressure)
      this.#parts.log('error', `cannot compact: ${(error as Error).message}`)
    } finally {
      this.#merge = undefined
    }
  }

  #pick(
    pressure: Pressure,
  ): { bucket: Bucket; shard: Shard; segments: readonly Segment[] } | undefined {
    return this.#pickDeleted() ?? this.#pickMerge(pressure)
  }

  /** Before anything is merged: every read has to leave the deleted rows out until then. */
  #pickDeleted() {
    const found = pickDeleted(this.#rewritable())
    return found && { ...found, segments: [found.segment] }
  }

  #pickMerge(pressure: Pressure) {
    for (const bucket of this.#parts.structure.buckets.values()) {
      for (const shard of bucket.shards) {
        for (const run of this.#mergeable(shard)) {
          const segments = pickCompaction(run, this.#parts.limits, pressure, this.#knownFields)
          if (segments !== undefined) return { bucket, shard, segments }
        }
      }
    }
    return undefined
  }

  *#readFields(): Work<void> {
    for (const bucket of [...this.#parts.structure.buckets.values()]) {
      for (const shard of bucket.shards) {
        for (const run of this.#mergeable(shard)) yield* this.#knownFields.readAhead(run)
      }
    }
  }

  /** Neighbours between which none is lost or cannot be merged. */
  #mergeable(shard: Shard): readonly (readonly Segment[])[] {
    const isLeftOut = ({ entry }: Segment) => this.#unmergeable.has(entry.number)
    if (this.#unmergeable.size === 0) return shard.runs()
    const runs: Segment[][] = []
    for (const run of shard.runs()) {
      runs.push([])
      for (const segment of run) {
        if (isLeftOut(segment)) runs.push([])
        else runs[runs.length - 1].push(segment)
      }
    }
    return runs
  }

  async #compact(bucket: Bucket, shard: Shard, inputs: readonly Segment[]): Promise<void> {
    const { structure, jobs, disk } = this.#parts
    const number = structure.takeNumber()
    const path = structure.unfinishedPath(bucket, shard, number)
    for (const input of inputs) input.acquire()
    try {
      const summary = await jobs.compact({
        path,
        base: shard.start,
        manifest: structure.number,
        keys: bucket.index.keyView(),
        inputs: inputs.map(({ entry, reader }) => ({
          path: reader.path,
          deletes: resolveAllTombstones(entry.tombstones, shard.start, bucket.index),
        })),
      })
      if (summary !== undefined) {
        await disk.syncDir(shardFolder(this.#parts.root, bucket.id, shard.start))
      }
      const output = summary === undefined ? [] : [segmentEntry(number, shard, summary)]
      await structure.edit(() => {
        if (!isListed(structure, { bucket, shard })) return undefined
        const first = shard.entries.findIndex(({ number: n }) => n === inputs[0].entry.number)
        const now = shard.entries.slice(first, first + inputs.length)
        const isThere = inputs.every(({ entry }, i) => now[i]?.number === entry.number)
        if (first < 0 || !isThere) return undefined
        // Deletes that came meanwhile are not carried out in the output: it takes them over.
        const made = output.map((entry) => withLaterDeletes(entry, inputs, now))
        const segments = shard.entries.toSpliced(first, inputs.length, ...made)
        return { shards: [{ bucket, shard, segments }] }
      })
      const inPlace = shard.segments.some(({ entry }) => entry.number === number)
      if (!inPlace && summary !== undefined) await disk.remove(path).catch(() => undefined)
      this.#compactionCount++
      this.#compactedBytes += summary?.byteLength ?? 0
    } catch (error) {
      if (error instanceof CorruptionError) {
        const { file } = error
        const isBad = ({ reader }: Segment) => reader.path === file
        const bad = inputs.some(isBad) ? inputs.filter(isBad) : inputs
        for (const { entry } of bad) this.#unmergeable.add(entry.number)
      }
      if (!structure.isUnsure) await disk.remove(path).catch(() => undefined)
      // The folder of a bucket that is dropped goes while its segments are merged.
      if (isListed(structure, { bucket, shard })) throw error
    } finally {
      for (const input of inputs) await input.release()
    }
  }

  /** Once a minute: expired shards go, old rows are flushed, shards nobody writes to are merged. */
  #tick(): void {
    this.#dropAndForget().catch((error: Error) => {
      if (!this.#stopped) this.#parts.log('error', `cannot drop what has expired: ${error.message}`)
    })
    this.#parts.scrub()
    if (++this.#ticksSinceFlush >= this.#parts.limits.flushAgeTicks) {
      this.#ticksSinceFlush = 0
      this.#parts.flush().catch(() => undefined)
    }
    const shards = [...this.#parts.structure.buckets.values()].flatMap((bucket) => bucket.shards)
    const quiet = shards.every((shard) => !this.#parts.isWritten(shard))
    this.#scheduleCompaction(quiet ? 'finished' : 'busy')
  }

  async #dropAndForget(): Promise<void> {
    await this.dropExpired()
    if (!this.#stopped) await this.#parts.forgetSeries()
  }

  async dropExpired(): Promise<void> {
    const { structure, clock, disk, root } = this.#parts
    const now = clock.now()
    for (const bucket of structure.buckets.values()) {
      const { retentionNs } = bucket.settings
      if (retentionNs === 0n) continue
      const expired = bucket.shards.filter(({ stop }) => stop <= now - retentionNs)
      if (expired.length === 0) continue
      await structure.edit(() => ({ droppedShards: expired }))
      this.#expiredShardCount += expired.length
      for (const { start } of expired) {
        await disk.removeDir(shardFolder(root, bucket.id, start)).catch(() => undefined)
      }
    }
  }

  metrics(): StoreMetric[] {
    return [
      gauge('store_tombstones', 'Deletes not carried out yet', this.#tombstoneWeight()),
      counter('store_flushes_total', 'Memtables written to segments', this.#flushCount),
      counter('store_flush_failures_total', 'Flushes that failed', this.#flushFailureCount),
      counter('store_compactions_total', 'Merges of segments', this.#compactionCount),
      counter('store_compaction_bytes_total', 'Bytes written by merges', this.#compactedBytes),
      counter('store_expired_shards_total', 'Shards dropped by retention', this.#expiredShardCount),
    ]
  }

  /** Begins nothing new. */
  stop(): void {
    this.#stopped = true
    clearInterval(this.#ticker)
    clearTimeout(this.#retry)
    clearTimeout(this.#quiet)
  }

  /** What was under way has ended. */
  async settled(): Promise<void> {
    await this.#attempt
    await this.#compaction
  }
}

function isListed(
  structure: Structure,
  { bucket, shard }: { bucket: Bucket; shard: Shard },
): boolean {
  return structure.buckets.get(bucket.id) === bucket && bucket.shards.includes(shard)
}

function flushJob(
  { bucket, shard, slab, tables }: ShardTables,
  path: string,
  manifest: number,
): FlushJob {
  const large: FlushTable[] = []
  const small: SmallEntry[] = []
  for (const table of tables.values()) {
    const { name: measurement, fields } = bucket.index.measurementOf(table.measurementId)
    if (table instanceof SmallTable) {
      small.push({ measurement, fields, last: table.last, rowCount: table.rowCount })
    } else {
      large.push(flushTable(measurement, fields, table.freeze()))
    }
  }
  return {
    path,
    base: shard.start,
    manifest,
    keys: bucket.index.keyView(),
    tables: large,
    small: packSmallTables(slab.pages, small),
  }
}

/** With the fields that it has: of a hundred thousand that the measurement may have, those are a thousand. */
function flushTable(
  measurement: string,
  fields: readonly FieldEntry[],
  table: FrozenTable,
): FlushTable {
  const present: FieldEntry[] = []
  const columns: Column[] = []
  table.columns.forEach((column, id) => {
    if (column === undefined) return
    present.push({ name: fields[id].name, type: fields[id].type })
    columns.push(column)
  })
  return { measurement, fields: present, table: { ...table, columns } }
}

function segmentEntry(number: number, shard: Shard, summary: SegmentSummary): SegmentEntry {
  return {
    number,
    byteLength: summary.byteLength,
    rowCount: summary.rowCount,
    minTime: shard.start + BigInt(summary.minOffset),
    maxTime: shard.start + BigInt(summary.maxOffset),
    tombstones: [],
  }
}
