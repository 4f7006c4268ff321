// A bucket as the engine holds it: its index, its shards in time order, and how far the WAL knows
// its series. Shards are made when a point needs one, and never overlap.

import { newShard } from '../../shards.js'
import type { BucketSettings } from '../../store.js'
import type { IndexLog } from '../index/index-log.js'
import type { SeriesIndex } from '../index/series-index.js'
import type { Segment } from './segment.js'

export class Shard {
  readonly start: bigint
  readonly stop: bigint
  /** Oldest first. Replaced as a whole, never changed: a read keeps the list it began with. */
  segments: readonly Segment[] = []

  constructor(start: bigint, stop: bigint) {
    this.start = start
    this.stop = stop
  }
}

export class Bucket {
  readonly id: string
  readonly index: SeriesIndex
  readonly log: IndexLog
  settings: BucketSettings = { retentionNs: 0n }
  /** Writes that were on their way when it was dropped go with it, and into no log. */
  isDropped = false
  /** By start, without overlap. */
  shards: Shard[] = []
  /** Grows with every delete: what was found out about rows before may no longer be so. */
  losses = 0
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
    this.loggedSeries = this.durableSeries = this.index.count
    this.loggedFields = this.durableFields = this.index.fieldLog.length
  }

  /** The shard of a moment, made now if there is none. */
  shardAt(time: bigint): Shard {
    const found = this.findShard(time)
    if (found !== undefined) return found
    const { start, stop } = newShard(time, this.settings.retentionNs, this.shards)
    return this.addShard(start, stop)
  }

  findShard(time: bigint): Shard | undefined {
    return this.shards.find((shard) => shard.start <= time && time < shard.stop)
  }

  addShard(start: bigint, stop: bigint): Shard {
    const shard = new Shard(start, stop)
    const at = this.shards.findIndex((other) => other.start > start)
    this.shards = this.shards.toSpliced(at < 0 ? this.shards.length : at, 0, shard)
    return shard
  }
}
