// LIMIT and OFFSET over blocks of rows: the same rows however they are cut into blocks, and the odd
// answer that OFFSET alone gives.

import { expect, test } from 'vitest'
import { timeAt } from '../../column/time.js'
import { RowLimiter } from './row-limiter.js'
import type { RowBlock } from './rows.js'

const dayNs = 86_400_000_000_000

function blockOf(days: readonly number[]): RowBlock {
  return {
    count: days.length,
    times: { base: 0n, offsets: Float64Array.from(days, (day) => day * dayNs) },
    columns: [{ type: 'float', values: Float64Array.from(days), validity: undefined }, undefined],
  }
}

/** The days of the rows that are let through. */
function taken(limiter: RowLimiter, blocks: readonly (readonly number[])[]): number[] {
  const days: number[] = []
  for (const block of blocks) {
    const rows = limiter.take(blockOf(block))
    for (let row = 0; row < rows.count; row++) {
      const day = Number(timeAt(rows.times, row)) / dayNs
      expect(rows.columns[0]?.values[row]).toBe(day)
      days.push(day)
    }
  }
  return days
}

test.each([
  [0, 0, [1, 2, 3, 4, 5, 6]],
  [2, 0, [1, 2]],
  [4, 0, [1, 2, 3, 4]],
  [2, 3, [4, 5]],
  [9, 4, [5, 6]],
  [1, 6, []],
  [1, 100, []],
])('LIMIT %d OFFSET %d', (limit, offset, expected) => {
  for (const blocks of [[[1, 2, 3, 4, 5, 6]], [[1], [2, 3], [], [4, 5, 6]]]) {
    expect(taken(new RowLimiter(limit, offset), blocks)).toEqual(expected)
  }
})

test('is full when nothing more is wanted', () => {
  const limiter = new RowLimiter(2, 1)
  expect(limiter.isFull).toBe(false)
  limiter.take(blockOf([1, 2]))
  expect(limiter.isFull).toBe(false)
  limiter.take(blockOf([3]))
  expect(limiter.isFull).toBe(true)
  expect(limiter.take(blockOf([4])).count).toBe(0)
  expect(new RowLimiter(0, 5).isFull).toBe(false)
})

test('OFFSET alone gives one row more of each week than it passes over', () => {
  // The first week of 1970 begins on a Thursday and ends on Sunday, the fourth.
  const days = [0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13]
  expect(taken(new RowLimiter(0, 1), [days])).toEqual([1, 4, 5, 11, 12])
  expect(taken(new RowLimiter(0, 1), [days.slice(0, 5), days.slice(5)])).toEqual([1, 4, 5, 11, 12])
})
