// Runs that are in order brought into one order: like a stable sort, in both directions, with runs
// of any number and length.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RowMemory, RowMemoryPool } from '../../query/row-memory.js'
import { timeRanks } from './time-order.js'

/** The rows in order. */
function merged(runs: readonly (readonly number[])[], descending: boolean): number[] {
  let end = 0
  const ends = Uint32Array.from(runs, (run) => (end += run.length))
  const offsets = Float64Array.from(runs.flat())
  const order: number[] = []
  for (const [row, rank] of timeRanks(
    offsets,
    ends,
    descending,
    new RowMemory(new RowMemoryPool()),
  ).entries()) {
    order[rank] = row
  }
  return order
}

test('nothing, one run, runs without rows', () => {
  expect(merged([], false)).toEqual([])
  expect(merged([[1, 2, 3]], false)).toEqual([0, 1, 2])
  expect(merged([[], [1, 2], []], false)).toEqual([0, 1])
})

test('equal times stay in the order of their runs, and fall in the opposite one', () => {
  expect(
    merged(
      [
        [1, 5],
        [1, 5],
        [0, 5],
      ],
      false,
    ),
  ).toEqual([4, 0, 2, 1, 3, 5])
  expect(
    merged(
      [
        [5, 1],
        [5, 1],
        [5, 0],
      ],
      true,
    ),
  ).toEqual([4, 2, 0, 3, 1, 5])
})

function expectStableSort(unsorted: readonly (readonly number[])[], descending: boolean): void {
  const sign = descending ? -1 : 1
  const runs = unsorted.map((run) => run.toSorted((a, b) => (a - b) * sign))
  const times = runs.flat()
  const rows = times.map((_, row) => row)
  const starts = runs.map((_, r) => runs.slice(0, r).flat().length)
  const runOf = (row: number) => starts.findLastIndex((start) => start <= row)
  const byRun = (a: number, b: number) => (descending ? runOf(b) - runOf(a) : 0)
  const expected = rows.sort((a, b) => (times[a] - times[b]) * sign || byRun(a, b))
  expect(merged(runs, descending)).toEqual(expected)
}

/** Runs of times that come again in others. */
const anyRuns = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 8 }))

test('is a stable sort', () => {
  fc.assert(fc.property(anyRuns, fc.boolean(), expectStableSort))
})

test('is a stable sort of times on a grid of any width, wherever it lies', () => {
  const step = fc.constantFrom(1, 3, 10 ** 9, 10 ** 10, 60 * 10 ** 9, 2 ** 40, 5 * 10 ** 14)
  const start = fc.integer({ min: -(2 ** 50), max: 2 ** 50 })
  fc.assert(
    fc.property(anyRuns, step, start, fc.boolean(), (runs, stepNs, startNs, descending) => {
      const onGrid = runs.map((run) => run.map((slot) => startNs + slot * stepNs))
      expectStableSort(onGrid, descending)
    }),
  )
})

test('is a stable sort of times that are on no grid', () => {
  // One row of many is beside the grid: the last, the first, or one between.
  const beside = fc.tuple(fc.nat(), fc.constantFrom(1, 7, 999_999_937, 10 ** 15))
  fc.assert(
    fc.property(anyRuns, beside, fc.boolean(), (runs, [at, shift], descending) => {
      const rowCount = runs.flat().length
      let row = 0
      const times = runs.map((run) =>
        run.map((slot) => slot * 10 ** 10 + (row++ === at % Math.max(1, rowCount) ? shift : 0)),
      )
      expectStableSort(times, descending)
    }),
  )
})
