// Which series of a measurement a cursor goes over: all of them or a list, and of these those between
// two keys. A scan that several threads share is cut by such bounds.

import { compareSeries, sortByKey } from '../index/key-order.js'
import type { Measurement } from '../index/series-index.js'
import type { SeriesKeyView } from '../index/series-key-table.js'

/** Series in key order from one up to but not including another; -1: no bound. */
export interface SeriesBounds {
  readonly from: number
  readonly before: number
}

export const noBounds: SeriesBounds = { from: -1, before: -1 }

export interface Selection {
  /** In key order; undefined: every series of the measurement. */
  readonly ids: Uint32Array | undefined
  readonly bounds: SeriesBounds
  has(series: number): boolean
}

export const everySeries: Selection = { ids: undefined, bounds: noBounds, has: () => true }

/** The numbers of the series at these positions, in key order; undefined: these are all there are. */
export function chosenSeries(
  measurement: Measurement,
  positions: Uint32Array,
  keys: SeriesKeyView,
): Uint32Array | undefined {
  if (positions.length === measurement.seriesCount) return undefined
  const ids = new Uint32Array(positions.length)
  for (let i = 0; i < ids.length; i++) ids[i] = measurement.seriesIds[positions[i]]
  sortByKey(ids, keys)
  return ids
}

export function selectSeries(
  chosen: Uint32Array | undefined,
  bounds: SeriesBounds,
  keys: SeriesKeyView,
): Selection {
  if (chosen !== undefined) {
    const ids = within(chosen, bounds, keys)
    if (ids.length === 1) return { ids, bounds, has: (series) => series === ids[0] }
    const marks = new Set(ids)
    return { ids, bounds, has: (series) => marks.has(series) }
  }
  if (bounds.from < 0 && bounds.before < 0) return everySeries
  return { ids: undefined, bounds, has: (series) => isWithin(series, bounds, keys) }
}

export function isWithin(series: number, bounds: SeriesBounds, keys: SeriesKeyView): boolean {
  const { from, before } = bounds
  if (from >= 0 && compareSeries(keys, series, from) < 0) return false
  return before < 0 || compareSeries(keys, series, before) < 0
}

function within(
  ids: Uint32Array,
  { from, before }: SeriesBounds,
  keys: SeriesKeyView,
): Uint32Array {
  return ids.subarray(
    from < 0 ? 0 : firstNotBefore(ids, from, keys),
    before < 0 ? ids.length : firstNotBefore(ids, before, keys),
  )
}

/** Where in a list in key order a series stands or would stand. */
export function firstNotBefore(ids: Uint32Array, series: number, keys: SeriesKeyView): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareSeries(keys, ids[middle], series) < 0) low = middle + 1
    else high = middle
  }
  return low
}
