// Windows of a run, computed by ClickHouse: one statement per place that aggregated fields lie in, joined by rank and
// window.

import type { Batch } from '../../column/batch.js'
import { allTime } from '../../column/time.js'
import type { ResultRow } from '../row-batches.js'
import type { WindowAggregate } from '../store.js'
import type { ReadColumn } from './native-format.js'
import {
  computedFrom,
  type PlannedRead,
  placeFinder,
  type Run,
  windowFields,
} from './planned-read.js'
import { valueCondition } from './predicate-sql.js'
import { fieldsIn } from './row-read.js'
import { keyTypes, nextOf, RowStream } from './row-stream.js'
import { RunRows } from './run-rows.js'
import { rankedByShard } from './sharded-read.js'
import { byPlace, type Ranked, windowStatement } from './statements.js'
import { type AggregateColumns, type AggregatePart, aggregateColumns } from './window-sql.js'

/** An aggregate in the order of the request, and its columns in the statement of its place. */
interface PlacedAggregate extends AggregateColumns {
  readonly result: number
  readonly at: readonly number[]
}

/** A row that somebody has read, of one place. */
export interface StandingRow {
  readonly place: number
  /** The number of its window. */
  readonly time: bigint
  readonly row: number
  /** Behind rank and time. */
  column(i: number): ReadColumn
}

export interface PlaceWindows {
  sqlOf(ranked: Ranked): string
  readonly types: readonly (
    | 'Int64'
    | 'Float64'
    | 'UInt64'
    | 'String'
    | 'UInt32'
    | 'UInt8'
    | 'UInt16'
  )[]
  readonly aggregates: readonly PlacedAggregate[]
}

export async function* readWindows(
  plan: PlannedRead,
  run: Run,
  window: WindowAggregate,
): AsyncGenerator<Batch, void, void> {
  const { servers, request, signal, measurement } = plan
  const { descending = false } = request
  const places = windowPlaces(plan, window)
  const streams = rankedByShard(servers, run).flatMap(({ shard, ranked }) =>
    places.map(({ sqlOf, types }, i) => {
      return new RowStream(servers.query(shard, sqlOf(ranked), types, signal), i)
    }),
  )
  const fields = windowFields(measurement, window)
  const rows = new RunRows(plan, run, fields)
  try {
    await Promise.all(streams.map((stream) => stream.begin()))
    for (
      let next = nextOf(streams, descending);
      next.length > 0;
      next = nextOf(streams, descending)
    ) {
      yield* rows.moveTo(next[0].rank)
      const row = windowRow(plan, window, fields.length, places, next)
      // Of one group and one window there is a row even if nothing is in it.
      const isEmpty = row.values.every((value) => value === null)
      if (!isEmpty && !rows.isFull) rows.push(row)
      for (const stream of next) {
        const more = stream.advance()
        if (more !== undefined) await more
      }
    }
    yield* rows.flush()
  } finally {
    await Promise.all(streams.map((stream) => stream.close()))
  }
}

export function windowPlaces(plan: PlannedRead, window: WindowAggregate): PlaceWindows[] {
  const { servers, measurement, values, request, range } = plan
  const known = window.aggregates.filter((each) => {
    return each.function === 'rows' || measurement.fields.has(each.field)
  })
  const places = byPlace(computedFrom(measurement, window))
  return places.map(({ place, fields: aggregated }) => {
    const expressions: string[] = []
    const types: PlaceWindows['types'][number][] = [...keyTypes]
    const aggregates: PlacedAggregate[] = []
    for (const [result, { field, function: fn }] of known.entries()) {
      // Rows are counted in the one place that all fields lie in: any of them will do.
      const placed = fn === 'rows' ? aggregated[0] : measurement.fields.get(field)!
      if (!aggregated.includes(placed)) continue
      const options = { refusesOverflow: window.refusesOverflow === true }
      const columns = aggregateColumns(fn, placed, options)
      const at = columns.expressions.map((expression, i) => {
        // A count and a mean have one in common.
        const known = expressions.indexOf(expression)
        if (known >= 0) return known
        types.push(columns.types[i])
        return expressions.push(expression) - 1
      })
      aggregates.push({ ...columns, result, at })
    }
    const finder = placeFinder(measurement, place)
    const looked = fieldsIn(values, measurement).filter(({ name }) => finder(name))
    const limit = places.length === 1 ? request.limitPerSeries : undefined
    const own = { place, fields: [...new Set([...aggregated, ...looked])] }
    const wanted = {
      measurement,
      range,
      descending: request.descending === true,
      limit,
      condition: values === undefined ? undefined : valueCondition(values, finder).sql,
      everyNs: window.everyNs,
      offsetNs: window.offsetNs ?? 0n,
    }
    const sqlOf = (ranked: Ranked) =>
      windowStatement(servers, own, aggregated, expressions, { ...wanted, ranked })
    return { sqlOf, types, aggregates }
  })
}

export function windowRow(
  { request }: PlannedRead,
  { everyNs, offsetNs = 0n, pointTimes }: WindowAggregate,
  fieldCount: number,
  places: readonly PlaceWindows[],
  next: readonly StandingRow[],
): ResultRow {
  const first = request.range.start < allTime.start ? allTime.start : request.range.start
  const start = everyNs === undefined ? first : next[0].time * everyNs + offsetNs
  const values: ResultRow['values'][number][] = new Array(fieldCount).fill(null)
  const times: (bigint | undefined)[] = new Array(fieldCount).fill(undefined)
  for (const [i, { aggregates }] of places.entries()) {
    // A group may have series on several shards, or several series on one.
    const own = next.filter(({ place }) => place === i)
    for (const aggregate of own.length === 0 ? [] : aggregates) {
      const parts = own.map((stream) => partOf(stream, aggregate))
      values[aggregate.result] = aggregate.value(parts)
      if (values[aggregate.result] === null || pointTimes !== true) continue
      times[aggregate.result] = aggregate.time?.(parts)
    }
  }
  return {
    time: start < first ? first : start,
    values,
    pointTimes: pointTimes === true ? times : undefined,
  }
}

function partOf(stream: StandingRow, { at }: PlacedAggregate): AggregatePart {
  return { columns: at.map((column) => stream.column(column)), row: stream.row }
}
