// Record batches that Arrow's own library made, as columns of series: types, values that are missing, integers of all
// 64 bits, times before 1970 and far apart, texts in dictionaries.

import {
  Bool,
  Dictionary,
  Float64,
  Int32,
  Int64,
  makeData,
  makeVector,
  RecordBatchReader,
  Table,
  TimestampNanosecond,
  tableToIPC,
  Uint64,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow'
import { expect, it } from 'vitest'
import type { Column } from '../../column/column.js'
import { BatchBuilder } from '../../tsm/shard/batch-builder.js'
import { addRecordBatch } from './arrow-rows.js'
import { SqlTable } from './sql-table.js'

const table = new SqlTable('m n', [
  ['time', 'Timestamp(Nanosecond, None)'],
  ['t', 'Dictionary(Int32, Utf8)'],
  ['u', 'Dictionary(Int32, Utf8)'],
  ['f', 'Float64'],
  ['i', 'Int64'],
  ['j', 'UInt64'],
  ['b', 'Boolean'],
  ['s', 'Utf8'],
])

const year = 31_536_000_000_000_000n
const times = [5n, -1n, 1n, 40n * year, 2n, -(9n ** 18n)]

function columns(texts: 'plain' | 'dictionary'): Record<string, Vector> {
  // Each column has a dictionary of its own, by its number.
  const type = (id: number) =>
    texts === 'plain' ? new Utf8() : new Dictionary(new Utf8(), new Int32(), id)
  return {
    time: makeVector(
      makeData({ type: new TimestampNanosecond(), data: BigInt64Array.from(times) }),
    ),
    t0: vectorFromArray(['a', 'b', 'a', 'a', null, 'é='], type(1)),
    t1: vectorFromArray([null, 'x', null, null, null, 'x'], type(2)),
    f0: vectorFromArray([0.5, null, -1, 1e300, 4, null], new Float64()),
    f1: vectorFromArray([1n, 2n ** 63n - 1n, -5n, null, -(2n ** 63n), null], new Int64()),
    f2: vectorFromArray([1n, null, 2n ** 32n, 3n, 2n ** 64n - 1n, null], new Uint64()),
    f3: vectorFromArray([true, false, null, true, false, null], new Bool()),
    f4: vectorFromArray(['', 'ä', null, 'long '.repeat(9), 'z', 'only'], type(3)),
  }
}

/** `key field time` to the value. */
function written(vectors: Record<string, Vector>, types = table.fields): Map<string, unknown> {
  const builder = new BatchBuilder()
  const fields = types.map(({ name, type }) => ({ name, type, expression: '' }))
  for (const batch of RecordBatchReader.from(tableToIPC(new Table(vectors)))) {
    addRecordBatch(builder, table, batch, fields)
  }
  const found = new Map<string, unknown>()
  for (const { rowCount, series, keys, times: moments, fields: columns } of builder.take()!
    .tables) {
    for (let row = 0; row < rowCount; row++) {
      const key = Buffer.from(keys.key(series[row])).toString()
      const time = moments.base + BigInt(moments.offsets[row])
      for (const { name, column } of columns) {
        if (column.validity !== undefined && column.validity[row] === 0) continue
        found.set(`${key} ${name} ${time}`, valueAt(column, row))
      }
    }
  }
  return found
}

function valueAt(column: Column, row: number): unknown {
  if (column.type !== 'string') return column.values[row]
  const { offsets, bytes } = column.dictionary
  const entry = column.values[row]
  return Buffer.from(bytes.subarray(offsets[entry], offsets[entry + 1])).toString()
}

const keys = ['m\\ n,t=a', 'm\\ n,t=b,u=x', 'm\\ n,t=a', 'm\\ n,t=a', 'm\\ n', 'm\\ n,t=é\\=,u=x']

it.each(['plain', 'dictionary'] as const)('reads texts that are %s', (texts) => {
  const vectors = columns(texts)
  const found = written(vectors)
  let count = 0
  for (const [i, { name, type }] of table.fields.entries()) {
    for (const [row, time] of times.entries()) {
      const value = vectors[`f${i}`].get(row)
      if (value === null) continue
      count++
      const told = found.get(`${keys[row]} ${name} ${time}`)
      // Booleans are 0 and 1 in a column, and integers that fit are plain numbers beside none that does not.
      const isNumber = type === 'boolean' || type === 'integer' || type === 'unsigned'
      expect([name, row, isNumber ? BigInt(told as number) : told]).toEqual([
        name,
        row,
        isNumber ? BigInt(value) : value,
      ])
    }
  }
  expect(found.size).toBe(count)
})

it('makes floats of integers where the field is a float elsewhere', () => {
  const types = table.fields.map(
    (field) => ({ ...field, type: field.name === 'i' ? 'float' : field.type }) as const,
  )
  const found = written(columns('plain'), types)
  expect(found.get('m\\ n,t=a i 1')).toBe(-5)
  expect(found.get('m\\ n i 2')).toBe(-(2 ** 63))
})
