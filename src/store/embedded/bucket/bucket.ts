// A bucket as the engine holds it: its index, its shards in time order, and how far the WAL knows
// its series. Shards are made when a point needs one, and never overlap.

import type { CorruptionError } from '../../../errors.js'
import { newShard } from '../../shards.js'
import type { BucketSettings } from '../../store.js'
import type { SegmentEntry } from '../files/manifest.js'
import type { IndexLog } from '../index/index-log.js'
import type { SeriesIndex } from '../index/series-index.js'
import type { SeriesMarks } from '../index/series-marks.js'
import { Segment } from './segment.js'

/**
 * A segment that the manifest names and that cannot be read. What is lost must not be forgotten: it keeps its place in
 * the order of writes and takes the deletes that come, so that both are right should its file return.
 */
export interface LostSegment {
  readonly entry: SegmentEntry
  readonly error: CorruptionError
}

export class Shard {
  readonly start: bigint
  readonly stop: bigint
  #slots: readonly (Segment | LostSegment)[] = []
  #segments: readonly Segment[] = []

  constructor(start: bigint, stop: bigint) {
    this.start = start
    this.stop = stop
  }

  /** Oldest first. Replaced as a whole, never changed: a read keeps the list it began with. */
  get segments(): readonly Segment[] {
    return this.#segments
  }

  /** The same with those that are lost. */
  get slots(): readonly (Segment | LostSegment)[] {
    return this.#slots
  }

  set slots(slots: readonly (Segment | LostSegment)[]) {
    this.#slots = slots
    this.#segments = slots.filter((slot) => slot instanceof Segment)
  }

  get entries(): readonly SegmentEntry[] {
    return this.#slots.map(({ entry }) => entry)
  }

  get lost(): readonly LostSegment[] {
    return this.#slots.filter((slot): slot is LostSegment => !(slot instanceof Segment))
  }

  /** Segments with no lost one between them: only such may be merged. */
  runs(): readonly (readonly Segment[])[] {
    const runs: Segment[][] = [[]]
    for (const slot of this.#slots) {
      if (slot instanceof Segment) runs[runs.length - 1].push(slot)
      else runs.push([])
    }
    return runs
  }
}

export class Bucket {
  readonly id: string
  /** Replaced as a whole, with its log, when series have left: whoever works with one over time keeps it. */
  index: SeriesIndex
  log: IndexLog
  settings: BucketSettings = { retentionNs: 0n }
  /** Writes that were on their way when it was dropped go with it, and into no log. */
  isDropped = false
  /** By start, without overlap. */
  shards: Shard[] = []
  /** Grows with every delete: what was found out about rows before may no longer be so. */
  losses = 0
  /** Grows when rows leave the files: series may have none left. */
  removals = 1
  /** Of series that rows were written for since somebody began to look which have rows; undefined: nobody looks. */
  marks: SeriesMarks | undefined
  /** Writes wait for it before they are given numbers: the index is about to be replaced. */
  gate: Promise<void> | undefined
  /** Series and fields that a WAL record carries, queued or durable; the next record begins there. */
  loggedSeries = 0
  loggedFields = 0
  /** Those that are durable: where the two above return to when a commit fails. */
  durableSeries = 0
  durableFields = 0

  constructor(id: string, index: SeriesIndex, log: IndexLog) {
    this.id = id
    this.index = index
    this.log = log
  }

  /** Everything in the index counts as logged, as after a start. */
  markLogged(): void {
    this.loggedSeries = this.durableSeries = this.index.next
    this.loggedFields = this.durableFields = this.index.fieldCount
  }

  /** A record was made durable. An index that was written anew meanwhile may hold more. */
  noteDurable(seriesEnd: number, fieldsEnd: number): void {
    this.durableSeries = Math.max(this.durableSeries, seriesEnd)
    this.durableFields = Math.max(this.durableFields, fieldsEnd)
  }

  /** The shard of a moment, made now if there is none. */
  shardAt(time: bigint): Shard {
    const found = this.findShard(time)
    if (found !== undefined) return found
    const { start, stop } = newShard(time, this.settings.retentionNs, this.shards)
    return this.addShard(start, stop)
  }

  /** They lie side by side in the order of their times: points of many years ask for one after the other. */
  findShard(time: bigint): Shard | undefined {
    const { shards } = this
    let low = 0
    let high = shards.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (shards[middle].stop <= time) low = middle + 1
      else high = middle
    }
    return low < shards.length && shards[low].start <= time ? shards[low] : undefined
  }

  addShard(start: bigint, stop: bigint): Shard {
    const shard = new Shard(start, stop)
    const at = this.shards.findIndex((other) => other.start > start)
    this.shards = this.shards.toSpliced(at < 0 ? this.shards.length : at, 0, shard)
    return shard
  }
}
