// A read by brute force: the rows of each series that match, in time order; windows of a series or of a group from
// their points; and at the end batches, one for each stretch of rows with the same key.

import type { Batch, BatchField } from '../../column/batch.js'
import type { Value } from '../../column/column.js'
import type { Series } from '../../column/series.js'
import { allTime, floorDiv, type TimeRange } from '../../column/time.js'
import { checkAggregate, knownResultType } from '../aggregate-types.js'
import { compareGroups, groupKey } from '../group-keys.js'
import { type Matches, matcher, tagOf } from '../matches.js'
import { type ResultRow, rowBatches } from '../row-batches.js'
import type { ReadRequest, WindowAggregate } from '../store.js'
import { type Aggregated, type AggregatePoint, aggregate } from './aggregates.js'
import { holds, type PlainMeasurement, type PlainSeries } from './points.js'

/** `oldest`: points before it have expired. */
export function* readMeasurement(
  measurement: PlainMeasurement,
  request: ReadRequest,
  oldest: bigint,
): Generator<Batch, void, void> {
  const { window, descending = false, limitPerSeries } = request
  const matches = matcher(request.predicate)
  const range = { ...request.range }
  if (oldest > range.start) range.start = oldest
  const fields =
    window === undefined ? rowFields(measurement, request) : windowFields(measurement, window)
  if (fields.length === 0 && !(request.everyRow === true && window === undefined)) return
  for (const [keyId, { key, members }] of keysOf(measurement, window).entries()) {
    const rows =
      window === undefined
        ? seriesRows(members[0], fields, range, matches, request.everyRow === true)
        : windowRows(measurement, members, window, request.range, range, matches)
    if (descending) rows.reverse()
    const shown = rows.slice(0, limitPerSeries ?? rows.length)
    yield* rowBatches(key, keyId, fields, shown)
  }
}

/** Names without repeats that exist, in the order of the request. */
function rowFields({ fields }: PlainMeasurement, request: ReadRequest): BatchField[] {
  const names = new Set(request.fields ?? [...fields.keys()].sort())
  return [...names].flatMap((name) => {
    const type = fields.get(name)
    return type === undefined ? [] : [{ name, type }]
  })
}

function windowFields({ fields }: PlainMeasurement, window: WindowAggregate): BatchField[] {
  return window.aggregates.flatMap(({ field, function: fn }) => {
    const known = fields.get(field)
    const type = knownResultType(fn, known)
    if (type === undefined) return []
    if (known !== undefined) checkAggregate(fn, field, known)
    return [{ name: field, type }]
  })
}

/** Series in key order, or groups in the order of their values, each with its series in key order. */
function keysOf(
  measurement: PlainMeasurement,
  window: WindowAggregate | undefined,
): { key: Series; members: PlainSeries[] }[] {
  const all = measurement.inKeyOrder()
  const tags = window?.groupBy
  if (tags === undefined) return all.map((one) => ({ key: one.series, members: [one] }))
  const groups = new Map<string, { values: string[]; members: PlainSeries[] }>()
  for (const one of all) {
    const values = tags.map((tag) => tagOf(one.series, tag))
    const group = groups.get(JSON.stringify(values)) ?? { values, members: [] }
    groups.set(JSON.stringify(values), group)
    group.members.push(one)
  }
  return [...groups.values()]
    .sort((a, b) => compareGroups(a.values, b.values))
    .map(({ values, members }) => ({ key: groupKey(measurement.name, tags, values), members }))
}

/** Times of the rows that count, oldest first. */
function timesOf({ series, rows }: PlainSeries, range: TimeRange, matches: Matches): bigint[] {
  return [...rows.keys()]
    .filter((time) => holds(range, time) && matches(series, rows.get(time)!))
    .sort((a, b) => (a < b ? -1 : 1))
}

function seriesRows(
  one: PlainSeries,
  fields: readonly BatchField[],
  range: TimeRange,
  matches: Matches,
  everyRow: boolean,
): ResultRow[] {
  return timesOf(one, range, matches)
    .map((time) => {
      const row = one.rows.get(time)!
      return {
        time,
        values: fields.map(({ name }) => row.get(name) ?? null),
        pointTimes: undefined,
      }
    })
    .filter(({ values }) => everyRow || values.some((value) => value !== null))
}

/** `asked` is what windows are cut to, `range` what of it has not expired. */
function windowRows(
  { fields }: PlainMeasurement,
  members: readonly PlainSeries[],
  {
    everyNs,
    offsetNs = 0n,
    aggregates,
    groupBy,
    pointTimes,
    refusesOverflow = false,
  }: WindowAggregate,
  asked: TimeRange,
  range: TimeRange,
  matches: Matches,
): ResultRow[] {
  const first = asked.start < allTime.start ? allTime.start : asked.start
  const windows = new Map<bigint, { series: number; time: bigint; row: Map<string, Value> }[]>()
  for (const [series, one] of members.entries()) {
    for (const time of timesOf(one, range, matches)) {
      const start =
        everyNs === undefined ? first : floorDiv(time - offsetNs, everyNs) * everyNs + offsetNs
      const window = windows.get(start) ?? []
      windows.set(start, window)
      window.push({ series, time, row: one.rows.get(time)! })
    }
  }
  const known = aggregates.filter((each) => each.function === 'rows' || fields.has(each.field))
  return [...windows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([start, window]) => {
      const results = known.map(({ field, function: fn }): Aggregated | undefined => {
        const points = window.flatMap(({ series, time, row }): AggregatePoint[] => {
          const value = fn === 'rows' ? true : row.get(field)
          return value === undefined ? [] : [{ series, time, value }]
        })
        if (points.length === 0) return undefined
        const type = fields.get(field) ?? 'boolean'
        return aggregate(fn, type, points, groupBy !== undefined, refusesOverflow)
      })
      if (!results.some((result) => result !== undefined)) return []
      return {
        time: start < first ? first : start,
        values: results.map((result) => result?.value ?? null),
        pointTimes: pointTimes === true ? results.map((result) => result?.time) : undefined,
      }
    })
}
