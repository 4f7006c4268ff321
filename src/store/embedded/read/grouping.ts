// How a read with groups is carried out: what is read of each series, so that the series of a group can be joined, and
// which of it makes each aggregate that was asked for.

import { checkAggregate, knownResultType } from '../../aggregate-types.js'
import type { GroupJoin } from '../../group-column.js'
import type { Aggregate, AggregateFunction, WindowAggregate } from '../../store.js'
import type { Measurement } from '../index/series-index.js'
import type { WindowColumnSpec } from './window-rows.js'

/** Of reads that do not say what they may take. */
const defaultMemoryBytesMax = 1 << 30

/** What groups are made from. Plain data, as plans are. */
export interface Grouping {
  /** Its name. */
  readonly measurement: string
  readonly tags: readonly string[]
  /** What is read of each series. */
  readonly series: WindowAggregate
  /** By aggregate asked for: where its parts stand among those of the series. A mean is a sum by a count. */
  readonly parts: readonly (readonly number[])[]
  readonly specs: readonly WindowColumnSpec[]
  readonly descending: boolean
  readonly limitPerSeries: number
  /** What the groups may take in memory while they are joined; 0: no bound. */
  readonly memoryBytesMax: number
}

export function planGrouping(
  measurement: Measurement,
  window: WindowAggregate,
  order: Pick<Grouping, 'descending' | 'limitPerSeries'>,
  memoryBytesMax = defaultMemoryBytesMax,
): Grouping {
  const aggregates: Aggregate[] = []
  const parts: number[][] = []
  const specs: WindowColumnSpec[] = []
  for (const { field, function: fn } of window.aggregates) {
    const known = measurement.fieldsByName.get(field)
    const type = knownResultType(fn, known?.type)
    if (type === undefined) continue
    if (known !== undefined) checkAggregate(fn, field, known.type)
    parts.push(partsOf(fn).map((part) => placeOf(aggregates, field, part)))
    const hasPoints = window.pointTimes === true && isChosen(fn)
    specs.push({ name: field, type, hasPoints })
  }
  const isByTime = aggregates.some((each) => each.function === 'first' || each.function === 'last')
  const { everyNs, offsetNs, refusesOverflow = false } = window
  const pointTimes = window.pointTimes === true || isByTime
  return {
    measurement: measurement.name,
    tags: window.groupBy ?? [],
    series: { everyNs, offsetNs, aggregates, pointTimes, refusesOverflow },
    parts,
    specs,
    ...order,
    memoryBytesMax,
  }
}

function partsOf(fn: AggregateFunction): GroupJoin[] {
  return fn === 'mean' ? ['sum', 'count'] : [fn]
}

export function isChosen(fn: AggregateFunction): boolean {
  return fn === 'min' || fn === 'max' || fn === 'first' || fn === 'last'
}

function placeOf(aggregates: Aggregate[], field: string, fn: AggregateFunction): number {
  const at = aggregates.findIndex((each) => each.field === field && each.function === fn)
  return at >= 0 ? at : aggregates.push({ field, function: fn }) - 1
}
