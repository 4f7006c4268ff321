// Reading: the request is turned into cursors over memtables and segments, the cursors are merged
// series by series, and the rows pass through filter, order and limit, or into window aggregates,
// and out as batches.

import { setImmediate } from 'node:timers/promises'
import type { Batch, BatchField } from '../../../column/batch.js'
import type { FieldType } from '../../../column/column.js'
import type { Predicate } from '../../../column/predicate.js'
import { allTime, type TimeRange } from '../../../column/time.js'
import type { ReadRequest } from '../../store.js'
import type { Bucket, Shard } from '../bucket.js'
import type { Generation } from '../generation.js'
import { RowMerger, type Rows, RowsBuilder } from '../rows.js'
import type { Segment } from '../segment.js'
import type { Measurement } from '../series-index.js'
import { matchSeries } from '../series-match.js'
import { deletedSpans, resolveTombstones } from '../tombstones.js'
import { BatchBuilder } from './batch-builder.js'
import type { LoadedRows, SeriesCursor } from './cursor.js'
import { MemtableCursor } from './memtable-cursor.js'
import { predicateFields, RowFilter, splitPredicate } from './row-filter.js'
import { SegmentCursor } from './segment-cursor.js'
import { everySeries, type Selection, selectSeries } from './selection.js'
import { type Cluster, loadCluster, type MergeStep, mergeSeries } from './series-merge.js'
import { WindowAggregator } from './window.js'

/** What a read sees: taken once, at its beginning. */
export interface Snapshot {
  readonly bucket: Bucket
  readonly shards: readonly { readonly shard: Shard; readonly segments: readonly Segment[] }[]
  /** Older first. */
  readonly generations: readonly Generation[]
  /** Points before this moment have expired. */
  readonly oldest: bigint
}

/** Rows between two looks at the event loop: about 10 ms of decoding. */
const rowsPerTurn = 200_000

interface Plan {
  readonly measurement: Measurement
  /** Fields to load: those wanted first, then those that only the predicate looks at. */
  readonly names: readonly string[]
  readonly types: readonly FieldType[]
  readonly wantedCount: number
  readonly range: TimeRange
  readonly rowPredicate: Predicate | undefined
  readonly selection: Selection
}

export async function* readSnapshot(
  snapshot: Snapshot,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  signal.throwIfAborted()
  const plan = makePlan(snapshot, request)
  if (plan === undefined) return
  const steps = mergeSeries(makeCursors(snapshot, plan), snapshot.bucket.index)
  const batches =
    request.window === undefined
      ? rowBatches(snapshot, request, plan, steps)
      : windowBatches(snapshot, request, plan, steps)
  let rows = 0
  for (const batch of batches) {
    if (batch === undefined) rows += rowsPerTurn
    else {
      yield batch
      rows += batch.rowCount
    }
    if (rows >= rowsPerTurn) {
      rows = 0
      await setImmediate()
      signal.throwIfAborted()
    }
  }
}

function makePlan(snapshot: Snapshot, request: ReadRequest): Plan | undefined {
  const { index } = snapshot.bucket
  const measurement = index.measurement(request.measurement)
  if (measurement === undefined) return undefined
  const { tags, rows } = splitPredicate(request.predicate)
  const wanted = wantedFields(measurement, request)
  if (wanted.length === 0) return undefined
  const names = [...wanted]
  if (rows !== undefined) {
    for (const name of predicateFields(rows)) if (!names.includes(name)) names.push(name)
  }
  const known = names.filter((name) => measurement.fieldsByName.has(name))
  const selection =
    tags === undefined
      ? everySeries
      : selectSeries(index, measurement, matchSeries(measurement, tags))
  const { oldest } = snapshot
  const start = request.range.start > oldest ? request.range.start : oldest
  return {
    measurement,
    names: known,
    types: known.map((name) => measurement.fieldsByName.get(name)!.type),
    wantedCount: wanted.length,
    range: { start, stop: request.range.stop },
    rowPredicate: rows,
    selection,
  }
}

/** Names without repeats that exist, in the order of the request. */
function wantedFields(measurement: Measurement, request: ReadRequest): string[] {
  const asked =
    request.window?.aggregates.map(({ field }) => field) ??
    request.fields ??
    [...measurement.fieldsByName.keys()].sort()
  return [...new Set(asked)].filter((name) => measurement.fieldsByName.has(name))
}

