// Columns that grow by ranges, picks and gaps: whatever the order, each row keeps its value, also
// when integers turn wide half way and when memory comes from a pool that gives more than was asked
// for.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Column, valueAt } from '../../../column/column.js'
import { BufferPool } from './buffer-pool.js'
import { ColumnBuilder, noRow } from './column-builder.js'

function integerColumn(values: readonly (bigint | null)[]): Column {
  const validity = Uint8Array.from(values, (value) => Number(value !== null))
  const numbers = values.map((value) => value ?? 0n)
  const narrow = numbers.every((value) => Number.isSafeInteger(Number(value)))
  return {
    type: 'integer',
    values: narrow ? Float64Array.from(numbers, Number) : BigInt64Array.from(numbers),
    validity: values.includes(null) ? validity : undefined,
  }
}

function valuesOf(builder: ColumnBuilder): unknown[] {
  const column = builder.column()
  return Array.from({ length: builder.length }, (_, row) => valueAt(column, row))
}

const cell = fc.option(fc.oneof(fc.bigInt(-5n, 5n), fc.constant(2n ** 62n)))
const cells = fc.array(cell, { minLength: 1, maxLength: 90 })
const picks = fc.array(fc.option(fc.nat()), { minLength: 1, maxLength: 90 })

test('ranges, picks and gaps in any order', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('range' as const), cells }),
    fc.record({ kind: fc.constant('picks' as const), cells, picks }),
    fc.record({ kind: fc.constant('gaps' as const), count: fc.nat(70) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const builder = new ColumnBuilder('integer')
      const expected: (bigint | null)[] = []
      for (const s of steps) {
        if (s.kind === 'gaps') {
          builder.appendNulls(s.count)
          expected.push(...Array.from({ length: s.count }, () => null))
        } else if (s.kind === 'range') {
          const start = s.cells.length >> 1
          builder.append(integerColumn(s.cells), start, s.cells.length)
          expected.push(...s.cells.slice(start))
        } else {
          const rows = s.picks.map((pick) => (pick === null ? noRow : pick % s.cells.length))
          builder.appendPicked(integerColumn(s.cells), Uint32Array.from(rows), rows.length)
          expected.push(...rows.map((row) => (row === noRow ? null : s.cells[row])))
        }
      }
      expect(valuesOf(builder)).toEqual(expected)
    }),
  )
})

test('a column that turns wide in a larger buffer keeps its gaps', () => {
  const pool = new BufferPool({ shared: false, spareBytesMax: 1 << 20 })
  const builder = new ColumnBuilder('integer', pool, 1024)
  const expected: (bigint | null)[] = [null, 1n]
  builder.appendNulls(1)
  builder.append(integerColumn([1n]), 0, 1)
  // What the pool hands out next is larger than the column: 1280 rows instead of 1024.
  pool.free(new ArrayBuffer(10_240))
  builder.append(integerColumn([2n ** 62n]), 0, 1)
  expected.push(2n ** 62n)
  while (builder.length < 1270) {
    builder.append(integerColumn([null, 3n]), 0, 2)
    expected.push(null, 3n)
  }
  expect(valuesOf(builder)).toEqual(expected)
})

function dictionaryOf(entries: readonly string[]) {
  const parts = entries.map((entry) => Buffer.from(entry))
  const offsets = new Uint32Array(entries.length + 1)
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length
  })
  return { offsets, bytes: Buffer.concat(parts), count: entries.length }
}

test('strings in any order of their entries, from any ranges of several columns', () => {
  const entries = Array.from({ length: 12 }, (_, i) => 'entry '.repeat(i * 5) + i)
  const range = fc.record({
    codes: fc.oneof<fc.Arbitrary<(number | null)[]>[]>(
      // As a block of strings that all differ has them, and as others have.
      fc.nat(8).map((first) => [first, first + 1, first + 2, first + 3]),
      fc.array(fc.option(fc.nat(11)), { minLength: 1, maxLength: 12 }),
    ),
    start: fc.nat(3),
    dictionary: fc.nat(1),
  })
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
      const dictionaries = [dictionaryOf(entries), dictionaryOf(entries.toReversed())]
      const builder = new ColumnBuilder('string')
      const expected: (string | null)[] = []
      for (const { codes, start, dictionary } of ranges) {
        const from = Math.min(start, codes.length - 1)
        const column: Column = {
          type: 'string',
          values: Uint32Array.from(codes, (code) => code ?? 0),
          dictionary: dictionaries[dictionary],
          validity: codes.includes(null)
            ? Uint8Array.from(codes, (code) => Number(code !== null))
            : undefined,
        }
        builder.append(column, from, codes.length)
        for (const code of codes.slice(from)) {
          const entry = dictionary === 0 ? code : 11 - (code ?? 0)
          expected.push(code === null ? null : entries[entry ?? 0])
        }
      }
      expect(valuesOf(builder)).toEqual(expected)
    }),
  )
})

test('strings from many dictionaries', () => {
  const builder = new ColumnBuilder('string')
  const expected: (string | null)[] = []
  for (let round = 0; round < 50; round++) {
    const entries = ['', `text ${round}`, 'é'.repeat(round)]
    const column: Column = {
      type: 'string',
      values: Uint32Array.of(2, 0, 1, 1),
      dictionary: dictionaryOf(entries),
      validity: undefined,
    }
    builder.append(column, 0, 4)
    builder.appendNulls(1)
    builder.appendPicked(column, Uint32Array.of(3, noRow, 0), 3)
    expected.push(entries[2], entries[0], entries[1], entries[1], null)
    expected.push(entries[1], null, entries[2])
  }
  expect(valuesOf(builder)).toEqual(expected)
  builder.clear()
  expect(valuesOf(builder)).toEqual([])
})

test('columns of a few values begin small, whatever their type', () => {
  const one: readonly Column[] = [
    { type: 'float', values: Float64Array.of(1), validity: undefined },
    { type: 'boolean', values: Uint8Array.of(1), validity: undefined },
    {
      type: 'string',
      values: Uint32Array.of(0),
      dictionary: { offsets: Uint32Array.of(0, 1), bytes: Uint8Array.of(97), count: 1 },
      validity: undefined,
    },
  ]
  for (const column of one) {
    const builder = new ColumnBuilder(column.type)
    builder.append(column, 0, 1)
    builder.appendNulls(2)
    expect(builder.byteLength).toBeLessThanOrEqual(168)
    // And grow, with gaps and texts.
    for (let i = 0; i < 200; i++) builder.append(column, 0, 1)
    const value = valueAt(column, 0)
    expect(valuesOf(builder)).toEqual([value, null, null, ...Array(200).fill(value)])
  }
})
