// Which series still have rows: the index remembers every series that was ever written, deletes and
// retention take rows away without telling it. Looks at the groups of the segments and at their
// tombstones, not at rows: a series of which a part is left counts as there.

import type { Snapshot } from './read/read.js'
import type { Segment } from './segment.js'
import type { Measurement } from './series-index.js'
import { deletedSpans, resolveTombstones } from './tombstones.js'

/** Numbers of the measurement's series that have rows in the snapshot's shards. */
export function* liveSeries(
  snapshot: Snapshot,
  measurement: Measurement,
): Generator<number, void, void> {
  for (const { shard, segments } of snapshot.shards) {
    for (const segment of segments) yield* liveInSegment(segment, shard.start, measurement)
    for (const generation of snapshot.generations) {
      yield* generation.table(shard, measurement.id)?.seriesIds() ?? []
    }
  }
}

export function hasRows(snapshot: Snapshot, measurement: Measurement): boolean {
  return liveSeries(snapshot, measurement).next().done === false
}

function* liveInSegment(
  { reader, entry }: Segment,
  base: bigint,
  measurement: Measurement,
): Generator<number, void, void> {
  const directory = reader.directory.measurements.get(measurement.name)
  if (directory === undefined) return
  const deletes = deletedSpans(
    resolveTombstones(entry.tombstones, base, measurement),
    measurement.name,
  )
  for (let g = 0; g < directory.groupCount; g++) {
    const { ids, count } = reader.readSeries(directory, g)
    for (let i = 0; i < count; i++) {
      const gone =
        deletes.any &&
        deletes
          .spans(ids[i])
          .some((s) => s.start <= directory.minOffsets[g] && s.stop > directory.maxOffsets[g])
      if (!gone) yield ids[i]
    }
  }
}
