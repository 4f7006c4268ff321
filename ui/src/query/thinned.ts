// Long series as a chart shows them: where several points of a series fall on one column of pixels, the smallest and
// the largest of them are drawn, in the order in which they came, and nothing else could be seen. All series share one
// grid of moments, two for each column. Of many series, which cover each other, the columns are wider: a chart costs
// the same however many points and series it has. The worker does it, so that the page's thread gets what is drawn.

import type { Series, SeriesFacts } from './series.js'
import type { Moments } from './time-range.js'

/** More columns than most charts have pixels. */
const columnsMax = 1600
/** Of all series together: ten have all their columns, a hundred a fifth of them. */
const drawnMax = 10 * columnsMax
const columnsMin = 160
/** Shorter series are drawn as they are: each of their points can be pointed at. */
const pointsMax = columnsMax * 4
/** Of all series together. */
const allPointsMax = 10 * pointsMax

export function isLong(series: readonly Series[]): boolean {
  let sum = 0
  for (const { values } of series) {
    if (values.length > pointsMax) return true
    sum += values.length
  }
  return sum > allPointsMax
}

/** Within the range, and a column on either side of it, so that lines run out of the picture. NaN: no point there. */
export function thinned(series: readonly Series[], { from, to }: Moments): Series[] {
  const shared = Math.floor(drawnMax / Math.max(1, series.length))
  const columnCount = Math.min(columnsMax, Math.max(columnsMin, shared))
  const width = Math.max(1, (to - from) / columnCount)
  const start = from - width
  const times = new Float64Array((columnCount + 2) * 2)
  for (let i = 0; i < times.length; i++) times[i] = start + (i / 2 + 0.25) * width
  return series.map((one) => {
    const values = extremes(one, start, width, times.length)
    return { ...one, times, values, whole: factsOf(one) }
  })
}

/** Of a series that is all there, or as its thinner one carries them. */
export function factsOf({ times, values, whole }: Series): SeriesFacts {
  if (whole !== undefined) return whole
  let [sum, highest, highestAt] = [0, Number.NEGATIVE_INFINITY, 0]
  for (let i = 0; i < values.length; i++) {
    sum += values[i]
    if (values[i] <= highest) continue
    highest = values[i]
    highestAt = times[i]
  }
  return { count: values.length, sum, highest, highestAt, last: values.at(-1) }
}

function extremes(
  { times, values }: Series,
  start: number,
  width: number,
  slots: number,
): Float64Array {
  const drawn = new Float64Array(slots).fill(Number.NaN)
  const stop = start + (slots / 2) * width
  let i = firstFrom(times, start)
  while (i < times.length && times[i] < stop) {
    const column = Math.floor((times[i] - start) / width)
    const end = Math.min(stop, start + (column + 1) * width)
    let [low, high] = [i, i]
    // At least this one: the column's end may be no later, by rounding.
    for (i++; i < times.length && times[i] < end; i++) {
      if (values[i] < values[low]) low = i
      else if (values[i] > values[high]) high = i
    }
    drawn[column * 2] = values[Math.min(low, high)]
    if (low !== high) drawn[column * 2 + 1] = values[Math.max(low, high)]
  }
  return drawn
}

/** The first point at or after a moment. */
function firstFrom(times: Float64Array, moment: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle] < moment) low = middle + 1
    else high = middle
  }
  return low
}
