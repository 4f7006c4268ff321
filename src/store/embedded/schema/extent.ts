// How far the rows of a request reach and how many they are at most, from segment directories and
// memtables alone: a reader cuts a big scan into slices by it. Row groups are the grain; a group
// that several series share counts whole as soon as it may hold one that is asked for. Interruptible.

import { allTime, type TimeRange } from '../../../column/time.js'
import type { Work } from '../../../platform/turns.js'
import type { Extent, SchemaRequest } from '../../store.js'
import type { Segment } from '../bucket/segment.js'
import type { Snapshot } from '../bucket/snapshot.js'
import type { DeletedSpans } from '../bucket/tombstones.js'
import type { Measurement } from '../index/series-index.js'
import { SeriesMarks } from '../index/series-marks.js'
import { matchSeriesInTurns } from '../index/series-match.js'
import type { SeriesTable } from '../rows/memtable.js'
import type { MeasurementDirectory } from '../segment/directory.js'

/** Numbers of the series that count; undefined: all of the measurement. */
type Chosen = SeriesMarks | undefined

/** Series or groups between two places where the work may be interrupted. */
const stepEntries = 8192

export function* extentOf(snapshot: Snapshot, request: SchemaRequest): Work<Extent> {
  const { index } = snapshot
  const asked = request.range ?? allTime
  const start = asked.start > snapshot.oldest ? asked.start : snapshot.oldest
  const extent = new GrowingExtent({ start, stop: asked.stop })
  const measurements =
    request.measurement === undefined
      ? index.measurements
      : [index.measurement(request.measurement)].filter((m) => m !== undefined)
  for (const measurement of measurements) {
    const chosen = yield* chosenSeries(measurement, request)
    if (chosen === undefined || chosen.size > 0) {
      yield* addMeasurement(extent, snapshot, measurement, chosen)
    }
    yield
  }
  const { rowCount: rowCountMax, storedBytes } = extent
  const isWhole = extent.isWhole && !measurements.some((one) => mayLieElsewhere(snapshot, one))
  return { range: extent.range(), rowCountMax, storedBytes, isWhole }
}

/** Whether shards that the range leaves out hold rows of it, deleted ones included; those that have expired do not. */
function mayLieElsewhere(snapshot: Snapshot, { id, name }: Measurement): boolean {
  const { bucket, shards, generations, oldest } = snapshot
  const looked = new Set(shards.map(({ shard }) => shard))
  return bucket.shards.some((shard) => {
    if (looked.has(shard) || shard.stop <= oldest) return false
    if (shard.lost.length > 0) return true
    const isHeld = generations.some((generation) => generation.table(shard, id) !== undefined)
    return (
      isHeld ||
      shard.segments.some(({ reader }) => reader.directory.measurements.get(name) !== undefined)
    )
  })
}

function* chosenSeries(measurement: Measurement, { predicate }: SchemaRequest): Work<Chosen> {
  if (predicate === undefined) return undefined
  const positions = yield* matchSeriesInTurns(measurement, predicate)
  const chosen = new SeriesMarks()
  const ids = new Uint32Array(Math.min(stepEntries, positions.length))
  for (let start = 0; start < positions.length; start += stepEntries) {
    const count = Math.min(stepEntries, positions.length - start)
    for (let i = 0; i < count; i++) ids[i] = measurement.seriesIds[positions[start + i]]
    chosen.add(ids, count)
    yield
  }
  return chosen
}

function* addMeasurement(
  extent: GrowingExtent,
  snapshot: Snapshot,
  measurement: Measurement,
  chosen: Chosen,
): Work<void> {
  for (const { shard, segments } of snapshot.shards) {
    for (const segment of segments) {
      yield* addSegment(extent, segment, shard.start, measurement, chosen)
    }
    for (const generation of snapshot.generations) {
      const table = generation.table(shard, measurement.id)
      if (table !== undefined && (yield* holdsAny(table, chosen))) {
        extent.add(shard.start, table.minOffset, table.maxOffset, table.rowCount)
      }
    }
    yield
  }
}