function makeCursors(snapshot: Snapshot, plan: Plan): SeriesCursor[] {
  const cursors: SeriesCursor[] = []
  for (const { shard, segments } of snapshot.shards) {
    if (plan.range.start >= shard.stop || plan.range.stop <= shard.start) continue
    let rank = 0
    for (const segment of segments)
      addSegmentCursor(cursors, snapshot, plan, shard, segment, rank++)
    for (const generation of snapshot.generations) {
      const table = generation.table(shard, plan.measurement.id)
      if (table === undefined) continue
      cursors.push(
        new MemtableCursor({
          table,
          base: shard.start,
          rank: rank++,
          fieldIds: plan.names.map((name) => plan.measurement.fieldsByName.get(name)?.id),
          types: plan.types,
          range: offsetRange(plan.range, shard.start),
          selection: plan.selection,
          keys: snapshot.bucket.index.keyView(),
        }),
      )
    }
  }
  return cursors
}

function addSegmentCursor(
  cursors: SeriesCursor[],
  snapshot: Snapshot,
  plan: Plan,
  shard: Shard,
  segment: Segment,
  rank: number,
): void {
  const { reader, entry } = segment
  if (entry.maxTime < plan.range.start || entry.minTime >= plan.range.stop) return
  const directory = reader.directory.measurements.get(plan.measurement.name)
  if (directory === undefined) return
  const resolved = resolveTombstones(entry.tombstones, shard.start, plan.measurement)
  const deletes = deletedSpans(resolved, plan.measurement.name)
  cursors.push(
    new SegmentCursor({
      reader,
      directory,
      base: shard.start,
      rank,
      fields: plan.names.map((name, f) => ({ name, type: plan.types[f] })),
      range: offsetRange(plan.range, shard.start),
      selection: plan.selection,
      keys: snapshot.bucket.index,
      deleted: deletes.spans,
      hasDeletes: deletes.any,
    }),
  )
}

/** Numbers beyond the exact range only ever mean "before" or "behind everything" here. */
function offsetRange(range: TimeRange, base: bigint): { start: number; stop: number } {
  return { start: Number(range.start - base), stop: Number(range.stop - base) }
}

/** Undefined now and then: nothing to hand out, but a good moment to let others run. */
function* rowBatches(
  snapshot: Snapshot,
  request: ReadRequest,
  plan: Plan,
  steps: Iterable<MergeStep>,
): Generator<Batch | undefined, void, void> {
  const { index } = snapshot.bucket
  const wanted: BatchField[] = plan.names
    .slice(0, plan.wantedCount)
    .map((name, f) => ({ name, type: plan.types[f] }))
  const builder = new BatchBuilder(plan.measurement.name, wanted, index)
  const sifter = new Sifter(snapshot, request, plan)
  const merger = new RowMerger(plan.types)
  let quiet = 0
  for (const step of steps) {
    if (step.kind === 'group') {
      if (sifter.takesWholeGroups(step.group.rows)) yield* builder.addGroup(step.group)
      else {
        let start = 0
        for (let i = 0; i < step.group.seriesIds.length; i++) {
          const loaded = { rows: step.group.rows, start, stop: step.group.ends[i] }
          start = step.group.ends[i]
          yield* addSifted(builder, sifter, step.group.seriesIds[i], step.group.base, [loaded])
        }
      }
    } else {
      const loaded = loadInOrder(step.clusters, merger, request.descending === true)
      yield* addSifted(builder, sifter, step.series, undefined, loaded)
    }
    if (++quiet % 1000 === 0) yield undefined
  }
  yield* builder.finish()
}

interface BasedRows extends LoadedRows {
  readonly base?: bigint
}

function* loadInOrder(
  clusters: readonly Cluster[],
  merger: RowMerger,
  descending: boolean,
): Generator<BasedRows, void, void> {
  const ordered = descending ? clusters.toReversed() : clusters
  for (const cluster of ordered) yield { ...loadCluster(cluster, merger), base: cluster[0].base }
}

function* addSifted(
  builder: BatchBuilder,
  sifter: Sifter,
  series: number,
  base: bigint | undefined,
  parts: Iterable<BasedRows>,
): Generator<Batch, void, void> {
  let room = sifter.limitPerSeries
  for (const part of parts) {
    if (room <= 0) return
    const { rows, start, stop } = sifter.sift(series, part, room)
    room -= stop - start
    yield* builder.add(series, part.base ?? base!, rows, start, stop)
  }
}

/** Filter, order and limit of raw rows. */
class Sifter {
  readonly limitPerSeries: number
  readonly #snapshot: Snapshot
  readonly #plan: Plan
  readonly #filter: RowFilter | undefined
  readonly #descending: boolean

