// Which series still have rows: the index remembers every series that was ever written, deletes and
// retention take rows away without telling it. Looks at the groups of the segments and at their
// tombstones, and at the times of rows where a tombstone covers a part of a group.
//
// Most of the time nothing is gone. That every series of a measurement has rows stays true, whatever is
// written, until something is deleted or a shard expires; so it is found out once and remembered.

import type { Segment } from '../bucket/segment.js'
import type { Snapshot } from '../bucket/snapshot.js'
import { deletedSpans, type OffsetSpan, resolveTombstones } from '../bucket/tombstones.js'
import { TimeBuffer } from '../encoding/time-buffer.js'
import type { Measurement } from '../index/series-index.js'
import type { MeasurementDirectory } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import { RowCut } from '../segment/row-cut.js'

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

/** The same as a set. Undefined: every series has rows. `isWhole`: the snapshot leaves no shard out. */
export function liveSet(
  snapshot: Snapshot,
  measurement: Measurement,
  isWhole: boolean,
): ReadonlySet<number> | undefined {
  const { bucket, shards } = snapshot
  const oldest = shards[0]?.shard.start
  const checked = isWhole ? measurement.allLive : undefined
  const isUnchanged = checked?.losses === bucket.losses && checked.oldest === oldest
  if (isUnchanged) return undefined
  const live = new Set<number>()
  for (const id of liveSeries(snapshot, measurement)) {
    live.add(id)
    if (live.size < measurement.seriesCount) continue
    if (isWhole) measurement.allLive = { losses: bucket.losses, oldest }
    return undefined
  }
  return live
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
    const group = reader.readSeries(directory, g)
    const [min, max] = [directory.minOffsets[g], directory.maxOffsets[g]]
    let times: Float64Array | undefined
    for (let i = 0; i < group.count; i++) {
      const touching = deletes.any
        ? deletes.spans(group.ids[i]).filter((s) => s.start <= max && s.stop > min)
        : []
      if (touching.length === 0) yield group.ids[i]
      else if (touching.some((s) => s.start <= min && s.stop > max)) continue
      else {
        times ??= readTimes(reader, directory, g)
        const start = i === 0 ? 0 : group.ends[i - 1]
        if (hasTimeOutside(times, start, group.ends[i], touching)) yield group.ids[i]
      }
    }
  }
}

function readTimes(
  reader: SegmentReader,
  directory: MeasurementDirectory,
  group: number,
): Float64Array {
  const times = new TimeBuffer(true)
  const series = reader.readSeries(directory, group)
  const cut = new RowCut().setRows(0, directory.rowCounts[group])
  reader.readGroup(directory, group, [], times, [], [], series, cut)
  return times.offsets
}

function hasTimeOutside(
  times: Float64Array,
  start: number,
  stop: number,
  spans: readonly OffsetSpan[],
): boolean {
  for (let row = start; row < stop; row++) {
    if (!spans.some((s) => s.start <= times[row] && times[row] < s.stop)) return true
  }
  return false
}
