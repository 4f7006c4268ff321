// What a chart draws of long series: the extremes of each column in their order, the same grid for all, and what lies
// outside the range left out.

import { expect, it } from 'vitest'
import { align } from '../../ui/src/chart/aligned.js'
import { linesOf, longLines } from '../../ui/src/query/lines.js'
import { type Table, transferable } from '../../ui/src/query/result.js'
import type { Series } from '../../ui/src/query/series.js'
import { isLong, thinned as thinnedSeries } from '../../ui/src/query/thinned.js'
import type { Moments } from '../../ui/src/query/time-range.js'

const from = Date.parse('2026-01-01T00:00:00Z')

function seriesOf(count: number, valueAt: (i: number) => number, stepMs = 1): Series {
  const times = Float64Array.from({ length: count }, (_, i) => from + i * stepMs)
  const values = Float64Array.from({ length: count }, (_, i) => valueAt(i))
  return { label: '', tags: {}, field: 'v', origin: '', times, values }
}

/** As the chart gets it. */
const thinned = (series: readonly Series[], moments: Moments) =>
  align(thinnedSeries(series, moments))

it('keeps the smallest and the largest of each column, as they came', () => {
  const rising = seriesOf(160_000, (i) => i)
  const falling = seriesOf(160_000, (i) => -i)
  const [times, up, down] = thinned([rising, falling], { from, to: from + 160_000 })
  expect(times.length).toBe(3204)
  // A column is 100 ms; the first is the one before the range.
  expect([up[2], up[3], up[4], up[5]]).toEqual([0, 99, 100, 199])
  expect([down[2], down[3]]).toEqual([-0, -99])
  expect([up[0], up[1], up[3202], up[3203]]).toEqual([undefined, undefined, undefined, undefined])
  expect(times[2]).toBeGreaterThan(from / 1000)
})

it('draws every outlier, wherever it lies', () => {
  for (const at of [0, 1, 777, 123_456, 159_999]) {
    const [, drawn] = thinned([seriesOf(160_000, (i) => (i === at ? 5 : 0))], {
      from,
      to: from + 160_000,
    })
    expect(
      Array.from(drawn).filter((value) => value === 5),
      String(at),
    ).toHaveLength(1)
  }
})

it('draws many series in wider columns, with all their outliers', () => {
  const cellsOf = (count: number) => {
    const all = Array.from({ length: count }, (_, s) => {
      return seriesOf(20_000, (i) => (i === s * 100 + 50 ? 5 : 0))
    })
    const [times, ...drawn] = thinned(all, { from, to: from + 20_000 })
    for (const one of drawn) expect(Array.from(one).filter((value) => value === 5)).toHaveLength(1)
    return times.length * count
  }
  // As many as ten have.
  const ten = cellsOf(10)
  expect(cellsOf(100)).toBeLessThan(1.1 * ten)
  expect(cellsOf(40)).toBeLessThan(1.1 * ten)
})

it('leaves out what lies before and after, and columns without points', () => {
  const [, drawn] = thinned([seriesOf(100, (i) => i, 10_000)], {
    from: from + 200_000,
    to: from + 360_000,
  })
  const values = Array.from(drawn).filter((value) => value !== undefined)
  expect(values[0]).toBe(20)
  expect(values.at(-1)).toBe(36)
  expect(values).toHaveLength(17)
})

it('is for series that are longer than a chart has pixels', () => {
  expect(isLong([seriesOf(10, (i) => i), seriesOf(6400, (i) => i)])).toBe(false)
  expect(isLong([seriesOf(10, (i) => i), seriesOf(6401, (i) => i)])).toBe(true)
})

it('is for many series that have more points together', () => {
  const many = (count: number) => Array.from({ length: count }, () => seriesOf(6400, (i) => i))
  expect(isLong(many(10))).toBe(false)
  expect(isLong(many(11))).toBe(true)
})

it('tells of all points what is said of a series', () => {
  const [{ whole, values }] = thinnedSeries([seriesOf(160_000, (i) => (i === 777 ? 9 : 1))], {
    from: from + 10_000,
    to: from + 20_000,
  })
  // The highest lies before what is drawn.
  expect(Math.max(...values.filter((value) => !Number.isNaN(value)))).toBe(1)
  expect(whole).toEqual({
    count: 160_000,
    sum: 160_008,
    highest: 9,
    highestAt: from + 777,
    last: 1,
  })
})

it('is done where the answer is read, once it is long', () => {
  const tableOf = (rowCount: number): Table => {
    const { times, values } = seriesOf(rowCount, (i) => i)
    const columns = [
      { name: 'time', kind: 'time' as const, values: times },
      { name: 'v', kind: 'number' as const, values },
    ]
    return { name: 'm', tags: {}, columns, rowCount }
  }
  const moments = { from, to: from + 50_000 }
  expect(longLines([tableOf(20_000)], 20_000, moments)).toBeUndefined()
  const tables = [tableOf(50_000)]
  const lines = longLines(tables, 50_000, moments)!
  expect(lines.total).toBe(1)
  expect(lines.series[0].values).toHaveLength(3204)
  // The two columns of the table, the grid and the line: each is handed over once.
  expect(transferable(tables, lines)).toHaveLength(4)
  const result = { tables, rowCount: 50_000, byteCount: 0, elapsedMs: 0 }
  expect(linesOf({ ...result, lines })).toBe(lines)
  expect(linesOf(result).series[0].values).toHaveLength(50_000)
})
