// Which segments of a shard to merge next. Only neighbours are merged, so that "later wins" keeps
// its meaning.
//
// 1. A segment with deletes is rewritten without the deleted rows, the one with most of them first.
// 2. Segments are ranked by size in tiers of a factor of four. The lowest tier in which enough
//    neighbours are no larger than it is merged: each row is rewritten about once per tier, so
//    writing n rows costs n log n. While points pour in many are let pile up, since merging
//    competes with flushing; once it is quiet two are enough.
// 3. Once it is quiet, neighbours whose times overlap, as late points make them, are merged where that costs little:
//    every read of both has to merge them again.
// 4. A shard that nobody writes to any more is merged into one.
// A merge that would rewrite a large segment for the sake of a small one waits until the small ones
// have grown, and one that would bring thousands of fields together is not made (`merged-fields.ts`).

import type { Segment } from '../bucket/segment.js'
import { weightOf } from '../bucket/tombstone-list.js'
import type { EngineLimits } from '../options/limits.js'
import { KnownFields, MergedFields } from './merged-fields.js'

const tierFactor = 4
const lowestTierBytes = 256 << 10

/** So much is rewritten for the sake of any late points; more for the sake of at least a sixteenth as much. */
const overlapBytesMin = 4 << 20
const overlapFactorMax = 16

function tierOf(byteLength: number): number {
  let tier = 0
  for (let size = lowestTierBytes; size < byteLength; size *= tierFactor) tier++
  return tier
}

/** How eagerly to merge: under load, when no flush came for a while, or when the shard is finished. */
export type Pressure = 'busy' | 'quiet' | 'finished'

/** Of the segments with deletes the one that has most of them: it is rewritten alone, before anything is merged. */
export function pickDeleted<T extends { readonly segment: Segment }>(
  candidates: Iterable<T>,
): T | undefined {
  let found: T | undefined
  let most = 0
  for (const candidate of candidates) {
    const weight = weightOf(candidate.segment.entry.tombstones)
    if (weight <= most) continue
    most = weight
    found = candidate
  }
  return found
}

/** Which of these neighbours to merge, oldest first, or undefined. */
export function pickCompaction(
  segments: readonly Segment[],
  limits: EngineLimits,
  pressure: Pressure,
  known = new KnownFields(),
): readonly Segment[] | undefined {
  const enough = pressure === 'busy' ? limits.compactionSegments : 2
  const highest = Math.max(0, ...segments.map(({ entry }) => tierOf(entry.byteLength)))
  for (let tier = 0; tier <= highest; tier++) {
    const run = longestRun(segments, tier, limits, known)
    if (run.length < enough) continue
    if (pressure === 'finished' || pays(run)) return run
  }
  return pressure === 'quiet' ? overlappingRun(segments, limits, known) : undefined
}

/** The first neighbours whose times overlap and that are worth to be merged. */
function overlappingRun(
  segments: readonly Segment[],
  { compactionBytesMax }: EngineLimits,
  known: KnownFields,
): readonly Segment[] | undefined {
  for (let start = 0; start + 1 < segments.length; start++) {
    let { maxTime, byteLength: total } = segments[start].entry
    let largest = total
    let stop = start + 1
    const fields = new MergedFields(known)
    fields.take(segments[start])
    for (; stop < segments.length; stop++) {
      const { entry } = segments[stop]
      if (entry.minTime > maxTime || total + entry.byteLength > compactionBytesMax) break
      if (!fields.take(segments[stop])) break
      total += entry.byteLength
      largest = Math.max(largest, entry.byteLength)
      if (entry.maxTime > maxTime) maxTime = entry.maxTime
    }
    const worth = Math.max(overlapBytesMin, overlapFactorMax * (total - largest))
    if (stop - start > 1 && largest <= worth) return segments.slice(start, stop)
  }
  return undefined
}

/** The rest of the run is at least half as large as its largest segment. */
function pays(run: readonly Segment[]): boolean {
  const sizes = run.map(({ entry }) => entry.byteLength)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return total >= 1.5 * Math.max(...sizes)
}

/** The longest stretch of neighbours up to this tier that together stay below the size limit. */
function longestRun(
  segments: readonly Segment[],
  tier: number,
  limits: EngineLimits,
  known: KnownFields,
): readonly Segment[] {
  let best: readonly Segment[] = []
  // None that begins later is longer than what is left.
  for (let start = 0; start + best.length < segments.length; start++) {
    let stop = start
    let bytes = 0
    const fields = new MergedFields(known)
    while (stop < segments.length && tierOf(segments[stop].entry.byteLength) <= tier) {
      bytes += segments[stop].entry.byteLength
      if (bytes > limits.compactionBytesMax || !fields.take(segments[stop])) break
      stop++
    }
    if (stop - start > best.length) best = segments.slice(start, stop)
  }
  return best
}
