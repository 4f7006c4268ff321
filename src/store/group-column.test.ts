// Slots of groups: joined by what the aggregate is, exact where a sum leaves the integers that a float64
// tells, and by the rules for points at the same time.

import { expect, test } from 'vitest'
import type { Column, Value } from '../column/column.js'
import { GroupColumn, type GroupJoin } from './group-column.js'
import { ValueSink } from './value-sink.js'

function column(type: Column['type'], values: readonly (Value | undefined)[]): Column {
  const sink = new ValueSink(type)
  sink.fill(new Float64Array(values.length))
  for (const value of values) sink.push(value ?? null)
  return sink.column()
}

function moments(...offsets: number[]) {
  return { base: 0n, offsets: Float64Array.from(offsets) }
}

test.each<[GroupJoin, number[]]>([
  ['sum', [5, 6]],
  ['count', [5, 6]],
  ['min', [1, 6]],
  ['max', [4, 6]],
])('%s of numbers, by slot', (join, expected) => {
  const table = new GroupColumn(join, false, 3)
  table.add(Int32Array.of(0, 2, 0, 1), column('float', [1, 6, 4, undefined]), 0, 4, undefined)
  expect([...table.numbers!]).toEqual([expected[0], 0, expected[1]])
  expect([...table.marks]).toEqual([1, 0, 1])
  table.reserve(200)
  table.add(Int32Array.of(197, 199), column('integer', [7, 8]), 0, 2, undefined)
  expect([table.has(0), table.has(1), table.has(197), table.has(198)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect([table.value(0), table.value(197), table.value(199)]).toEqual([expected[0], 7, 8])
})

test('a sum beyond 2^53 makes the table one of bigints', () => {
  const table = new GroupColumn('sum', false, 3)
  const large = Number.MAX_SAFE_INTEGER
  table.add(Int32Array.of(0, 1, 0), column('integer', [large, 5, large]), 0, 3, undefined)
  table.add(Int32Array.of(2), column('integer', [1]), 0, 1, undefined)
  expect(table.numbers).toBeUndefined()
  expect([0, 1, 2].map((slot) => table.value(slot))).toEqual([2n * BigInt(large), 5n, 1n])
})

test.each<[GroupJoin, Value[], Value[], [Value, bigint][]]>([
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
  const table = new GroupColumn(join, true, 2)
  const slots = Int32Array.of(0, 1)
  table.add(slots, column(type as Column['type'], one), 0, 2, moments(10, 20))
  table.add(slots, column(type as Column['type'], other), 0, 2, moments(10, 19))
  for (const [slot, [value, time]] of expected.entries()) {
    expect([table.value(slot), table.time(slot)]).toEqual([value, time])
  }
})
