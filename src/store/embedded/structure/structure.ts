// Buckets, shards and open segments, and the one way in which they change: an edit of the manifest.
// Edits run one at a time; each is durable before anything that reads sees it; a failed one leaves
// everything as it was.

import { SourceView } from '../../../column/byte-table.js'
import type { TimeRange } from '../../../column/time.js'
import { CorruptionError } from '../../../errors.js'
import { type Disk, readFile } from '../../../platform/disk.js'
import { gauge } from '../../metrics.js'
import type { StoreMetric } from '../../store.js'
import { Bucket, type LostSegment, type Shard } from '../bucket/bucket.js'
import { Segment } from '../bucket/segment.js'
import { damageOf } from '../files/damage.js'
import {
  bucketFolder,
  indexPath,
  manifestName,
  segmentName,
  shardFolder,
  unfinishedName,
} from '../files/filenames.js'
import {
  type BucketEntry,
  type Manifest,
  printManifest,
  type SegmentEntry,
  storeManifest,
} from '../files/manifest.js'
import { IndexLog, type IndexLogPlace } from '../index/index-log.js'
import { ParsedSeries } from '../index/parsed-series.js'
import { SeriesIndex } from '../index/series-index.js'
import type { BlockCache } from '../segment/block-cache.js'
import { SegmentReader } from '../segment/reader.js'

/** What an edit does to a shard's segments. */
export interface ShardEdit {
  readonly bucket: Bucket
  readonly shard: Shard
  /** The new list, oldest first, with those that are lost. */
  readonly segments: readonly SegmentEntry[]
}

export interface NewIndex {
  readonly bucket: Bucket
  readonly index: SeriesIndex
  readonly log: IndexLog
}

export interface Edit {
  readonly shards?: readonly ShardEdit[]
  /** Shards that go away with everything in them. */
  readonly droppedShards?: readonly Shard[]
  readonly droppedBucket?: Bucket
  /** The same for one whose index is damaged, by its id. */
  readonly droppedDamagedBucket?: string
  /** A bucket's index without the series that have left. */
  readonly newIndex?: NewIndex
  readonly walFloor?: number
}

export class Structure {
  readonly #disk: Disk
  readonly #root: string
  readonly #shared: boolean
  readonly #blocks: BlockCache
  readonly #parsed = new ParsedSeries()
  readonly #source = new SourceView()
  readonly buckets = new Map<string, Bucket>()
  /**
   * Buckets whose index cannot be read, so that nobody can tell what their rows are. Whatever is asked of them throws;
   * their files and the manifest's words on them stay.
   */
  readonly damagedBuckets = new Map<string, { entry: BucketEntry; error: CorruptionError }>()
  /** Segments that are no longer named and whose files may be there: the next manifest says so, and why they go. */
  readonly replaced: Set<number>
  /** Those of them whose files were removed, by folder: a crash may bring them back until that is synced. */
  #removed = new Map<string, number[]>()
  /** The newest log file that was begun. */
  newestWal: number
  #number: number
  #nextNumber: number
  #walFloor: number
  #edits: Promise<unknown> = Promise.resolve()
  #isUnsure = false

  constructor(
    disk: Disk,
    root: string,
    manifest: Manifest,
    options: { readonly shared: boolean; readonly blocks: BlockCache },
  ) {
    this.#disk = disk
    this.#root = root
    this.#shared = options.shared
    this.#blocks = options.blocks
    this.#number = manifest.number
    this.replaced = new Set(manifest.replaced)
    this.newestWal = manifest.newestWal
    this.#nextNumber = manifest.nextNumber
    this.#walFloor = manifest.walFloor
  }

  /**
   * The last edit failed, but its manifest may stand on the disk all the same (its rename succeeded, the sync of the
   * folder did not). Until an edit succeeds, the files of both must stay, and nothing may be acknowledged.
   */
  get isUnsure(): boolean {
    return this.#isUnsure
  }

