// Compaction: neighbouring segments of a shard become one. Series by series, pieces are merged as a
// read merges them (the later segment wins), deleted rows are left out, and the result is written
// as a new segment. Runs on a worker or, for a disk in memory, where it is called.

import type { FieldType } from '../../../column/column.js'
import type { Disk } from '../../../platform/disk.js'
import { type Garbage, wideBytesMin } from '../../../platform/garbage.js'
import { deletedSpans, type ResolvedDelete } from '../bucket/tombstones.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { LentBuffers } from '../read/lent-buffers.js'
import { SegmentCursor } from '../read/segment-cursor.js'
import { everySeries } from '../read/selection.js'
import { loadCluster, SeriesMerge } from '../read/series-merge.js'
import { fieldPositions } from '../read/sources.js'
import { RowMerger, RowsBuilder, slice } from '../rows/rows.js'
import type { FieldEntry } from '../segment/directory.js'
import { groupRowsMin } from '../segment/format.js'
import { SegmentReader } from '../segment/reader.js'
import { type SegmentSummary, SegmentWriter } from '../segment/writer.js'

export interface CompactionInput {
  readonly path: string
  readonly deletes: readonly ResolvedDelete[]
}

export interface CompactionJob {
  readonly path: string
  readonly base: bigint
  /** Number of the one in force. */
  readonly manifest: number
  readonly keys: SeriesKeyView
  /** Oldest first. */
  readonly inputs: readonly CompactionInput[]
}

/** Series between two moments at which more urgent work may go first. */
const seriesPerPause = 64

/** Rows times fields that are held of one series, 5 MB, in up to four places: one with more is written in parts. */
const cellsMax = 1 << 19
const wideCellsMax = 1 << 18

/** From so many fields on the cursors share the arrays that they decode into. */
const lendingFieldsMin = 256

/** What a job has of the thread that it runs on. */
export interface JobThread {
  readonly garbage: Garbage
  /** Resolves when more urgent work was done. */
  breathe(): Promise<void>
}

/** Undefined: every row was deleted, and there is no file. */
export async function runCompaction(
  disk: Disk,
  job: CompactionJob,
  thread: JobThread,
): Promise<SegmentSummary | undefined> {
  const readers: SegmentReader[] = []
  try {
    for (const { path } of job.inputs) readers.push(await SegmentReader.open(disk, path))
    const file = await disk.open(job.path, 'create')
    try {
      const writer = new SegmentWriter(file, job.base, job.manifest)
      for (const name of measurementNames(readers)) {
        await mergeMeasurement(writer, job, readers, name, thread)
      }
      if (writer.rowCount > 0) return await writer.finish()
    } finally {
      await file.close()
    }
    await disk.remove(job.path)
    return undefined
  } finally {
    for (const reader of readers) await reader.file.close()
  }
}

function measurementNames(readers: readonly SegmentReader[]): string[] {
  const names = new Set(readers.flatMap((reader) => [...reader.directory.measurements.keys()]))
  return [...names].sort()
}

async function mergeMeasurement(
  writer: SegmentWriter,
  job: CompactionJob,
  readers: readonly SegmentReader[],
  name: string,
  thread: JobThread,
): Promise<void> {
  const fields = fieldsOf(readers, name)
  const types = fields.map(({ type }): FieldType => type)
  writer.beginMeasurement(name, fields)
  const { keys } = job
  const lentBuffers = fields.length < lendingFieldsMin ? undefined : new LentBuffers()
  const cursors = readers.flatMap((reader, rank) => {
    const directory = reader.directory.measurements.get(name)
    if (directory === undefined) return []
    const deletes = deletedSpans(job.inputs[rank].deletes, name)
    return new SegmentCursor({
      kind: 'segment',
      reader,
      measurement: name,
      base: job.base,
      rank,
      range: { start: Number.NEGATIVE_INFINITY, stop: Number.POSITIVE_INFINITY },
      selection: everySeries,
      keys,
      access: {
        fields: fieldPositions(directory, fields),
        filterFields: undefined,
        deleted: deletes.spans,
        hasDeletes: deletes.any,
        needsTimes: true,
        rowsPerSeries: Number.POSITIVE_INFINITY,
        isCounted: [],
        // The rows go into a segment and nowhere else.
        staysInside: true,
        places: [],
        lentBuffers,
      },
    })
  })
  let count = 0
  // Directories of thousands of fields were read to get here.
  if (lentBuffers !== undefined) thread.garbage.collect(wideBytesMin)
  const builder = new RowsBuilder(types)
  const merger = new RowMerger(types)
  const merge = new SeriesMerge(cursors, keys)
  while (merge.next()) {
    if (merge.group !== undefined) {
      const { rows, seriesIds, ends } = merge.group
      for (let i = 0, start = 0; i < seriesIds.length; start = ends[i++]) {
        builder.clear()
        builder.append(rows, start, ends[i])
        await writer.addSeries(seriesIds[i], builder.rows())
      }
    } else await mergeSeries(writer, merge, builder, merger, thread.garbage)
    if (++count % seriesPerPause === 0) await thread.breathe()
  }
}

/** The series that the merge stands at: as much of it at a time as may be held. */
async function mergeSeries(
  writer: SegmentWriter,
  merge: SeriesMerge,
  builder: RowsBuilder,
  merger: RowMerger,
  garbage: Garbage,
): Promise<void> {
  builder.clear()
  let isPart = false
  // Thousands of fields leave that many objects and small arrays behind when they are decoded and written.
  const isWide = builder.types.length >= lendingFieldsMin
  const most = isWide ? wideCellsMax : cellsMax
  for (const cluster of merge.clusters) {
    if (isWide) garbage.collect(wideBytesMin)
    const { rows, start, stop } = loadCluster(cluster, merger)
    if (builder.rowCount > 0 && builder.cellsWith(rows, stop - start) > most) {
      isPart = true
      await writer.addSeries(merge.series, builder.rows(), isPart)
      builder.clear()
      if (isWide) garbage.collect(wideBytesMin)
    }
    if (stop - start >= groupRowsMin && builder.cellsWith(rows, stop - start) > most) {
      isPart = true
      await writer.addSeries(merge.series, slice(rows, start, stop), isPart)
    } else builder.append(rows, start, stop)
  }
  await writer.addSeries(merge.series, builder.rows(), isPart)
}

function fieldsOf(readers: readonly SegmentReader[], measurement: string): FieldEntry[] {
  const fields = new Map<string, FieldEntry>()
  for (const reader of readers) {
    for (const field of reader.directory.measurements.get(measurement)?.fields ?? []) {
      fields.set(`${field.type} ${field.name}`, field)
    }
  }
  return [...fields.values()]
}
