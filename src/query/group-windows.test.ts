// Windows of groups: laid where they belong, joined by what the aggregate is, exact where a sum leaves the
// integers that a float64 tells.

import { expect, test } from 'vitest'
import type { Column, Value } from '../column/column.js'
import type { AggregateFunction } from '../store/store.js'
import { ColumnBuilder } from './column-builder.js'
import { GroupWindows } from './group-windows.js'
import { WindowGrid } from './window-grid.js'

function column(type: Column['type'], values: readonly (Value | undefined)[]): Column {
  const builder = new ColumnBuilder(type, values.length)
  for (const value of values) {
    if (value === undefined) builder.pushNull()
    else builder.push(value)
  }
  return builder.finish()
}

function moments(...offsets: number[]) {
  return { base: 0n, offsets: Float64Array.from(offsets) }
}

test('windows begin at multiples of their length from the offset', () => {
  const grid = new WindowGrid({ start: -3n, stop: 25n }, 10n, 2n)
  expect([grid.firstStart, grid.count, grid.start(2)]).toEqual([-8n, 4, 12n])
  const rows = { base: 5n, offsets: Float64Array.of(-8, -4, -3, 7, 19) }
  expect([...grid.windowsOf(rows, 5).subarray(0, 5)]).toEqual([0, 0, 1, 2, 3])
  expect([...grid.times(true)!.offsets]).toEqual([0, 10, 20, 30])
  expect([...grid.times(false)!.offsets]).toEqual([30, 20, 10, 0])
  const whole = new WindowGrid({ start: 3n, stop: 4n }, 0n, 0n)
  expect([whole.count, whole.windowsOf(rows, 1)[0]]).toEqual([1, 0])
})

test.each<[AggregateFunction, number[]]>([
  ['sum', [5, 6]],
  ['count', [5, 6]],
  ['min', [1, 6]],
  ['max', [4, 6]],
])('%s of numbers, by group', (join, expected) => {
  const table = new GroupWindows(join, 3, false)
  const windows = Int32Array.of(0, 2, 0, 1)
  table.add(0, windows, column('float', [1, 6, 4, undefined]), 0, 4, undefined)
  table.add(9, windows, column('integer', [7, 8]), 0, 2, undefined)
  expect([...table.numbers(0)!]).toEqual([expected[0], 0, expected[1]])
  expect([...table.marks(0)]).toEqual([1, 0, 1])
  expect([table.count(0), table.count(5), table.count(9)]).toEqual([2, 0, 2])
  expect([...table.numbers(9)!]).toEqual([7, 0, 8])
})

test('a sum beyond 2^53 makes the table one of bigints', () => {
  const table = new GroupWindows('sum', 2, false)
  const large = Number.MAX_SAFE_INTEGER
  const windows = Int32Array.of(0, 1, 0)
  table.add(0, windows, column('integer', [large, 5, large]), 0, 3, undefined)
  table.add(1, windows, column('integer', [1]), 0, 1, undefined)
  expect(table.numbers(0)).toBeUndefined()
  expect([table.value(0, 0), table.value(0, 1)]).toEqual([2n * BigInt(large), 5n])
  expect(table.value(1, 0)).toEqual(1n)
})

test.each<[AggregateFunction, Value[], Value[], [Value, bigint][]]>([
  [
    'first',
    [1, 5],
    [2, 4],
    [
      [2, 10n],
      [4, 19n],
    ],
  ],
  [
    'last',
    [1, 5],
    [2, 4],
    [
      [2, 10n],
      [5, 20n],
    ],
  ],
  [
    'max',
    [1, 4],
    [1, 4],
    [
      [1, 10n],
      [4, 19n],
    ],
  ],
  [
    'first',
    ['a', 'c'],
    ['b', 'd'],
    [
      ['b', 10n],
      ['d', 19n],
    ],
  ],
  [
    'first',
    [true, true],
    [false, true],
    [
      [false, 10n],
      [true, 19n],
    ],
  ],
])('%s of %s and %s, with the times of the points', (join, one, other, expected) => {
  const type = typeof one[0] === 'number' ? 'float' : typeof one[0]
  const table = new GroupWindows(join, 2, true)
  const windows = Int32Array.of(0, 1)
  table.add(0, windows, column(type as Column['type'], one), 0, 2, moments(10, 20))
  table.add(0, windows, column(type as Column['type'], other), 0, 2, moments(10, 19))
  for (const [window, [value, time]] of expected.entries()) {
    expect([table.value(0, window), table.time(0, window)]).toEqual([value, time])
  }
})
