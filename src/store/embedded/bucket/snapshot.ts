// What a read sees: taken once, at its beginning, and unchanged whatever happens to the bucket
// meanwhile. The engine holds on to the segments and generations until the read has ended.

import type { MaybePromise } from '../../../platform/pull-stream.js'
import { inTurns, type Work } from '../../../platform/turns.js'
import type { SeriesIndex } from '../index/series-index.js'
import type { Bucket, Shard } from './bucket.js'
import type { Generation } from './generation.js'
import type { Segment } from './segment.js'

export interface ShardView {
  readonly shard: Shard
  readonly segments: readonly Segment[]
}

/** What a read holds on to. */
export interface HeldRows {
  readonly shards: readonly ShardView[]
  /** Older first. */
  readonly generations: readonly Generation[]
}

export interface Snapshot extends HeldRows {
  readonly bucket: Bucket
  /** The bucket's, which is replaced when series have left it. */
  readonly index: SeriesIndex
  /** Points before this moment have expired. */
  readonly oldest: bigint
}

/** Nothing of it goes away until it is released. */
export function acquireSnapshot({ shards, generations }: HeldRows): void {
  for (const { segments } of shards) for (const segment of segments) segment.acquire()
  for (const generation of generations) generation.acquire()
}

/** Files that nobody needs any more are gone when resolved; undefined where there are none. */
export function releaseSnapshot({ shards, generations }: HeldRows): Promise<void> | undefined {
  for (const generation of generations) generation.release()
  let removals: Promise<void>[] | undefined
  for (const { segments } of shards) {
    for (const segment of segments) {
      const removal = segment.release()
      if (removal === undefined) continue
      removals ??= []
      removals.push(removal)
    }
  }
  return removals && Promise.all(removals).then(() => undefined)
}

/** Work on a snapshot, in turns where it takes long: what it looks at stays as it was. */
export function inTurnsOn<T>(
  held: HeldRows,
  work: Work<T>,
  signal: AbortSignal | undefined,
): MaybePromise<T> {
  const hold = () => acquireSnapshot(held)
  return inTurns(work, signal, { hold, release: () => releaseSnapshot(held) })
}
