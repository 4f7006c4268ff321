// Rows in any order become strictly ascending ones, where the latest value of each field wins. Held
// against a map.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Column, type Value, valueAt } from '../../../column/column.js'
import { RowMerger, type Rows, RowsBuilder, slice } from './rows.js'

interface Row {
  readonly offset: number
  readonly a: number | null
  readonly b: number | null
}

const row: fc.Arbitrary<Row> = fc.record({
  offset: fc.nat(40),
  a: fc.option(fc.nat(9)),
  b: fc.option(fc.nat(9)),
})

function column(values: readonly (number | null)[]): Column | undefined {
  if (values.every((value) => value === null)) return undefined
  return {
    type: 'float',
    values: Float64Array.from(values, (value) => value ?? 99),
    validity: values.includes(null)
      ? Uint8Array.from(values, (value) => Number(value !== null))
      : undefined,
  }
}

function rowsOf(list: readonly Row[]): Rows {
  return {
    rowCount: list.length,
    offsets: Float64Array.from(list, ({ offset }) => offset),
    columns: [column(list.map(({ a }) => a)), column(list.map(({ b }) => b))],
  }
}

function plain({ rowCount, offsets, columns }: Rows) {
  return Array.from({ length: rowCount }, (_, i) => ({
    offset: offsets[i],
    a: cellOf(columns[0], i),
    b: cellOf(columns[1], i),
  }))
}

function cellOf(of: Column | undefined, i: number): Value | null {
  return of === undefined ? null : valueAt(of, i)
}

function expected(list: readonly Row[]): Row[] {
  const merged = new Map<number, Row>()
  for (const { offset, a, b } of list) {
    const before = merged.get(offset)
    merged.set(offset, { offset, a: a ?? before?.a ?? null, b: b ?? before?.b ?? null })
  }
  return [...merged.values()].sort((x, y) => x.offset - y.offset)
}

test('merging sorts, and the latest value of each field wins', () => {
  const merger = new RowMerger(['float', 'float'])
  fc.assert(
    fc.property(fc.array(row, { maxLength: 200 }), (list) => {
      expect(plain(merger.merge(rowsOf(list)))).toEqual(expected(list))
    }),
  )
})

test('rows that ascend already are handed back as they are', () => {
  const rows = rowsOf([1, 2, 5].map((offset) => ({ offset, a: offset, b: null })))
  expect(new RowMerger(['float', 'float']).merge(rows)).toBe(rows)
})

test('rows gathered from several places keep their gaps and shifts', () => {
  const part = fc.array(row, { maxLength: 40 })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.nat(5), (parts, skipped) => {
      const builder = new RowsBuilder(['float', 'float'])
      const all: Row[] = []
      for (const [i, list] of parts.entries()) {
        const start = Math.min(skipped, list.length)
        builder.append(rowsOf(list), start, list.length, i * 1000)
        for (const r of list.slice(start)) all.push({ ...r, offset: r.offset + i * 1000 })
      }
      expect(builder.rowCount).toBe(all.length)
      expect(plain(builder.rows())).toEqual(all)
    }),
  )
})

test('a slice is the rows between its bounds', () => {
  const list = [4, 5, 6, 7].map((offset) => ({ offset, a: offset, b: offset % 2 ? null : 1 }))
  for (const [start, stop] of [
    [0, 4],
    [0, 2],
    [1, 3],
    [3, 3],
  ]) {
    expect(plain(slice(rowsOf(list), start, stop))).toEqual(list.slice(start, stop))
  }
})
