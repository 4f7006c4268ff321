// The aggregates of a window from its points, one function each, as the waist defines them. Points come series by
// series in key order, those of a series in time order.

import type { FieldType, Value } from '../../column/column.js'
import { sumOf64Bits } from '../aggregate-types.js'
import type { AggregateFunction } from '../store.js'

export interface AggregatePoint {
  /** Of which series it is: a number that rises with them. */
  readonly series: number
  readonly time: bigint
  readonly value: Value
}

export interface Aggregated {
  readonly value: Value
  /** Where the chosen point lay. */
  readonly time?: bigint
}

/** There is at least one point. `isGroup`: of several series, perhaps. */
export function aggregate(
  fn: AggregateFunction,
  type: FieldType,
  points: readonly AggregatePoint[],
  isGroup: boolean,
  refusesOverflow: boolean,
): Aggregated {
  switch (fn) {
    case 'count':
    case 'rows':
      return { value: BigInt(points.length) }
    case 'sum':
      if (type === 'float') return { value: floatSum(points) }
      return { value: sumOf64Bits(type, exactSum(points), refusesOverflow) }
    case 'mean':
      return { value: mean(type, points, isGroup) }
    case 'min':
      return chosen(points, (a, b) => a.value < b.value || (a.value === b.value && a.time < b.time))
    case 'max':
      return chosen(points, (a, b) => a.value > b.value || (a.value === b.value && a.time < b.time))
    case 'first':
      return chosen(points, (a, b) => {
        if (a.time !== b.time) return a.time < b.time
        return typeof a.value === 'boolean' ? a.value < b.value : a.value > b.value
      })
    case 'last':
      return chosen(points, (a, b) => (a.time === b.time ? a.value > b.value : a.time > b.time))
  }
}

function chosen(
  points: readonly AggregatePoint[],
  beats: (a: AggregatePoint, b: AggregatePoint) => boolean,
): Aggregated {
  return points.reduce((best, point) => (beats(point, best) ? point : best))
}

function bySeries(points: readonly AggregatePoint[]): AggregatePoint[][] {
  const parts: AggregatePoint[][] = []
  for (const point of points) {
    const last = parts.at(-1)
    if (last?.[0].series === point.series) last.push(point)
    else parts.push([point])
  }
  return parts
}

/** The points of each series are added up first. */
function floatSum(points: readonly AggregatePoint[]): number {
  const sumOf = (own: AggregatePoint[]) => own.reduce((sum, p) => sum + (p.value as number), 0)
  return bySeries(points)
    .map(sumOf)
    .reduce((sum, value) => sum + value)
}

const exactSum = (points: readonly AggregatePoint[]) =>
  points.reduce((sum, { value }) => sum + (value as bigint), 0n)

/** Of a group it is made from the sums of its series, which wrap. */
function mean(type: FieldType, points: readonly AggregatePoint[], isGroup: boolean): number {
  if (type === 'float') return floatSum(points) / points.length
  const sums = isGroup
    ? bySeries(points).map((own) => sumOf64Bits(type, exactSum(own), false))
    : [exactSum(points)]
  return Number(sums.reduce((sum, value) => sum + value)) / points.length
}
