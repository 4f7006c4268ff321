// What a read sees: taken once, at its beginning, and unchanged whatever happens to the bucket
// meanwhile. The engine holds on to the segments and generations until the read has ended.

import type { Bucket, Shard } from '../bucket.js'
import type { Generation } from '../generation.js'
import type { Segment } from '../segment.js'

export interface Snapshot {
  readonly bucket: Bucket
  readonly shards: readonly { readonly shard: Shard; readonly segments: readonly Segment[] }[]
  /** Older first. */
  readonly generations: readonly Generation[]
  /** Points before this moment have expired. */
  readonly oldest: bigint
}

/** Nothing of it goes away until it is released. */
export function acquireSnapshot({ shards, generations }: Snapshot): void {
  for (const { segments } of shards) for (const segment of segments) segment.acquire()
  for (const generation of generations) generation.acquire()
}

/** Files that nobody needs any more are gone when resolved. */
export async function releaseSnapshot({ shards, generations }: Snapshot): Promise<void> {
  for (const generation of generations) generation.release()
  for (const { segments } of shards) {
    for (const segment of segments) {
      const removal = segment.release()
      if (removal !== undefined) await removal
    }
  }
}
