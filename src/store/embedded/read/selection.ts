// Which series of a measurement a read wants: all of them, or a list, in key order, with a mark per
// series for sources that walk through everything anyway.

import { sortByKey } from '../key-order.js'
import type { Measurement, SeriesIndex } from '../series-index.js'

export interface Selection {
  /** In key order; undefined: every series of the measurement. */
  readonly ids: Uint32Array | undefined
  has(series: number): boolean
}

export const everySeries: Selection = { ids: undefined, has: () => true }

export function selectSeries(
  index: SeriesIndex,
  measurement: Measurement,
  positions: Uint32Array,
): Selection {
  if (positions.length === measurement.seriesCount) return everySeries
  const ids = new Uint32Array(positions.length)
  for (let i = 0; i < ids.length; i++) ids[i] = measurement.seriesIds[positions[i]]
  sortByKey(ids, index.keyView())
  const marks = new Set(ids)
  return { ids, has: (series) => marks.has(series) }
}
