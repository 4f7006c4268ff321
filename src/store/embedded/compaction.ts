// Which segments of a shard to merge next. Only neighbours are merged, so that "later wins" keeps its meaning.
//
// 1. A segment with deletes is rewritten without the deleted rows.
// 2. Segments are ranked by size in tiers of a factor of four. The lowest tier in which enough neighbours are no larger
//    than it is merged: each row is rewritten about once per tier, so writing n rows costs n log n.
// 3. A shard that nobody writes to any more is merged into one.

import type { Shard } from './bucket.js'
import type { EngineLimits } from './limits.js'
import type { Segment } from './segment.js'

const tierFactor = 4
const lowestTierBytes = 256 << 10

function tierOf(byteLength: number): number {
  let tier = 0
  for (let size = lowestTierBytes; size < byteLength; size *= tierFactor) tier++
  return tier
}

/** Neighbouring segments to merge, oldest first, or undefined. */
export function pickCompaction(
  shard: Shard,
  limits: EngineLimits,
  cold: boolean,
): readonly Segment[] | undefined {
  const { segments } = shard
  const deleted = segments.find(({ entry }) => entry.tombstones.length > 0)
  if (deleted !== undefined) return [deleted]
  const highest = Math.max(0, ...segments.map(({ entry }) => tierOf(entry.byteLength)))
  for (let tier = 0; tier <= highest; tier++) {
    const run = longestRun(segments, tier, limits)
    if (run.length >= limits.compactionSegments) return run
  }
  if (!cold) return undefined
  const run = longestRun(segments, highest, limits)
  return run.length > 1 ? run : undefined
}

/** The longest stretch of neighbours up to this tier that together stay below the size limit. */
function longestRun(
  segments: readonly Segment[],
  tier: number,
  limits: EngineLimits,
): readonly Segment[] {
  let best: readonly Segment[] = []
  for (let start = 0; start < segments.length; start++) {
    let stop = start
    let bytes = 0
    while (stop < segments.length && tierOf(segments[stop].entry.byteLength) <= tier) {
      bytes += segments[stop].entry.byteLength
      if (bytes > limits.compactionBytesMax) break
      stop++
    }
    if (stop - start > best.length) best = segments.slice(start, stop)
  }
  return best
}
