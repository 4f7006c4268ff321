// Buckets, shards and open segments, and the one way in which they change: an edit of the manifest.
// Edits run one at a time; each is durable before anything that reads sees it; a failed one leaves
// everything as it was.

import { CorruptionError } from '../../../errors.js'
import { type Disk, readFile } from '../../../platform/disk.js'
import { gauge } from '../../metrics.js'
import type { StoreMetric } from '../../store.js'
import { Bucket, type Shard } from '../bucket/bucket.js'
import { Segment } from '../bucket/segment.js'
import { bucketFolder, manifestName, segmentName, shardFolder } from '../files/filenames.js'
import {
  type BucketEntry,
  type Manifest,
  printManifest,
  type SegmentEntry,
  storeManifest,
} from '../files/manifest.js'
import { IndexLog } from '../index/index-log.js'
import { ParsedSeries } from '../index/parsed-series.js'
import { SeriesIndex } from '../index/series-index.js'
import type { BlockCache } from '../segment/block-cache.js'
import { SegmentReader } from '../segment/reader.js'

/** What an edit does to a shard's segments. */
export interface ShardEdit {
  readonly bucket: Bucket
  readonly shard: Shard
  /** The new list, oldest first. */
  readonly segments: readonly SegmentEntry[]
}

export interface Edit {
  readonly shards?: readonly ShardEdit[]
  /** Shards that go away with everything in them. */
  readonly droppedShards?: readonly Shard[]
  readonly droppedBucket?: Bucket
  /** The same for one whose index is damaged, by its id. */
  readonly droppedDamagedBucket?: string
  readonly walFloor?: number
}

export class Structure {
  readonly #disk: Disk
  readonly #root: string
  readonly #shared: boolean
  readonly #blocks: BlockCache
  readonly #parsed = new ParsedSeries()
  readonly buckets = new Map<string, Bucket>()
  /**
   * Buckets whose index cannot be read, so that nobody can tell what their rows are. Whatever is asked of them throws;
   * their files and the manifest's words on them stay.
   */
  readonly damagedBuckets = new Map<string, { entry: BucketEntry; error: CorruptionError }>()
  /** Segments that could not be opened. The manifest keeps naming them: what is lost must not be forgotten. */
  readonly damaged = new Map<Shard, { entry: SegmentEntry; error: CorruptionError }[]>()
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

