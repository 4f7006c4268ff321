// What a delete does to the segments that exist: which of them get a tombstone, which are gone as a whole, and what a
// merge that was under way has to take over. Carrying the tombstones out is compaction's.

import type { Bucket, Shard } from '../bucket/bucket.js'
import { Segment } from '../bucket/segment.js'
import { takesAll, withTombstone } from '../bucket/tombstone-list.js'
import type { SegmentEntry, Tombstone } from '../files/manifest.js'
import { matchSeries } from '../index/series-match.js'
import type { ShardEdit } from '../structure/structure.js'

/** The shards that change; none: nothing that is stored is meant. */
export function deleteEdits(bucket: Bucket, tombstone: Tombstone): ShardEdit[] {
  if (!choosesAny(bucket, tombstone)) return []
  const edits: ShardEdit[] = []
  for (const shard of bucket.shards) {
    if (shard.start >= tombstone.stop || shard.stop <= tombstone.start) continue
    const segments = entriesAfter(shard, tombstone)
    if (segments !== undefined) edits.push({ bucket, shard, segments })
  }
  return edits
}

/** Every series with points is in the index: where none is chosen there is nothing to delete. */
function choosesAny({ index }: Bucket, { measurement, predicate }: Tombstone): boolean {
  if (predicate === undefined) return true
  const chosen = measurement === undefined ? index.measurements : [index.measurement(measurement)]
  return chosen.some((one) => one !== undefined && matchSeries(one, predicate).length > 0)
}

/** Undefined: as before. */
function entriesAfter(shard: Shard, tombstone: Tombstone): SegmentEntry[] | undefined {
  let isChanged = false
  const segments: SegmentEntry[] = []
  for (const slot of shard.slots) {
    const { entry } = slot
    // What a lost one holds is not known: it takes every delete, and keeps its place.
    const names = slot instanceof Segment ? slot.reader.directory.measurements : undefined
    const { measurement } = tombstone
    const isMeant =
      measurement === undefined || names?.get(measurement) !== undefined || names === undefined
    const tombstones = isMeant
      ? withTombstone(entry.tombstones, tombstone, entry)
      : entry.tombstones
    if (tombstones === entry.tombstones) segments.push(entry)
    else {
      isChanged = true
      if (names !== undefined && takesAll(tombstones, entry, [...names.keys()])) continue
      segments.push({ ...entry, tombstones })
    }
  }
  return isChanged ? segments : undefined
}

/** The output of a merge with the deletes that came after its inputs were read. */
export function withLaterDeletes(
  output: SegmentEntry,
  inputs: readonly Segment[],
  now: readonly SegmentEntry[],
): SegmentEntry {
  let { tombstones } = output
  inputs.forEach(({ entry: before }, i) => {
    for (const tombstone of now[i].tombstones) {
      if (before.tombstones.includes(tombstone)) continue
      tombstones = withTombstone(tombstones, tombstone, output)
    }
  })
  return tombstones === output.tombstones ? output : { ...output, tombstones }
}
