// A read, decided: which fields are loaded, which series and times count, and what is done with the
// rows. Plain data: another thread can carry it out. What it reads from is in sources.ts.

import type { FieldType } from '../../../column/column.js'
import { type Predicate, predicateFields } from '../../../column/predicate.js'
import type { Series } from '../../../column/series.js'
import type { TimeRange } from '../../../column/time.js'
import { aggregatedFields, countsRows } from '../../aggregate-types.js'
import type { PrepareRequest, WindowAggregate } from '../../store.js'
import type { Field, Measurement } from '../index/series-index.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { matchSeries } from '../index/series-match.js'
import { type Grouping, planGrouping } from './grouping.js'
import { splitPredicate } from './row-filter.js'
import { chosenSeries } from './selection.js'
import { groupKeyOf } from './series-groups.js'

/** What follows from a request and the index, whatever the time range. */
export interface RequestPlan {
  readonly measurement: string
  /** Fields to load: those wanted first, then those that only the predicate looks at. */
  readonly names: readonly string[]
  readonly types: readonly FieldType[]
  /** Their numbers in the measurement. */
  readonly fieldIds: readonly number[]
  readonly wantedCount: number
  /** Rows without a value in any of the wanted fields count too. */
  readonly everyRow: boolean
  readonly rowPredicate: Predicate | undefined
  /** Numbers of the series that count, in key order; undefined: all of the measurement. */
  readonly series: Uint32Array | undefined
  readonly descending: boolean
  readonly limitPerSeries: number
  /** Of each series. */
  readonly window: WindowAggregate | undefined
  /** The rows of windows have their numbers in the place of times: who joins them has a slot for each. */
  readonly countsWindows: boolean
  /** Of the one series that there is: its rows have the key of its group. */
  readonly groupKey: Series | undefined
}

/** Order and limit are those of the groups then. */
export interface GroupedPlan {
  readonly plan: RequestPlan
  readonly grouping: Grouping | undefined
}

export interface Plan extends RequestPlan {
  /** What is asked for; windows are cut to it. */
  readonly askedRange: TimeRange
  /** The same without what has expired: only rows in it count. */
  readonly range: TimeRange
}

/** Undefined: nothing can come of it. */
export function makeRequestPlan(
  measurement: Measurement,
  request: PrepareRequest,
  keys: SeriesKeyView,
): GroupedPlan | undefined {
  const { window } = request
  const limitPerSeries = request.limitPerSeries ?? Number.POSITIVE_INFINITY
  const order = { descending: request.descending === true, limitPerSeries }
  if (window?.groupBy === undefined) {
    const plan = seriesPlan(measurement, request, order, window, keys)
    return plan && { plan, grouping: undefined }
  }
  const { everyNs, offsetNs, aggregates, groupBy: tags } = window
  const { pointTimes = false, refusesOverflow = false } = window
  const ofSeries = { everyNs, offsetNs, aggregates, pointTimes, refusesOverflow }
  const plan = seriesPlan(measurement, request, order, ofSeries, keys)
  if (plan === undefined) return undefined
  const seriesCount = plan.series?.length ?? measurement.seriesCount
  // One series is its group: read as it is, it only has another key. Means of groups are made from sums that wrap.
  if (seriesCount === 1 && aggregates.every((each) => each.function !== 'mean')) {
    const series = plan.series === undefined ? measurement.seriesIds[0] : plan.series[0]
    const groupKey = groupKeyOf(measurement, tags, series)
    return { plan: { ...plan, groupKey }, grouping: undefined }
  }
  const grouping = planGrouping(measurement, window, order, request.memoryBytesMax)
  const unordered = { descending: false, limitPerSeries: Number.POSITIVE_INFINITY }
  return { plan: { ...plan, ...unordered, window: grouping.series, countsWindows: true }, grouping }
}

function seriesPlan(
  measurement: Measurement,
  request: PrepareRequest,
  { descending, limitPerSeries }: Pick<RequestPlan, 'descending' | 'limitPerSeries'>,
  window: WindowAggregate | undefined,
  keys: SeriesKeyView,
): RequestPlan | undefined {
  const { tags, rows } = splitPredicate(request.predicate)
  const wanted = wantedFields(measurement, request)
  const everyRow = window === undefined ? request.everyRow === true : countsRows(window)
  if (wanted.length === 0 && !everyRow) return undefined
  const names = [...wanted]
  if (rows !== undefined) {
    for (const name of predicateFields(rows)) if (!names.includes(name)) names.push(name)
  }
  const fields: Field[] = []
  for (const name of names) {
    const field = measurement.fieldsByName.get(name)
    if (field !== undefined) fields.push(field)
  }
  return {
    measurement: measurement.name,
    names: fields.map(({ name }) => name),
    types: fields.map(({ type }) => type),
    fieldIds: fields.map(({ id }) => id),
    wantedCount: wanted.length,
    everyRow,
    rowPredicate: rows,
    series:
      tags === undefined
        ? undefined
        : chosenSeries(measurement, matchSeries(measurement, tags), keys),
    descending,
    limitPerSeries,
    window,
    countsWindows: false,
    groupKey: undefined,
  }
}

/** Written out: plans of one shape keep the code that reads them fast. `oldest`: points before it have expired. */
export function withRange(plan: RequestPlan, askedRange: TimeRange, oldest: bigint): Plan {
  const start = askedRange.start > oldest ? askedRange.start : oldest
  return {
    measurement: plan.measurement,
    names: plan.names,
    types: plan.types,
    fieldIds: plan.fieldIds,
    wantedCount: plan.wantedCount,
    everyRow: plan.everyRow,
    rowPredicate: plan.rowPredicate,
    series: plan.series,
    descending: plan.descending,
    limitPerSeries: plan.limitPerSeries,
    window: plan.window,
    countsWindows: plan.countsWindows,
    groupKey: plan.groupKey,
    askedRange,
    range: start === askedRange.start ? askedRange : { start, stop: askedRange.stop },
  }
}

/** Names without repeats that exist, in the order of the request. */
function wantedFields(measurement: Measurement, request: PrepareRequest): string[] {
  const asked =
    (request.window && aggregatedFields(request.window)) ??
    request.fields ??
    [...measurement.fieldsByName.keys()].sort()
  return [...new Set(asked)].filter((name) => measurement.fieldsByName.has(name))
}