  get walFloor(): number {
    return this.#walFloor
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

  async openBucket(entry: BucketEntry): Promise<void> {
    const { id } = entry
    const index = new SeriesIndex({ shared: this.#shared, parsed: this.#parsed })
    try {
      const log = await IndexLog.open(this.#disk, this.#root, id, entry.indexBytes, index)
      const bucket = new Bucket(id, index, log)
      bucket.markLogged()
      for (const { start, stop, segments } of entry.shards) {
        const shard = bucket.addShard(start, stop)
        for (const segment of segments) await this.#openSegment(bucket, shard, segment)
      }
      this.buckets.set(id, bucket)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      this.damagedBuckets.set(id, { entry, error })
    }
  }

  /** A bucket that nothing was written to yet. */
  makeBucket(id: string): Bucket {
    const index = new SeriesIndex({ shared: this.#shared, parsed: this.#parsed })
    const bucket = new Bucket(id, index, IndexLog.empty(this.#disk, this.#root, id, index))
    this.buckets.set(id, bucket)
    return bucket
  }

  async #openSegment(bucket: Bucket, shard: Shard, entry: SegmentEntry): Promise<void> {
    const path = this.segmentPath(bucket, shard, entry.number)
    try {
      const reader = await SegmentReader.open(this.#disk, path, this.#blocks)
      shard.segments = [...shard.segments, new Segment(entry, reader)]
    } catch (error) {
      const missing = !(await this.#disk.exists(path))
      if (!(error instanceof CorruptionError) && !missing) throw error
      const damage =
        error instanceof CorruptionError
          ? error
          : new CorruptionError(path, 0, 'segment is missing')
      this.damaged.set(shard, [...(this.damaged.get(shard) ?? []), { entry, error: damage }])
    }
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

  async #carryOut(edit: Edit | undefined): Promise<void> {
    if (edit === undefined) return
    const opened = await this.#openNew(edit)
    const manifest = this.#manifestAfter(edit)
    try {
      await storeManifest(this.#disk, this.#root, manifest)
      this.#isUnsure = false
    } catch (error) {
      this.#isUnsure ||= await this.#mayStand(manifest)
      for (const segment of opened.values()) await segment.reader.close()
      throw error
    }
    this.#walFloor = edit.walFloor ?? this.#walFloor
    for (const shardEdit of edit.shards ?? []) await this.#install(shardEdit, opened)
    for (const shard of edit.droppedShards ?? []) await this.#dropShard(shard)
    if (edit.droppedBucket !== undefined) await this.#dropBucket(edit.droppedBucket)
    if (edit.droppedDamagedBucket !== undefined) {
      this.damagedBuckets.delete(edit.droppedDamagedBucket)
      const files = bucketFolder(this.#root, edit.droppedDamagedBucket)
      await this.#disk.removeDir(files).catch(() => undefined)
    }
  }

  async #mayStand(manifest: Manifest): Promise<boolean> {
    try {
      const found = await readFile(this.#disk, `${this.#root}/${manifestName}`)
      return Buffer.compare(found, printManifest(manifest)) === 0
    } catch {
      return true
    }
  }

  async #openNew(edit: Edit): Promise<Map<number, Segment>> {
    const opened = new Map<number, Segment>()
    for (const { bucket, shard, segments } of edit.shards ?? []) {
      for (const entry of segments) {
        if (shard.segments.some((segment) => segment.entry.number === entry.number)) continue
        const path = this.segmentPath(bucket, shard, entry.number)
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
    const before = shard.segments
    shard.segments = segments.map((entry) => {
      const known = before.find((segment) => segment.entry.number === entry.number)
      if (known === undefined) return opened.get(entry.number)!
      return known.entry === entry ? known : known.withEntry(entry)
    })
    const kept = new Set(segments.map(({ number }) => number))
    for (const segment of before) {
      if (!kept.has(segment.entry.number)) await this.#retire(bucket, shard, segment)
    }
  }

  /** A file that cannot be removed now is removed at the next start. */
  async #retire(bucket: Bucket, shard: Shard, segment: Segment): Promise<void> {
    const path = this.segmentPath(bucket, shard, segment.entry.number)
    await segment.retire(() => this.#disk.remove(path).catch(() => undefined))
  }

  async #dropShard(shard: Shard): Promise<void> {
    for (const bucket of this.buckets.values()) {
      if (!bucket.shards.includes(shard)) continue
      bucket.shards = bucket.shards.filter((other) => other !== shard)
      this.damaged.delete(shard)
      for (const segment of shard.segments) await this.#retire(bucket, shard, segment)
    }
  }

  async #dropBucket(bucket: Bucket): Promise<void> {
    this.buckets.delete(bucket.id)
    bucket.isDropped = true
    await bucket.log.close()
    for (const shard of bucket.shards) {
      this.damaged.delete(shard)
      for (const segment of shard.segments) await this.#retire(bucket, shard, segment)
    }
    await this.#disk.removeDir(bucketFolder(this.#root, bucket.id)).catch(() => undefined)
  }

  #manifestAfter(edit: Edit): Manifest {
    const edits = new Map(edit.shards?.map((e) => [e.shard, e.segments]))
    const dropped = new Set(edit.droppedShards)
    const buckets = [...this.buckets.values()]
      .filter((bucket) => bucket !== edit.droppedBucket && bucket.log.byteLength > 0)
      .map((bucket) => ({
        id: bucket.id,
        indexBytes: bucket.log.byteLength,
        shards: bucket.shards
          .filter((shard) => !dropped.has(shard))
          .map((shard) => ({
            start: shard.start,
            stop: shard.stop,
            segments: this.#withDamaged(shard, edits.get(shard)),
          }))
          .filter(({ segments }) => segments.length > 0),
      }))
    const damaged = [...this.damagedBuckets.values()]
      .map(({ entry }) => entry)
      .filter(({ id }) => id !== edit.droppedDamagedBucket)
    const walFloor = edit.walFloor ?? this.#walFloor
    return { nextNumber: this.#nextNumber, walFloor, buckets: [...buckets, ...damaged] }
  }

  #withDamaged(shard: Shard, edited: readonly SegmentEntry[] | undefined): SegmentEntry[] {
    const damaged = this.damaged.get(shard)?.map(({ entry }) => entry) ?? []
    const segments = edited ?? shard.segments.map(({ entry }) => entry)
    return [...damaged, ...segments]
  }

  metrics(): StoreMetric[] {
    const buckets = [...this.buckets.values()]
    const segments = buckets.flatMap((b) => b.shards.flatMap((s) => s.segments))
    const segmentBytes = segments.reduce((sum, { entry }) => sum + entry.byteLength, 0)
    const seriesCount = buckets.reduce((sum, { index }) => sum + index.count, 0)
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
