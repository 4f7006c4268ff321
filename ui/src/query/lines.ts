// The lines of an answer, as a chart draws them. Of a long answer the worker has made them already, thinned to what can
// be seen in the range that was asked for; those of a short one are made where they are drawn.

import type { Result, Table } from './result.js'
import { type SeriesList, seriesOf } from './series.js'
import { isLong, thinned } from './thinned.js'
import type { Moments } from './time-range.js'

/** Fewer rows are a matter of a millisecond. */
const rowsMax = 20_000

export function linesOf(result: Result): SeriesList {
  return result.lines ?? seriesOf(result.tables)
}

/** Undefined: the answer is short. */
export function longLines(
  tables: readonly Table[],
  rowCount: number,
  moments: Moments,
): SeriesList | undefined {
  if (rowCount <= rowsMax) return undefined
  const { series, total } = seriesOf(tables)
  return { series: isLong(series) ? thinned(series, moments) : series, total }
}
