// Which series still have rows: the index remembers every series that was ever written, deletes and
// retention take rows away without telling it. Looks at the groups of the segments and at their
// tombstones, and at the times of rows where a tombstone covers a part of a group.
//
// Most of the time nothing is gone. That every series of a measurement has rows stays true, whatever is
// written, until something is deleted or a shard expires; so it is found out once and remembered.

import type { Work } from '../../../platform/turns.js'
import type { Segment } from '../bucket/segment.js'
import type { Snapshot } from '../bucket/snapshot.js'
import type { DeletedSpans, OffsetSpan } from '../bucket/tombstones.js'
import { TimeBuffer } from '../encoding/time-buffer.js'
import { asDamage } from '../files/damage.js'
import type { Measurement } from '../index/series-index.js'
import { SeriesMarks } from '../index/series-marks.js'
import type { GroupSeries } from '../segment/block-cache.js'
import type { MeasurementDirectory } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import { RowCut } from '../segment/row-cut.js'

/** The same as a set. Undefined: every series has rows. `isWhole`: the snapshot leaves no shard out. */
export function* liveSet(
  snapshot: Snapshot,
  measurement: Measurement,
  isWhole: boolean,
): Work<SeriesMarks | undefined> {
  const { bucket, index, shards } = snapshot
  const oldest = shards[0]?.shard.start
  const checked = isWhole ? measurement.allLive : undefined
  const { losses } = bucket
  if (checked?.losses === losses && checked.oldest === oldest) return undefined
  const live = new SeriesMarks(index.next)
  const { seriesCount } = measurement
  for (const ids of liveRuns(snapshot, measurement)) {
    live.add(ids)
    if (live.size >= seriesCount) {
      if (isWhole && bucket.losses === losses) measurement.allLive = { losses, oldest }
      return undefined
    }
    yield
  }
  return live
}

/** Numbers of series with rows, some at a time and some several times. */
function* liveRuns(
  snapshot: Snapshot,
  measurement: Measurement,
): Generator<Uint32Array | readonly number[], void, void> {
  for (const { shard, segments } of snapshot.shards) {
    for (const segment of segments) yield* liveInSegment(segment, shard.start, measurement)
    for (const generation of snapshot.generations) {
      const table = generation.table(shard, measurement.id)
      if (table === undefined) continue
      // Asked for anew for each run: points that come meanwhile may move them elsewhere.
      const count = table.seriesIds().length
      for (let at = 0; at < count; at += runLength) {
        yield table.seriesIds().slice(at, Math.min(at + runLength, count))
      }
    }
  }
}

const runLength = 8192

/** Stops at the first one. */
export function hasRows({ shards, generations }: Snapshot, measurement: Measurement): boolean {
  for (const { shard, segments } of shards) {
    for (const generation of generations) {
      if (generation.table(shard, measurement.id) !== undefined) return true
    }
    for (const segment of segments) if (hasRowsIn(segment, shard.start, measurement)) return true
  }
  return false
}

function hasRowsIn(segment: Segment, base: bigint, measurement: Measurement): boolean {
  if (segment.reader.directory.measurements.get(measurement.name) === undefined) return false
  if (!segment.deletes.of(measurement, base).spans.any) return true
  for (const ids of liveInSegment(segment, base, measurement)) if (ids.length > 0) return true
  return false
}

/** The same where nobody may be kept from writing: what a damaged or lost file holds counts as rows. */
export function mayHaveRows(snapshot: Snapshot, measurement: Measurement): boolean {
  if (snapshot.shards.some(({ shard }) => shard.lost.length > 0)) return true
  try {
    return hasRows(snapshot, measurement)
  } catch (error) {
    if (asDamage(error) === undefined) throw error
    return true
  }
}

function* liveInSegment(
  { reader, deletes: ofSegment }: Segment,
  base: bigint,
  measurement: Measurement,
): Generator<Uint32Array | readonly number[], void, void> {
  const directory = reader.directory.measurements.get(measurement.name)
  if (directory === undefined) return
  const { spans: deletes } = ofSegment.of(measurement, base)
  for (let g = 0; g < directory.groupCount; g++) {
    const group = reader.readSeries(directory, g)
    if (!deletes.any) yield group.ids
    else yield liveInGroup(reader, directory, g, group, deletes)
  }
}

function liveInGroup(
  reader: SegmentReader,
  directory: MeasurementDirectory,
  g: number,
  group: GroupSeries,
  deletes: DeletedSpans,
): number[] {
  const [min, max] = [directory.minOffsets[g], directory.maxOffsets[g]]
  const live: number[] = []
  let times: Float64Array | undefined
  for (let i = 0; i < group.count; i++) {
    const touching = deletes.spans(group.ids[i]).filter((s) => s.start <= max && s.stop > min)
    if (touching.length === 0) live.push(group.ids[i])
    else if (touching.some((s) => s.start <= min && s.stop > max)) continue
    else {
      times ??= readTimes(reader, directory, g)
      const start = i === 0 ? 0 : group.ends[i - 1]
      if (hasTimeOutside(times, start, group.ends[i], touching)) live.push(group.ids[i])
    }
  }
  return live
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