  constructor(snapshot: Snapshot, request: ReadRequest, plan: Plan) {
    this.limitPerSeries = request.limitPerSeries ?? Number.POSITIVE_INFINITY
    this.#snapshot = snapshot
    this.#plan = plan
    this.#descending = request.descending === true
    this.#filter =
      plan.rowPredicate === undefined ? undefined : new RowFilter(plan.rowPredicate, plan.names)
  }

  takesWholeGroups(rows: Rows): boolean {
    const plain = this.#filter === undefined && !this.#descending
    return plain && this.limitPerSeries === Number.POSITIVE_INFINITY && this.#allHaveValues(rows)
  }

  /** The rows that stay, in the order of the request, at most `room` of them. */
  sift(series: number, loaded: LoadedRows, room: number): LoadedRows {
    const marks = this.#marks(series, loaded)
    if (marks === undefined && !this.#descending) {
      return { ...loaded, stop: Math.min(loaded.stop, loaded.start + room) }
    }
    return pickRows(loaded, marks, this.#descending, room, this.#plan.types)
  }

  #marks(series: number, loaded: LoadedRows): Uint8Array | undefined {
    const filtered = this.#filter?.marks(loaded, this.#snapshot.bucket.index.series(series))
    if (this.#allHaveValues(loaded.rows)) return filtered
    const marks = filtered ?? new Uint8Array(loaded.stop - loaded.start).fill(1)
    const columns = loaded.rows.columns.slice(0, this.#plan.wantedCount)
    for (let row = loaded.start; row < loaded.stop; row++) {
      if (!columns.some((column) => column !== undefined && column.validity![row] !== 0)) {
        marks[row - loaded.start] = 0
      }
    }
    return marks
  }

  /** Some wanted column has a value in every row, so that no row is empty. */
  #allHaveValues(rows: Rows): boolean {
    for (let f = 0; f < this.#plan.wantedCount; f++) {
      const column = rows.columns[f]
      if (column !== undefined && column.validity === undefined) return true
    }
    return false
  }
}

function pickRows(
  { rows, start, stop }: LoadedRows,
  marks: Uint8Array | undefined,
  descending: boolean,
  room: number,
  types: readonly FieldType[],
): LoadedRows {
  const picks: number[] = []
  for (let i = 0; i < stop - start && picks.length < room; i++) {
    const row = descending ? stop - 1 - i : start + i
    if (marks === undefined || marks[row - start] !== 0) picks.push(row)
  }
  const builder = new RowsBuilder(types)
  const places = Uint32Array.from(picks)
  builder.appendChosen(rows, places.length, () => places)
  return { rows: builder.rows(), start: 0, stop: picks.length }
}

function* windowBatches(
  snapshot: Snapshot,
  request: ReadRequest,
  plan: Plan,
  steps: Iterable<MergeStep>,
): Generator<Batch | undefined, void, void> {
  const aggregator = new WindowAggregator({
    window: request.window!,
    range: request.range.start < allTime.start ? allTime : request.range,
    measurement: plan.measurement.name,
    index: snapshot.bucket.index,
    columns: plan.names.map((name, f) => ({ name, type: plan.types[f] })),
    descending: request.descending === true,
    limitPerSeries: request.limitPerSeries ?? Number.POSITIVE_INFINITY,
  })
  // Order and limit count windows here, not rows.
  const sifter =
    plan.rowPredicate === undefined
      ? undefined
      : new Sifter(snapshot, { ...request, descending: false, limitPerSeries: Infinity }, plan)
  const addRows = (series: number, base: bigint, loaded: LoadedRows) =>
    aggregator.addRows(base, sifter === undefined ? loaded : sifter.sift(series, loaded, Infinity))
  const merger = new RowMerger(plan.types)
  let quiet = 0
  for (const step of steps) {
    if (step.kind === 'group') {
      const { rows, base, seriesIds, ends } = step.group
      for (let i = 0, start = 0; i < seriesIds.length; start = ends[i++]) {
        aggregator.beginSeries(seriesIds[i])
        addRows(seriesIds[i], base, { rows, start, stop: ends[i] })
        yield* aggregator.endSeries()
      }
    } else {
      aggregator.beginSeries(step.series)
      for (const cluster of step.clusters) {
        if (aggregator.isFull) break
        const [piece] = cluster
        const known =
          sifter === undefined && cluster.length === 1 && aggregator.addStatistics(piece)
        if (!known) addRows(step.series, piece.base, loadCluster(cluster, merger))
      }
      yield* aggregator.endSeries()
    }
    if (++quiet % 100 === 0) yield undefined
  }
  yield* aggregator.finish()
}
