// What a chart draws of long series: the extremes of each column in their order, the same grid for all, and what lies
// outside the range left out.

import { expect, it } from 'vitest'
import { isLong, thinned } from '../../ui/src/chart/thinned.js'
import type { Series } from '../../ui/src/query/series.js'

const from = Date.parse('2026-01-01T00:00:00Z')

function seriesOf(count: number, valueAt: (i: number) => number, stepMs = 1): Series {
  const times = Float64Array.from({ length: count }, (_, i) => from + i * stepMs)
  const values = Float64Array.from({ length: count }, (_, i) => valueAt(i))
  return { label: '', tags: {}, field: 'v', origin: '', times, values }
}

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
