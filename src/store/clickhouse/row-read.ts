// Rows of a run. Where all fields that are shown and looked at lie in one place, and SQL decides exactly which rows
// count, blocks become batches as they come. Else the rows of each place are joined by series and time, and checked
// here.

import type { Batch, Run as BatchRun } from '../../column/batch.js'
import type { Value } from '../../column/column.js'
import { type Predicate, predicateFields } from '../../column/predicate.js'
import { matcher } from '../matches.js'
import { cellAt, columnOf, nearStop, timesOf } from './columns-in.js'
import { type PlacedField, tables } from './layout.js'
import type { ReadBlock } from './native-format.js'
import { type PlannedRead, placeFinder, type Run } from './planned-read.js'
import { valueCondition } from './predicate-sql.js'
import { keyTypes, nextOf, RowStream } from './row-stream.js'
import { RunRows } from './run-rows.js'
import { mergedBlocks, rankedByShard } from './sharded-read.js'
import { byPlace, type PlaceRead, rowsStatement } from './statements.js'

export async function* readRows(
  plan: PlannedRead,
  run: Run,
  fields: readonly PlacedField[],
): AsyncGenerator<Batch, void, void> {
  const { measurement, request, values } = plan
  const needed = new Set(fields)
  for (const field of fieldsIn(values, measurement)) needed.add(field)
  // Any of them makes a row.
  const isEveryRow = request.everyRow === true
  if (isEveryRow) for (const field of measurement.fields.values()) needed.add(field)
  const places = byPlace(needed)
  const [only] = places
  const condition =
    values === undefined ? undefined : valueCondition(values, placeFinder(measurement, only.place))
  const isWhole = places.length === 1 && !isEveryRow && condition?.isExact !== false
  if (isWhole) yield* readPlace(plan, run, only, fields, condition?.sql)
  else yield* joinPlaces(plan, run, places, fields)
}

/** Fields that a predicate looks at. */
export function fieldsIn(
  predicate: Predicate | undefined,
  { fields }: PlannedRead['measurement'],
): PlacedField[] {
  if (predicate === undefined) return []
  return [...predicateFields(predicate)].flatMap((name) => fields.get(name) ?? [])
}

async function* readPlace(
  plan: PlannedRead,
  run: Run,
  place: PlaceRead,
  fields: readonly PlacedField[],
  condition: string | undefined,
): AsyncGenerator<Batch, void, void> {
  const { servers, request, signal, measurement, range } = plan
  const { descending = false, limitPerSeries: limit } = request
  const types = [...keyTypes, ...fields.map(({ table }) => tables[table].base)]
  const streams = rankedByShard(servers, run).map(({ shard, ranked }) => {
    const rows = { measurement, range, ranked, descending, limit, condition }
    return servers.query(shard, rowsStatement(servers, place, fields, rows), types, signal)
  })
  for await (const block of mergedBlocks(streams, descending)) {
    yield* batchesOf(plan, run, block, fields)
  }
}

function* batchesOf(
  { measurement }: PlannedRead,
  run: Run,
  { rowCount, columns }: ReadBlock,
  fields: readonly PlacedField[],
): Generator<Batch, void, void> {
  const [ranks, times, ...values] = columns
  if (ranks.base !== 'UInt32' || times.base !== 'Int64') return
  for (let start = 0; start < rowCount; ) {
    const stop = nearStop(times.values, start, rowCount)
    yield {
      measurement: measurement.name,
      rowCount: stop - start,
      runs: batchRuns(run, ranks.values, start, stop),
      times: timesOf(times.values, start, stop),
      fields: fields.map(({ name, type }) => ({ name, type })),
      columns: fields.map(({ type }, f) => columnOf(values[f], type, start, stop)),
    }
    start = stop
  }
}

function batchRuns(run: Run, ranks: Uint32Array, start: number, stop: number): BatchRun[] {
  const runs: BatchRun[] = []
  for (let from = start; from < stop; ) {
    const rank = ranks[from]
    let to = from + 1
    while (to < stop && ranks[to] === rank) to++
    runs.push({
      key: run.key(rank),
      keyId: run.firstRank + rank,
      start: from - start,
      stop: to - start,
    })
    from = to
  }
  return runs
}

/** Opens a stream per place: rows with a value in any of the fields that are needed there. */
export async function openPlaces(
  plan: PlannedRead,
  run: Run,
  places: readonly PlaceRead[],
): Promise<RowStream[]> {
  const { servers, measurement, range, request, signal } = plan
  const descending = request.descending === true && request.window === undefined
  const all = { limit: undefined, condition: undefined }
  const byShard = rankedByShard(servers, run)
  const streams = places.flatMap((place, i) => {
    const types = [...keyTypes, ...place.fields.map(({ table }) => tables[table].base)]
    return byShard.map(({ shard, ranked }) => {
      const rows = { measurement, range, ranked, descending, ...all }
      const sql = rowsStatement(servers, place, place.fields, rows)
      return new RowStream(servers.query(shard, sql, types, signal), i)
    })
  })
  await Promise.all(streams.map((stream) => stream.begin()))
  return streams
}

/** All rows of all places, in the order of rank and time. The row is used again. */
export async function* joinedRows(
  streams: readonly RowStream[],
  places: readonly PlaceRead[],
  descending: boolean,
): AsyncGenerator<{ rank: number; time: bigint; row: Map<string, Value> }, void, void> {
  const row = new Map<string, Value>()
  for (;;) {
    const next = nextOf(streams, descending)
    if (next.length === 0) return
    const { rank, time } = next[0]
    row.clear()
    for (const stream of next) {
      const { fields } = places[stream.place]
      for (let f = 0; f < fields.length; f++) {
        const value = cellAt(stream.column(f), fields[f].type, stream.row)
        if (value !== null) row.set(fields[f].name, value)
      }
    }
    yield { rank, time, row }
    for (const stream of next) {
      const more = stream.advance()
      if (more !== undefined) await more
    }
  }
}

async function* joinPlaces(
  plan: PlannedRead,
  run: Run,
  places: readonly PlaceRead[],
  fields: readonly PlacedField[],
): AsyncGenerator<Batch, void, void> {
  const { request, values } = plan
  const { descending = false } = request
  const matches = matcher(values)
  const streams = await openPlaces(plan, run, places)
  const shown = fields.map(({ name, type }) => ({ name, type }))
  const rows = new RunRows(plan, run, shown)
  try {
    for await (const next of joinedRows(streams, places, descending)) {
      yield* rows.moveTo(next.rank)
      if (rows.isFull || !matches(rows.key, next.row)) continue
      const found = fields.map(({ name }) => next.row.get(name) ?? null)
      if (request.everyRow !== true && found.every((value) => value === null)) continue
      rows.push({ time: next.time, values: found, pointTimes: undefined })
    }
    yield* rows.flush()
  } finally {
    await Promise.all(streams.map((stream) => stream.close()))
  }
}
