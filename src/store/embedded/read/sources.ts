// Where a read takes its rows from: the segments and memtables of a snapshot that may hold some,
// and the cursors over them. Where two sources hold the same point, the one with the higher rank
// wins.

import { predicateFields } from '../../../column/predicate.js'
import type { TimeRange } from '../../../column/time.js'
import type { WindowAggregate } from '../../store.js'
import type { Shard } from '../bucket/bucket.js'
import type { Generation } from '../bucket/generation.js'
import type { Segment } from '../bucket/segment.js'
import type { ShardView } from '../bucket/snapshot.js'
import { type DeletedSpans, deletedSpans, type ResolvedDelete } from '../bucket/tombstones.js'
import type { Measurement } from '../index/series-index.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { SeriesTable } from '../rows/memtable.js'
import type { FieldEntry, MeasurementDirectory } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import type { SeriesCursor } from './cursor.js'
import { MemtableCursor, type MemtableCursorInput } from './memtable-cursor.js'
import type { Plan, RequestPlan } from './plan.js'
import {
  type OffsetRange,
  type SegmentAccess,
  SegmentCursor,
  type SegmentCursorInput,
} from './segment-cursor.js'
import type { Selection } from './selection.js'

export class SegmentSource {
  readonly kind = 'segment'
  /** Start of the shard that offsets count from. */
  readonly base: bigint
  readonly rank: number
  readonly reader: SegmentReader
  readonly measurement: string
  readonly deletes: readonly ResolvedDelete[]

  constructor(
    base: bigint,
    rank: number,
    reader: SegmentReader,
    measurement: string,
    deletes: readonly ResolvedDelete[],
  ) {
    this.base = base
    this.rank = rank
    this.reader = reader
    this.measurement = measurement
    this.deletes = deletes
  }

  /** Through the reader, which drops it when the file is closed: a source may be kept for longer than that. */
  get directory(): MeasurementDirectory {
    return this.reader.directory.measurements.get(this.measurement)!
  }
}

export interface TableSource {
  readonly kind: 'table'
  readonly base: bigint
  readonly rank: number
  readonly table: SeriesTable
  /** What the table was when the read began is all that a read may see of it: it is not frozen yet. */
  readonly isFilling: boolean
}

export type Source = SegmentSource | TableSource

/** What a request needs of a segment, whatever the time range. */
export interface SegmentPlan {
  readonly deletes: readonly ResolvedDelete[]
  readonly access: SegmentAccess
}

/** Undefined: it has no rows of the measurement. */
export function planSegment(
  { reader, deletes: ofSegment }: Segment,
  base: bigint,
  plan: RequestPlan,
  measurement: Measurement,
): SegmentPlan | undefined {
  const directory = reader.directory.measurements.get(plan.measurement)
  if (directory === undefined) return undefined
  const { resolved: deletes, spans } = ofSegment.of(measurement, base)
  return { deletes, access: accessTo(directory, spans, plan) }
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

export function overlaps({ start, stop }: Shard, range: TimeRange): boolean {
  return range.start < stop && range.stop > start
}

export function holdsTimes({ entry }: Segment, range: TimeRange): boolean {
  return entry.maxTime >= range.start && entry.minTime < range.stop
}

/** What cursors over the selected series are made from. */
export type CursorInput = SegmentCursorInput | MemtableCursorInput

export function cursorInputs(
  sources: readonly Source[],
  plan: Plan,
  selection: Selection,
  keys: SeriesKeyView,
): CursorInput[] {
  return sources.map((source) => {
    if (source.kind === 'table') return tableInput(source, plan, selection, keys)
    const deleted = deletedSpans(source.deletes, plan.measurement)
    const access = accessTo(source.directory, deleted, plan)
    return segmentInput(source, access, plan, selection, keys)
  })
}

export function segmentInput(
  { reader, base, rank, measurement }: SegmentSource,
  access: SegmentAccess,
  { range }: Plan,
  selection: Selection,
  keys: SeriesKeyView,
): SegmentCursorInput {
  const offsets = offsetRange(range, base)
  return {
    kind: 'segment',
    reader,
    measurement,
    base,
    rank,
    access,
    range: offsets,
    selection,
    keys,
  }
}

export function tableInput(
  { table, base, rank }: TableSource,
  { fieldIds, types, range }: Plan,
  selection: Selection,
  keys: SeriesKeyView,
): MemtableCursorInput {
  const offsets = offsetRange(range, base)
  return { kind: 'table', table, base, rank, fieldIds, types, range: offsets, selection, keys }
}

function accessTo(
  directory: MeasurementDirectory,
  deleted: DeletedSpans,
  plan: RequestPlan,
): SegmentAccess {
  const wanted = plan.names.map((name, f) => ({ name, type: plan.types[f] }))
  const fields = fieldPositions(directory, wanted)
  const looked = plan.rowPredicate === undefined ? undefined : predicateFields(plan.rowPredicate)
  return {
    fields,
    filterFields:
      looked === undefined || plan.names.every((name) => looked.has(name))
        ? undefined
        : fields.map((field, f) => (looked.has(plan.names[f]) ? field : -1)),
    deleted: deleted.spans,
    hasDeletes: deleted.any,
    needsTimes: plan.rowPredicate !== undefined || looksAtTimes(plan.window),
    rowsPerSeries: looksAtAll(plan) ? Number.POSITIVE_INFINITY : plan.limitPerSeries,
    isCounted: plan.names.map((name) => plan.rowPredicate === undefined && isCounted(plan, name)),
    // Windows are computed from them, and are all that is handed out.
    staysInside: plan.window !== undefined,
    places: [],
  }
}

/** However few are wanted: windows are what a limit counts, and of rows those that pass. */
function looksAtAll({ window, rowPredicate }: RequestPlan): boolean {
  return window !== undefined || rowPredicate !== undefined
}

/** Without windows, sums and the like need only know that rows are in range. */
function looksAtTimes(window: WindowAggregate | undefined): boolean {
  if (window === undefined) return true
  const { everyNs, pointTimes, aggregates } = window
  if (everyNs !== undefined || pointTimes === true) return true
  return aggregates.some(({ function: fn }) => fn === 'first' || fn === 'last')
}

/** Whether counts are all that is asked of a field. */
function isCounted({ window }: RequestPlan, name: string): boolean {
  const asked = window?.aggregates.filter(({ field }) => field === name) ?? []
  return asked.length > 0 && asked.every((aggregate) => aggregate.function === 'count')
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

export function openCursors(inputs: readonly CursorInput[]): SeriesCursor[] {
  return inputs.map((input) =>
    input.kind === 'segment' ? new SegmentCursor(input) : new MemtableCursor(input),
  )
}

/** Numbers beyond the exact range only ever mean "before" or "behind everything" here. */
function offsetRange(range: TimeRange, base: bigint): OffsetRange {
  return { start: Number(range.start - base), stop: Number(range.stop - base) }
}
