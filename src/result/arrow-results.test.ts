// Results as Arrow, read back with Arrow's own library: every type of value, groups as columns, batches of
// bounded size.

import { type Table as ArrowTable, tableFromIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { batch, failure, start, stream, type Table } from '../../test/result/sample-pieces.js'
import type { ResultPiece } from '../query/language.js'
import { encodeArrow } from './arrow-results.js'
import { encapsulatedSchema } from './arrow-schema.js'
import type { ShapeKind } from './arrow-shape.js'

/** The parts as a file of Arrow's streaming format. */
async function encoded(pieces: readonly ResultPiece[], kind: ShapeKind): Promise<ArrowTable> {
  const parts: Uint8Array[] = []
  for await (const part of encodeArrow(stream(pieces), kind)) {
    if (part.kind === 'schema') {
      parts.push(encapsulatedSchema(part.schema))
      continue
    }
    const { header, bodyBytes } = part.batch
    const bytes = Buffer.alloc(8 + header.length + bodyBytes)
    bytes.writeUInt32LE(0xffffffff, 0)
    bytes.writeUInt32LE(header.length, 4)
    bytes.set(header, 8)
    part.batch.writeBody(bytes, 8 + header.length)
    parts.push(bytes)
  }
  return tableFromIPC(Buffer.concat(parts))
}

function cellsOf(table: ArrowTable): unknown[][] {
  return Array.from({ length: table.numRows }, (_, row) =>
    table.schema.fields.map((_field, column) => {
      const vector = table.getChildAt(column)
      const [data] = vector?.data ?? []
      const isTime = String(data?.type).startsWith('Timestamp')
      return isTime && vector?.get(row) !== null ? data.values[row] : vector?.get(row)
    }),
  )
}

const kinds = ['time', 'float', 'integer', 'unsigned', 'boolean', 'string'] as const
const names = ['time', 'f', 'i', 'u', 'b', 's']

const rows = [
  [-9223372036854775000n, 1.5, -1n, 0n, true, 'a'],
  [-9223372036854774999n, null, null, null, null, null],
  [-9223372036854774000n, -0.25, 4294967296n, 9007199254740991n, false, ''],
  [
    -9223372036854773000n,
    0,
    -9007199254740991n,
    1n,
    true,
    'a text of more than two dozen bytes: ü',
  ],
]

test('every type of value, with and without one', async () => {
  const table = await encoded([start(0), batch({ kinds, columns: names, rows })], 'rows')
  expect(cellsOf(table)).toEqual(rows)
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
    'Timestamp<NANOSECOND>',
    'Float64',
    'Int64',
    'Uint64',
    'Bool',
    'Utf8',
  ])
})

test('whole numbers beyond 2^53, and moments around 2^32', async () => {
  const wide = [
    [4294967295n, 9223372036854775807n, 18446744073709551615n],
    [4294967296n, -9223372036854775808n, 9223372036854775808n],
    [-1n, 0n, 0n],
  ]
  const sample = { kinds: ['time', 'integer', 'unsigned'], columns: ['t', 'i', 'u'], rows: wide }
  expect(cellsOf(await encoded([batch(sample as Table)], 'rows'))).toEqual(wide)
})

test('groups become columns, and small pieces one batch', async () => {
  const piece = (room: string, value: number) =>
    batch({
      name: 'home',
      tags: { room },
      kinds: ['time', 'float'],
      columns: ['time', 'mean'],
      rows: [[1n, value]],
    })
  const table = await encoded([piece('a', 1), piece('', 2), piece('c', 3)], 'groups')
  expect(cellsOf(table)).toEqual([
    ['home', 1n, 'a', 1],
    ['home', 1n, null, 2],
    ['home', 1n, 'c', 3],
  ])
  expect(table.batches).toHaveLength(1)
  expect(table.schema.names).toEqual(['iox::measurement', 'time', 'room', 'mean'])
  expect(table.schema.metadata.get('iox::influxql::group_key::metadata')).toBe(
    '{"measurement_column_index":0,"tag_key_columns":[{"tag_key":"room","column_index":2,"is_projected":false}]}',
  )
})

test('validity over pieces whose borders are not those of bytes', async () => {
  const cells = Array.from({ length: 61 }, (_, i) => (i % 7 === 3 || i > 50 ? null : i))
  const flags = cells.map((cell) => (cell === null ? null : cell % 3 === 0))
  const pieces = [3, 13, 16, 20, 61].map((to, i, ends) => {
    const from = ends[i - 1] ?? 0
    const part = cells.slice(from, to).map((cell, k) => [cell, flags[from + k], String(cell)])
    return batch({ kinds: ['float', 'boolean', 'string'], columns: ['f', 'b', 's'], rows: part })
  })
  const expected = cells.map((cell, i) => [cell, flags[i], String(cell)])
  expect(cellsOf(await encoded(pieces, 'rows'))).toEqual(expected)
})

test('batches stay small, also where texts are long', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => [`${i}`.padEnd(200_000, 'x')])
  const table = await encoded([batch({ kinds: ['string'], columns: ['s'], rows: texts })], 'rows')
  expect(cellsOf(table)).toEqual(texts)
  expect(Math.max(...table.batches.map(({ numRows }) => numRows))).toBeLessThanOrEqual(10)
})

test('an answer without rows has a schema; failures are thrown', async () => {
  const none = await encoded([start(0)], 'groups')
  expect([none.schema.names, none.numRows]).toEqual([['iox::measurement', 'time'], 0])
  const empty = await encoded([batch({ kinds, columns: names, rows: [] })], 'rows')
  expect([empty.schema.names, empty.numRows]).toEqual([names, 0])
  await expect(encoded([failure(0, 'it broke')], 'rows')).rejects.toThrow('it broke')
  const one = batch({ kinds: ['float'], columns: ['x'], rows: [[1]] })
  const other = batch({ kinds: ['string'], columns: ['x'], rows: [['1']] })
  await expect(encoded([one, other], 'rows')).rejects.toThrow('column "x" of the answer is float64')
  const wider = batch({ kinds: ['float', 'float'], columns: ['x', 'y'], rows: [[1, 2]] })
  await expect(encoded([one, wider], 'rows')).rejects.toThrow('different columns')
})
