// What one write may add to a bucket: series, measurements, fields, keys of tags, shards. Counted before memory is
// taken for the next one, and told with the flag that sets it: a few megabytes of text could ask for gigabytes. A write
// that comes in pieces has one for all of them, which does not count what others add between two pieces.

import type { TableCheck } from '../../admission-rules.js'
import type { Bucket, Shard } from '../bucket/bucket.js'
import type { EngineLimits } from '../options/limits.js'
import type { Growing, Growth, Rooms } from './growth.js'

export class WriteBudget {
  readonly #bucket: Bucket
  readonly #limits: EngineLimits
  readonly #growth: Growth
  /** Found out with the first thing that is new. */
  #rooms: Rooms | undefined
  #seriesBefore: number
  #tagKeysBefore: number
  /** By the pieces before this one. */
  #seriesAdded = 0
  #tagKeysAdded = 0
  /** Of the shards that points of this write lie in. */
  readonly #starts = new Set<bigint>()

  constructor(bucket: Bucket, limits: EngineLimits, growth: Growth) {
    this.#bucket = bucket
    this.#limits = limits
    this.#growth = growth
    this.#seriesBefore = bucket.index.next
    this.#tagKeysBefore = bucket.index.tagKeyCount
  }

  /** A piece has been looked at. */
  endPiece(): void {
    const { index } = this.#bucket
    this.#seriesAdded += index.next - this.#seriesBefore
    this.#tagKeysAdded += index.tagKeyCount - this.#tagKeysBefore
  }

  /** Before the next. */
  beginPiece(): void {
    const { index } = this.#bucket
    this.#rooms = undefined
    this.#seriesBefore = index.next
    this.#tagKeysBefore = index.tagKeyCount
  }

  /** Why no further series may be added; undefined: one may. */
  refuseSeries(): string | undefined {
    const { index } = this.#bucket
    const { seriesPerWriteMax, tagsPerWriteMax } = this.#limits
    if (this.#seriesAdded + index.next - this.#seriesBefore >= seriesPerWriteMax) {
      return `a write may add at most ${seriesPerWriteMax} series (--write-series-max)`
    }
    if (this.#tagKeysAdded + index.tagKeyCount - this.#tagKeysBefore >= tagsPerWriteMax) {
      return `a write may add at most ${tagsPerWriteMax} keys of tags (--write-tags-max)`
    }
    return this.refuse('series')
  }

  /** Why `adding` more of these may not be added to the bucket, whatever this write has added before. */
  refuse(what: Growing, adding?: number): string | undefined {
    this.#rooms ??= this.#growth.rooms(this.#bucket)
    return this.#rooms.refuse(what, adding)
  }

  /** Refuses rows that lie in more shards than a write, or a bucket, may have; the others have theirs then. */
  refuseShards(check: TableCheck): void {
    const { times, rowCount } = check.table
    let low = 0
    let high = 0
    for (let row = 0; row < rowCount; row++) {
      const offset = times.offsets[row]
      if ((offset >= low && offset < high) || check.isRejected(row)) continue
      const shard = this.#take(times.base + BigInt(offset))
      if (typeof shard === 'string') check.reject(row, shard)
      else {
        low = Number(shard.start - times.base)
        high = Number(shard.stop - times.base)
      }
    }
  }

  /** The shard of a moment, or why it may have none. */
  #take(time: bigint): Shard | string {
    const { shardsPerWriteMax, shardsMax } = this.#limits
    const known = this.#bucket.findShard(time)
    if (known !== undefined && this.#starts.has(known.start)) return known
    if (this.#starts.size >= shardsPerWriteMax) {
      return `a write may reach into at most ${shardsPerWriteMax} shards (--write-shards-max)`
    }
    if (known === undefined && this.#bucket.shards.length >= shardsMax) {
      return `a bucket may have at most ${shardsMax} shards`
    }
    const shard = known ?? this.#bucket.shardAt(time)
    this.#starts.add(shard.start)
    return shard
  }
}
