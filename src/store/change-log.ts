// Where the points of some buckets came or went, and when: which spans of time changed since a moment, for whoever has
// derived something from them. A bucket is watched from when it is first asked for until nobody has asked for an hour.
//
// Time is cut into grains of a second. Of each grain the last change is kept, for an hour; where there are too many
// grains, neighbours are made one, so that spans grow and memory does not. Nothing is kept on disk: after a start
// everything before it is unknown, and the answer says so.

import { floorDiv, nsPerHour, nsPerSecond, type TimeColumn } from '../column/time.js'
import type { WriteBatch } from '../column/write-batch.js'
import type { Clock } from '../platform/clock.js'
import type { BucketId, Change, Changes, DeleteRequest } from './store.js'

const keptNs = nsPerHour
const grainsMax = 16_384
const deletesMax = 256

interface Watched {
  /** Changes before it are unknown. */
  knownSince: bigint
  askedAt: bigint
  grainNs: number
  /** The last change of each grain, by its number: nanoseconds after `epoch`. */
  grains: Map<number, number>
  deletes: Change[]
}

export class ChangeLog {
  readonly #clock: Clock
  readonly #buckets = new Map<BucketId, Watched>()
  /** Times of changes are kept as numbers behind it. */
  readonly #epoch: bigint
  #last: bigint

  constructor(clock: Clock) {
    this.#clock = clock
    this.#epoch = clock.now()
    this.#last = this.#epoch
  }

  /** Once the points can be read. Costs nothing where the bucket is not watched. */
  wrote(bucket: BucketId, { tables }: WriteBatch): void {
    const watched = this.#watched(bucket)
    if (watched === undefined) return
    const at = Number(this.#tick() - this.#epoch)
    for (const { times } of tables) mark(watched, times, at)
    if (watched.grains.size > grainsMax) this.#shrink(watched)
  }

  deleted({ bucket, range, measurement, predicate }: DeleteRequest): void {
    const watched = this.#watched(bucket)
    if (watched === undefined) return
    watched.deletes.push({ range, at: this.#tick(), removed: { measurement, predicate } })
    if (watched.deletes.length > deletesMax) watched.deletes = [hull(watched.deletes)]
  }

  dropped(bucket: BucketId): void {
    this.#buckets.delete(bucket)
  }

  /** In the order of time. Spans may be larger than what has changed, and overlap. */
  since(bucket: BucketId, moment: bigint): Changes {
    const now = this.#tick()
    let watched = this.#buckets.get(bucket)
    if (watched === undefined) {
      watched = newlyWatched(now)
      this.#buckets.set(bucket, watched)
    }
    watched.askedAt = now
    this.#forget(watched, now - keptNs)
    const { knownSince, deletes } = watched
    const changes = [...this.#grainChanges(watched, moment), ...deletes]
      .filter(({ at }) => at >= moment)
      .sort((a, b) => (a.range.start < b.range.start ? -1 : 1))
    return { knownSince, until: now, changes }
  }

  *#grainChanges({ grains, grainNs }: Watched, moment: bigint): Generator<Change> {
    for (const [grain, behind] of grains) {
      const at = this.#epoch + BigInt(behind)
      if (at < moment) continue
      const start = BigInt(grain) * BigInt(grainNs)
      yield { range: { start, stop: start + BigInt(grainNs) }, at }
    }
  }

  #watched(bucket: BucketId): Watched | undefined {
    const watched = this.#buckets.get(bucket)
    if (watched === undefined || this.#clock.now() - watched.askedAt <= keptNs) return watched
    this.#buckets.delete(bucket)
    return undefined
  }

  /** Every change has a moment of its own, also while the clock is set back. */
  #tick(): bigint {
    const now = this.#clock.now()
    this.#last = now > this.#last ? now : this.#last + 1n
    return this.#last
  }

  #forget(watched: Watched, before: bigint): void {
    if (watched.knownSince >= before) return
    const behind = Number(before - this.#epoch)
    for (const [grain, at] of watched.grains) if (at < behind) watched.grains.delete(grain)
    watched.deletes = watched.deletes.filter(({ at }) => at >= before)
    watched.knownSince = before
  }

  #shrink(watched: Watched): void {
    this.#forget(watched, this.#last - keptNs)
    // Half of them stay free: neighbours are not brought together again and again.
    while (watched.grains.size > grainsMax / 2) {
      const wider = new Map<number, number>()
      for (const [grain, at] of watched.grains) {
        const both = Math.floor(grain / 2)
        wider.set(both, Math.max(at, wider.get(both) ?? at))
      }
      watched.grains = wider
      watched.grainNs *= 2
    }
  }
}

function newlyWatched(now: bigint): Watched {
  const grainNs = Number(nsPerSecond)
  return { knownSince: now, askedAt: now, grainNs, grains: new Map(), deletes: [] }
}

function mark({ grains, grainNs }: Watched, { base, offsets }: TimeColumn, at: number): void {
  const first = floorDiv(base, BigInt(grainNs))
  const rest = Number(base - first * BigInt(grainNs))
  let last = Number.NaN
  for (const offset of offsets) {
    const behind = rest + offset
    let steps = Math.floor(behind / grainNs)
    // A quotient just below a whole number may be rounded up to it.
    if (steps * grainNs > behind) steps--
    if (steps === last) continue
    last = steps
    grains.set(Number(first) + steps, at)
  }
}

function hull(changes: readonly Change[]): Change {
  let { range, at } = changes[0]
  for (const change of changes) {
    const { start, stop } = change.range
    range = {
      start: start < range.start ? start : range.start,
      stop: stop > range.stop ? stop : range.stop,
    }
    if (change.at > at) at = change.at
  }
  return { range, at, removed: { isRough: true } }
}
