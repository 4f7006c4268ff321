// Where a read takes its rows from: the segments and memtables of a snapshot that may hold some,
// and the cursors that walk them. Where two sources hold the same point, the one with the higher
// rank wins.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { TimeRange } from '../../../column/time.js'
import type { SeriesTable } from '../memtable.js'
import type { MeasurementDirectory } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import type { Segment } from '../segment.js'
import { deletedSpans, type ResolvedDelete, resolveTombstones } from '../tombstones.js'
import type { SeriesCursor } from './cursor.js'
import { MemtableCursor } from './memtable-cursor.js'
import type { Plan } from './plan.js'
import { predicateFields } from './row-filter.js'
import { type OffsetRange, SegmentCursor } from './segment-cursor.js'
import { type SeriesBounds, selectSeries } from './selection.js'
import type { Snapshot } from './snapshot.js'

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

export function makeSources(snapshot: Snapshot, plan: Plan): Source[] {
  const sources: Source[] = []
  const measurement = snapshot.bucket.index.measurement(plan.measurement)!
  for (const { shard, segments } of snapshot.shards) {
    if (plan.range.start >= shard.stop || plan.range.stop <= shard.start) continue
    const base = shard.start
    let rank = 0
    for (const segment of segments) {
      const directory = directoryFor(segment, plan)
      if (directory === undefined) continue
      const { reader, entry } = segment
      const deletes = resolveTombstones(entry.tombstones, base, measurement)
      sources.push({ kind: 'segment', base, rank: rank++, reader, directory, deletes })
    }
    for (const generation of snapshot.generations) {
      const table = generation.table(shard, measurement.id)
      if (table === undefined) continue
      const isFilling = generation === snapshot.generations.at(-1)
      sources.push({ kind: 'table', base, rank: rank++, table, isFilling })
    }
  }
  return sources
}

function directoryFor({ reader, entry }: Segment, plan: Plan): MeasurementDirectory | undefined {
  if (entry.maxTime < plan.range.start || entry.minTime >= plan.range.stop) return undefined
  return reader.directory.measurements.get(plan.measurement)
}

/** Cursors over the series within the bounds. */
export function makeCursors(
  sources: readonly Source[],
  plan: Plan,
  keys: ByteTableView,
  bounds: SeriesBounds,
): SeriesCursor[] {
  const selection = selectSeries(plan.series, bounds, keys)
  const fields = plan.names.map((name, f) => ({ name, type: plan.types[f] }))
  const looked = plan.rowPredicate === undefined ? undefined : predicateFields(plan.rowPredicate)
  const filterFields = looked && plan.names.map((name) => looked.has(name))
  return sources.map((source) => {
    const { base, rank } = source
    const range = offsetRange(plan.range, base)
    if (source.kind === 'table') {
      const { table } = source
      const { fieldIds, types } = plan
      return new MemtableCursor({ table, base, rank, fieldIds, types, range, selection, keys })
    }
    const { reader, directory } = source
    const deletes = deletedSpans(source.deletes, plan.measurement)
    return new SegmentCursor({
      reader,
      directory,
      base,
      rank,
      fields,
      filterFields,
      range,
      selection,
      keys,
      deleted: deletes.spans,
      hasDeletes: deletes.any,
    })
  })
}

/** Numbers beyond the exact range only ever mean "before" or "behind everything" here. */
function offsetRange(range: TimeRange, base: bigint): OffsetRange {
  return { start: Number(range.start - base), stop: Number(range.stop - base) }
}