function* holdsAny(table: SeriesTable, chosen: Chosen): Work<boolean> {
  if (chosen === undefined) return true
  const count = table.seriesIds().length
  for (let start = 0; start < count; start += stepEntries) {
    // Asked for anew after each turn: points that come meanwhile may move them elsewhere.
    const ids = table.seriesIds()
    const stop = Math.min(start + stepEntries, count)
    for (let i = start; i < stop; i++) if (chosen.has(ids[i])) return true
    yield
  }
  return false
}

function* addSegment(
  extent: GrowingExtent,
  { reader, deletes: ofSegment }: Segment,
  base: bigint,
  measurement: Measurement,
  chosen: Chosen,
): Work<void> {
  const directory = reader.directory.measurements.get(measurement.name)
  if (directory === undefined) return
  const { spans: deletes } = ofSegment.of(measurement, base)
  const { groupCount, seriesCounts, firstSeries, minOffsets, maxOffsets, rowCounts } = directory
  for (let g = 0; g < groupCount; g++) {
    if (g % stepEntries === 0) yield
    if (seriesCounts[g] === 1) {
      if (chosen !== undefined && !chosen.has(firstSeries[g])) continue
      if (isGone(deletes, firstSeries[g], minOffsets[g], maxOffsets[g])) continue
    }
    const isIn = extent.add(base, minOffsets[g], maxOffsets[g], rowCounts[g])
    if (isIn) extent.storedBytes += groupBytes(directory, g)
  }
}

function groupBytes(directory: MeasurementDirectory, g: number): number {
  const { seriesBytes, timeBytes, columnBytes, fields } = directory
  let bytes = seriesBytes[g] + timeBytes[g]
  for (let field = 0; field < fields.length; field++)
    bytes += columnBytes[g * fields.length + field]
  return bytes
}

function isGone(deletes: DeletedSpans, series: number, min: number, max: number): boolean {
  return deletes.any && deletes.spans(series).some((s) => s.start <= min && s.stop > max)
}

/** Grows with what is added, within the range asked for. */
class GrowingExtent {
  rowCount = 0
  storedBytes = 0
  /** All rows that were added lie in the range. */
  isWhole = true
  readonly #asked: TimeRange
  /** Ends of the range asked for and of what was found, as offsets from `#base`. */
  #base: bigint | undefined
  #askedStart = 0
  #askedStop = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #found: TimeRange | undefined

  constructor(asked: TimeRange) {
    this.#asked = asked
  }

  /** Rows from `base + min` to `base + max`, both included. Whether some may be among those asked for. */
  add(base: bigint, min: number, max: number, rowCount: number): boolean {
    if (base !== this.#base) this.#rebase(base)
    if (min < this.#askedStart || max >= this.#askedStop) this.isWhole = false
    if (max < this.#askedStart || min >= this.#askedStop) return false
    if (min < this.#min) this.#min = min
    if (max > this.#max) this.#max = max
    this.rowCount += rowCount
    return true
  }

  range(): TimeRange | undefined {
    this.#settle()
    return this.#found === undefined ? undefined : common(this.#found, this.#asked)
  }

  #rebase(base: bigint): void {
    this.#settle()
    this.#base = base
    this.#askedStart = Number(this.#asked.start - base)
    this.#askedStop = Number(this.#asked.stop - base)
  }

  /** What was found in one shard is added to what was found in those before it. */
  #settle(): void {
    if (this.#base === undefined || this.#min > this.#max) return
    const start = this.#base + BigInt(this.#min)
    const stop = this.#base + BigInt(this.#max) + 1n
    const found = this.#found ?? { start, stop }
    this.#found = {
      start: start < found.start ? start : found.start,
      stop: stop > found.stop ? stop : found.stop,
    }
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
  }
}

function common(a: TimeRange, b: TimeRange): TimeRange {
  return {
    start: a.start > b.start ? a.start : b.start,
    stop: a.stop < b.stop ? a.stop : b.stop,
  }
}
