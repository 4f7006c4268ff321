// Series on one axis of time, as uPlot wants them: all moments once, ascending, and for each series its value there or
// nothing. Series that share their moments, as windows give them, are taken as they are.

import type { Series } from '../query/series.js'

export type Aligned = [times: ArrayLike<number>, ...values: ArrayLike<number | null | undefined>[]]

/** Seconds, as uPlot counts. */
export function align(list: readonly Series[]): Aligned {
  if (list.length === 0) return [[]]
  const [first] = list
  const seconds = (times: Float64Array) => times.map((ms) => ms / 1000)
  if (list.every(({ times }) => sameTimes(times, first.times))) {
    return [seconds(first.times), ...list.map(valuesOf)]
  }
  const all = mergedTimes(list)
  const positions = new Map<number, number>()
  for (let i = 0; i < all.length; i++) positions.set(all[i], i)
  const columns = list.map(({ times, values }) => {
    // Undefined: no point there, the line goes on.
    const column: (number | undefined)[] = new Array(all.length).fill(undefined)
    for (let i = 0; i < times.length; i++) column[positions.get(times[i])!] = values[i]
    return column
  })
  return [seconds(all), ...columns]
}

/** Undefined: no point there, the line goes on. Only series that are thinned have such places. */
function valuesOf({ values, whole }: Series): ArrayLike<number | undefined> {
  if (whole === undefined) return values
  return Array.from(values, (value) => (Number.isNaN(value) ? undefined : value))
}

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function mergedTimes(list: readonly Series[]): Float64Array {
  const total = list.reduce((sum, { times }) => sum + times.length, 0)
  const all = new Float64Array(total)
  let at = 0
  for (const { times } of list) {
    all.set(times, at)
    at += times.length
  }
  all.sort()
  let kept = 0
  for (let i = 0; i < all.length; i++) {
    if (i === 0 || all[i] !== all[i - 1]) all[kept++] = all[i]
  }
  return all.slice(0, kept)
}
