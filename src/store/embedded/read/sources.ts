// Where a read takes its rows from: the segments and memtables of a snapshot that may hold some,
// and the cursors that walk them. Where two sources hold the same point, the one with the higher
// rank wins.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { TimeRange } from '../../../column/time.js'
import type { Shard } from '../bucket.js'
import type { Generation } from '../generation.js'
import type { SeriesTable } from '../memtable.js'
import type { FieldEntry, MeasurementDirectory } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import type { Segment } from '../segment.js'
import type { Measurement } from '../series-index.js'
import { deletedSpans, type ResolvedDelete, resolveTombstones } from '../tombstones.js'
import type { SeriesCursor } from './cursor.js'
import { MemtableCursor, type MemtableWalk } from './memtable-cursor.js'
import type { Plan } from './plan.js'
import { predicateFields } from './row-filter.js'
import { type OffsetRange, SegmentCursor, type SegmentWalk } from './segment-cursor.js'
import { type Selection, type SeriesBounds, selectSeries } from './selection.js'
import type { ShardView } from './snapshot.js'

interface SourcePlace {
  /** Start of the shard that offsets count from. */
  readonly base: bigint
  readonly rank: number
}

export interface SegmentSource extends SourcePlace {
  readonly kind: 'segment'
  readonly reader: SegmentReader
  readonly directory: MeasurementDirectory
  readonly deletes: readonly ResolvedDelete[]
}

export interface TableSource extends SourcePlace {
  readonly kind: 'table'
  readonly table: SeriesTable
  /** What the table was when the read began is all that a read may see of it: it is not frozen yet. */
  readonly isFilling: boolean
}

export type Source = SegmentSource | TableSource

export function segmentSources(
  views: readonly ShardView[],
  plan: Plan,
  measurement: Measurement,
): SegmentSource[] {
  const sources: SegmentSource[] = []
  for (const { shard, segments } of views) {
    if (!overlaps(shard, plan.range)) continue
    const base = shard.start
    for (let rank = 0; rank < segments.length; rank++) {
      const directory = directoryFor(segments[rank], plan)
      if (directory === undefined) continue
      const { reader, entry } = segments[rank]
      const deletes = resolveTombstones(entry.tombstones, base, measurement)
      sources.push({ kind: 'segment', base, rank, reader, directory, deletes })
    }
  }
  return sources
}

/** Rows that are not in segments yet: they come after all that are. Undefined: there are none. */
export function tableSources(
  views: readonly ShardView[],
  generations: readonly Generation[],
  measurement: Measurement,
): TableSource[] | undefined {
  let sources: TableSource[] | undefined
  for (let v = 0; v < views.length; v++) {
    const { shard, segments } = views[v]
    for (let k = 0; k < generations.length; k++) {
      const table = generations[k].table(shard, measurement.id)
      if (table === undefined) continue
      const isFilling = k === generations.length - 1
      sources ??= []
      sources.push({
        kind: 'table',
        base: shard.start,
        rank: segments.length + k,
        table,
        isFilling,
      })
    }
  }
  return sources
}

function overlaps(shard: Shard, range: TimeRange): boolean {
  return range.start < shard.stop && range.stop > shard.start
}

function directoryFor({ reader, entry }: Segment, plan: Plan): MeasurementDirectory | undefined {
  if (entry.maxTime < plan.range.start || entry.minTime >= plan.range.stop) return undefined
  return reader.directory.measurements.get(plan.measurement)
}

/** What cursors over the series within the bounds walk. */
export type Walk = SegmentWalk | MemtableWalk

export function makeWalks(
  sources: readonly Source[],
  plan: Plan,
  keys: ByteTableView,
  bounds: SeriesBounds,
): Walk[] {
  const selection = selectSeries(plan.series, bounds, keys)
  return sources.map((source) => {
    const { base, rank } = source
    const range = offsetRange(plan.range, base)
    if (source.kind === 'segment') return segmentWalk(source, plan, range, selection, keys)
    const { table } = source
    const { fieldIds, types } = plan
    return { kind: 'table', table, base, rank, fieldIds, types, range, selection, keys }
  })
}

function segmentWalk(
  { reader, directory, base, rank, deletes }: SegmentSource,
  plan: Plan,
  range: OffsetRange,
  selection: Selection,
  keys: ByteTableView,
): SegmentWalk {
  const wanted = plan.names.map((name, f) => ({ name, type: plan.types[f] }))
  const fields = fieldPositions(directory, wanted)
  const looked = plan.rowPredicate === undefined ? undefined : predicateFields(plan.rowPredicate)
  const deleted = deletedSpans(deletes, plan.measurement)
  return {
    kind: 'segment',
    reader,
    directory,
    base,
    rank,
    fields,
    filterFields:
      looked === undefined || plan.names.every((name) => looked.has(name))
        ? undefined
        : fields.map((field, f) => (looked.has(plan.names[f]) ? field : -1)),
    range,
    selection,
    keys,
    deleted: deleted.spans,
    hasDeletes: deleted.any,
    // Windows are computed from them, and are all that is handed out.
    staysInside: plan.window !== undefined,
    places: [],
  }
}

/** By field: where it stands in the segment, or -1. One of the same name and another type is one that was deleted. */
export function fieldPositions(
  directory: MeasurementDirectory,
  wanted: readonly FieldEntry[],
): number[] {
  return wanted.map(({ name, type }) =>
    directory.fields.findIndex((field) => field.name === name && field.type === type),
  )
}

export function openCursors(walks: readonly Walk[]): SeriesCursor[] {
  return walks.map((walk) =>
    walk.kind === 'segment' ? new SegmentCursor(walk) : new MemtableCursor(walk),
  )
}

/** Numbers beyond the exact range only ever mean "before" or "behind everything" here. */
function offsetRange(range: TimeRange, base: bigint): OffsetRange {
  return { start: Number(range.start - base), stop: Number(range.stop - base) }
}