  /** Puts the manifest in effect back in place where that is not certain; throws where the disk refuses. */
  async makeSure(): Promise<void> {
    if (this.#isUnsure) await this.edit(() => ({}))
  }

  /** Of the manifest in effect. */
  get number(): number {
    return this.#number
  }

  /** A number for a new file; never given twice, also not after a crash. */
  takeNumber(): number {
    return this.#nextNumber++
  }

  /** A file with this number was found: later ones are higher. */
  noteNumber(number: number): void {
    this.#nextNumber = Math.max(this.#nextNumber, number + 1)
  }

  segmentPath(bucket: Bucket, shard: Shard, number: number): string {
    return `${shardFolder(this.#root, bucket.id, shard.start)}/${segmentName(number)}`
  }

  /** Where it is written: it gets its name when a manifest names it, so that all others were never counted. */
  unfinishedPath(bucket: Bucket, shard: Shard, number: number): string {
    return `${shardFolder(this.#root, bucket.id, shard.start)}/${unfinishedName(number)}`
  }

  /** The span of a segment, by its path; undefined where the file is none of the bucket's. */
  rangeOf(id: string, path: string): TimeRange | undefined {
    const bucket = this.buckets.get(id)
    for (const shard of bucket?.shards ?? []) {
      for (const { number, minTime, maxTime } of shard.entries) {
        if (this.segmentPath(bucket!, shard, number) !== path) continue
        return { start: minTime, stop: maxTime + 1n }
      }
    }
    return undefined
  }

  async openBucket(entry: BucketEntry): Promise<void> {
    const { id } = entry
    const index = this.newIndex()
    try {
      const place = this.indexPlace(id, entry.indexFile)
      const log = await IndexLog.open(place, entry.indexBytes, index)
      const bucket = new Bucket(id, index, log)
      bucket.markLogged()
      for (const { start, stop, segments } of entry.shards) {
        const shard = bucket.addShard(start, stop)
        const slots: (Segment | LostSegment)[] = []
        for (const segment of segments) slots.push(await this.#openSegment(bucket, shard, segment))
        shard.slots = slots
      }
      this.buckets.set(id, bucket)
    } catch (error) {
      this.damagedBuckets.set(id, {
        entry,
        error: damageOf(error, indexPath(this.#root, id, entry.indexFile)),
      })
    }
  }

  /** A bucket that nothing was written to yet. */
  makeBucket(id: string): Bucket {
    const bucket = new Bucket(id, this.newIndex(), IndexLog.empty(this.indexPlace(id, 0)))
    this.buckets.set(id, bucket)
    return bucket
  }

  newIndex(): SeriesIndex {
    return new SeriesIndex({ shared: this.#shared, parsed: this.#parsed, source: this.#source })
  }

  indexPlace(bucket: string, number: number): IndexLogPlace {
    return { disk: this.#disk, root: this.#root, bucket, number }
  }

  async #openSegment(
    bucket: Bucket,
    shard: Shard,
    entry: SegmentEntry,
  ): Promise<Segment | LostSegment> {
    const path = this.segmentPath(bucket, shard, entry.number)
    try {
      // A crash may have come between the manifest and the file's name.
      const unfinished = this.unfinishedPath(bucket, shard, entry.number)
      const isUnnamed = !(await this.#disk.exists(path)) && (await this.#disk.exists(unfinished))
      const found = isUnnamed ? unfinished : path
      const reader = await SegmentReader.open(this.#disk, found, this.#blocks)
      if (isUnnamed) await this.#giveName(reader, path)
      return new Segment(entry, reader)
    } catch (error) {
      const missing = !(await this.#disk.exists(path))
      if (missing) return { entry, error: new CorruptionError(path, 0, 'segment is missing') }
      return { entry, error: damageOf(error, path) }
    }
  }

  /** Where the disk refuses, it keeps the one it has until the next start. */
  async #giveName(reader: SegmentReader, path: string): Promise<void> {
    try {
      await this.#disk.rename(reader.path, path)
      reader.movedTo(path)
    } catch {}
  }

  /**
   * Carries out what `plan` returns, after all edits before it; `plan` sees their result and may return undefined to
   * change nothing. Resolves when the new manifest is durable and in effect.
   */
  edit(plan: () => Edit | undefined): Promise<void> {
    const done = this.#edits.then(() => this.#carryOut(plan()))
    this.#edits = done.catch(() => undefined)
    return done
  }

  /** Runs between two edits. `action` is given what the next manifest would say if nothing changed. */
  between<T>(action: (manifest: Manifest) => Promise<T>): Promise<T> {
    const done = this.#edits.then(() => action(this.#manifestAfter({}, [])))
    this.#edits = done.catch(() => undefined)
    return done
  }

  async #carryOut(edit: Edit | undefined): Promise<void> {
    if (edit === undefined) return
    await this.#confirmRemovals()
    const opened = await this.#openNew(edit)
    const removed = this.#removedBy(edit)
    const manifest = this.#manifestAfter(edit, removed)
    try {
      await storeManifest(this.#disk, this.#root, manifest)
      this.#number = manifest.number
      for (const number of removed) this.replaced.add(number)
      this.#isUnsure = false
    } catch (error) {
      this.#isUnsure ||= await this.#mayStand(manifest)
      for (const segment of opened.values()) await segment.reader.close()
      throw error
    }
    for (const { bucket, shard, segments } of edit.shards ?? []) {
      for (const { number } of segments) {
        const reader = opened.get(number)?.reader
        if (reader) await this.#giveName(reader, this.segmentPath(bucket, shard, number))
      }
    }
    this.#walFloor = edit.walFloor ?? this.#walFloor
    for (const shardEdit of edit.shards ?? []) await this.#install(shardEdit, opened)
    for (const shard of edit.droppedShards ?? []) await this.#dropShard(shard)
    if (edit.newIndex !== undefined) await this.#swapIndex(edit.newIndex)
    if (edit.droppedBucket !== undefined) await this.#dropBucket(edit.droppedBucket)
    if (edit.droppedDamagedBucket !== undefined) {
      this.damagedBuckets.delete(edit.droppedDamagedBucket)
      await this.#removeFolder(edit.droppedDamagedBucket, removed)
    }
  }

  /** The old log is needless now: where it cannot be removed, the next start sees that its number is lower. */
  async #swapIndex({ bucket, index, log }: NewIndex): Promise<void> {
    const { log: old } = bucket
    bucket.index = index
    bucket.log = log
    await log.giveName()
    await old.remove().catch(() => undefined)
  }

  /** What cannot be removed now stays in the list of what was replaced, and goes at the next start. */
  async #removeFolder(bucket: string, segments: readonly number[]): Promise<void> {
    const folder = bucketFolder(this.#root, bucket)
    try {
      await this.#disk.removeDir(folder)
      for (const number of segments) this.#noteRemoved(folder, number)
    } catch {}
  }

  #noteRemoved(folder: string, ...removed: number[]): void {
    this.#removed.set(folder, [...(this.#removed.get(folder) ?? []), ...removed])
  }

  /** Once per folder and edit, not once per file. The folders may be gone too, or new ones of the same name. */
  async #confirmRemovals(): Promise<void> {
    if (this.#removed.size === 0) return
    // What is removed meanwhile, when a read lets go of it, may come after its folder was synced here.
    const removed = this.#removed
    this.#removed = new Map()
    const folders = new Set([this.#root])
    for (const folder of removed.keys()) {
      for (let at = folder; at !== this.#root; at = at.slice(0, at.lastIndexOf('/')))
        folders.add(at)
    }
    try {
      for (const folder of folders) {
        if (await this.#disk.exists(folder)) await this.#disk.syncDir(folder)
      }
    } catch {
      for (const [folder, numbers] of removed) this.#noteRemoved(folder, ...numbers)
      return
    }
    for (const number of [...removed.values()].flat()) this.replaced.delete(number)
  }

  /** Numbers of the segments that are no longer named after the edit. */
  #removedBy(edit: Edit): number[] {
    const removed: number[] = []
    for (const { shard, segments } of edit.shards ?? []) {
      const kept = new Set(segments.map(({ number }) => number))
      removed.push(...numbersOf(shard.entries).filter((number) => !kept.has(number)))
    }
    const shards = [...(edit.droppedShards ?? []), ...(edit.droppedBucket?.shards ?? [])]
    for (const { entries } of shards) removed.push(...numbersOf(entries))
    const damaged = this.damagedBuckets.get(edit.droppedDamagedBucket ?? '')
    for (const { segments } of damaged?.entry.shards ?? []) removed.push(...numbersOf(segments))
    return removed
  }

  async #mayStand(manifest: Manifest): Promise<boolean> {
    const path = `${this.#root}/${manifestName(manifest.number)}`
    try {
      if (!(await this.#disk.exists(path))) return false
      const found = await readFile(this.#disk, path)
      return Buffer.compare(found, printManifest(manifest)) === 0
    } catch {
      return true
    }
  }

  async #openNew(edit: Edit): Promise<Map<number, Segment>> {
    const opened = new Map<number, Segment>()
    for (const { bucket, shard, segments } of edit.shards ?? []) {
      for (const entry of segments) {
        if (shard.slots.some((slot) => slot.entry.number === entry.number)) continue
        const path = this.unfinishedPath(bucket, shard, entry.number)
        opened.set(
          entry.number,
          new Segment(entry, await SegmentReader.open(this.#disk, path, this.#blocks)),
        )
      }
    }
    return opened
  }

  async #install(edit: ShardEdit, opened: Map<number, Segment>): Promise<void> {
    const { bucket, shard, segments } = edit
    const before = shard.slots
    if (rowCountOf(segments) < rowCountOf(shard.entries)) bucket.removals++
    shard.slots = segments.map((entry) => {
      const known = before.find((slot) => slot.entry.number === entry.number)
      if (known === undefined) return opened.get(entry.number)!
      if (known.entry === entry) return known
      return known instanceof Segment ? known.withEntry(entry) : { entry, error: known.error }
    })
    const kept = new Set(numbersOf(segments))
    for (const slot of before) {
      if (!kept.has(slot.entry.number)) await this.#retire(bucket, shard, slot)
    }
  }

  /** A file that cannot be removed now is removed at the next start. */
  async #retire(bucket: Bucket, shard: Shard, slot: Segment | LostSegment): Promise<void> {
    const { number } = slot.entry
    const lost = this.segmentPath(bucket, shard, number)
    const path = slot instanceof Segment ? slot.reader.path : lost
    const remove = async () => {
      try {
        if (await this.#disk.exists(path)) await this.#disk.remove(path)
        this.#noteRemoved(shardFolder(this.#root, bucket.id, shard.start), number)
      } catch {}
    }
    await (slot instanceof Segment ? slot.retire(remove) : remove())
  }

  async #dropShard(shard: Shard): Promise<void> {
    for (const bucket of this.buckets.values()) {
      if (!bucket.shards.includes(shard)) continue
      bucket.shards = bucket.shards.filter((other) => other !== shard)
      bucket.removals++
      for (const slot of shard.slots) await this.#retire(bucket, shard, slot)
    }
  }

  async #dropBucket(bucket: Bucket): Promise<void> {
    this.buckets.delete(bucket.id)
    bucket.isDropped = true
    await bucket.log.close()
    for (const shard of bucket.shards) {
      for (const slot of shard.slots) await this.#retire(bucket, shard, slot)
    }
    await this.#removeFolder(bucket.id, [])
  }

  #manifestAfter(edit: Edit, removed: readonly number[]): Manifest {
    const edits = new Map(edit.shards?.map((e) => [e.shard, e.segments]))
    const dropped = new Set(edit.droppedShards)
    const logOf = (bucket: Bucket) =>
      edit.newIndex?.bucket === bucket ? edit.newIndex.log : bucket.log
    const buckets = [...this.buckets.values()]
      .filter((bucket) => bucket !== edit.droppedBucket && logOf(bucket).byteLength > 0)
      .map((bucket) => ({
        id: bucket.id,
        indexFile: logOf(bucket).number,
        indexBytes: logOf(bucket).byteLength,
        shards: bucket.shards
          .filter((shard) => !dropped.has(shard))
          .map((shard) => ({
            start: shard.start,
            stop: shard.stop,
            segments: edits.get(shard) ?? shard.entries,
          }))
          .filter(({ segments }) => segments.length > 0),
      }))
    const damaged = [...this.damagedBuckets.values()]
      .map(({ entry }) => entry)
      .filter(({ id }) => id !== edit.droppedDamagedBucket)
    const walFloor = edit.walFloor ?? this.#walFloor
    return {
      number: this.#number + 1,
      nextNumber: this.#nextNumber,
      walFloor,
      newestWal: this.newestWal,
      replaced: [...this.replaced, ...removed],
      buckets: [...buckets, ...damaged],
    }
  }

  metrics(): StoreMetric[] {
    const buckets = [...this.buckets.values()]
    const segments = buckets.flatMap((b) => b.shards.flatMap((s) => s.segments))
    const segmentBytes = segments.reduce((sum, { entry }) => sum + entry.byteLength, 0)
    const seriesCount = buckets.reduce((sum, { index }) => sum + index.size, 0)
    const indexBytes = buckets.reduce((sum, { index }) => sum + index.byteLength, 0)
    return [
      gauge('store_segments', 'Segment files', segments.length),
      gauge('store_segment_bytes', 'Size of the segment files', segmentBytes),
      gauge('store_series', 'Series in the index', seriesCount),
      gauge('store_index_bytes', 'Memory of the index', indexBytes),
    ]
  }

  async close(): Promise<void> {
    await this.#edits
    for (const bucket of this.buckets.values()) {
      await bucket.log.close()
      for (const shard of bucket.shards) {
        for (const segment of shard.segments) await segment.reader.close()
      }
    }
  }
}

function rowCountOf(entries: readonly SegmentEntry[]): number {
  return entries.reduce((sum, { rowCount }) => sum + rowCount, 0)
}

function numbersOf(entries: readonly SegmentEntry[]): number[] {
  return entries.map(({ number }) => number)
}
