// Runs that are in order brought into one order: like a stable sort, in both directions, with runs
// of any number and length.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeRuns } from './time-order.js'

function merged(runs: readonly (readonly number[])[], descending: boolean): number[] {
  let end = 0
  const ends = runs.map((run) => (end += run.length))
  return [...mergeRuns(Float64Array.from(runs.flat()), ends, descending)]
}

test('nothing, one run, runs without rows', () => {
  expect(merged([], false)).toEqual([])
  expect(merged([[1, 2, 3]], false)).toEqual([0, 1, 2])
  expect(merged([[], [1, 2], []], false)).toEqual([0, 1])
})

test('equal times stay in the order of their runs', () => {
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
  ).toEqual([0, 2, 4, 1, 3, 5])
})

test('is a stable sort', () => {
  const anyRuns = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 8 }))
  fc.assert(
    fc.property(anyRuns, fc.boolean(), (unsorted, descending) => {
      const sign = descending ? -1 : 1
      const runs = unsorted.map((run) => run.toSorted((a, b) => (a - b) * sign))
      const times = runs.flat()
      const expected = times.map((_, row) => row).sort((a, b) => (times[a] - times[b]) * sign)
      expect(merged(runs, descending)).toEqual(expected)
    }),
  )
})
