// Results as Parquet, read back by DuckDB: every type of value with and without holes, groups as columns,
// answers without rows, several row groups.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  batch,
  type Cell,
  failure,
  start,
  stream,
  type Table,
} from '../../test/result/sample-pieces.js'
import type { ResultBatch, ResultPiece } from '../query/language.js'
import type { ShapeKind } from './arrow-shape.js'
import { encodeParquet } from './parquet-results.js'

let folder: string
let fileCount = 0
let connection: DuckDBConnection

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parquet-results-'))
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})

afterAll(() => {
  connection.closeSync()
  rmSync(folder, { recursive: true })
})

async function write(
  pieces: readonly ResultPiece[],
  kind: ShapeKind = 'rows',
  groupBytes?: number,
): Promise<string> {
  const chunks: Buffer[] = []
  // Copied: a chunk is valid until the next one is asked for.
  for await (const chunk of encodeParquet(stream(pieces), kind, groupBytes)) {
    chunks.push(Buffer.from(chunk))
  }
  // A name of its own: DuckDB keeps what it has read of a file.
  const file = join(folder, `answer-${fileCount++}.parquet`)
  writeFileSync(file, Buffer.concat(chunks))
  return file
}

async function rowsOf(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRows() as unknown[][]
}

/** Moments as nanoseconds: DuckDB's own values for them do not compare with ours. */
async function readBack(file: string, times: readonly string[] = ['time']): Promise<unknown[][]> {
  const replaced = times.map((name) => `epoch_ns("${name}") AS "${name}"`).join(', ')
  const list = times.length === 0 ? '*' : `* REPLACE (${replaced})`
  return rowsOf(`SELECT ${list} FROM read_parquet('${file}')`)
}

const table = {
  kinds: ['time', 'float', 'integer', 'unsigned', 'boolean', 'string'],
  columns: ['time', 'f', 'i', 'u', 'b', 's'],
} as const

const edges: readonly (readonly Cell[])[] = [
  [-9223372036854775000n, 1.5, -1n, 0n, true, 'a'],
  [-9223372036854774999n, null, null, null, null, null],
  [-9223372036854774000n, -0.25, 2n ** 32n, 2n ** 53n - 1n, false, ''],
  [-9223372036854773000n, 5e-324, -(2n ** 63n), 2n ** 64n - 1n, true, 'é€ a longer text'],
  [-9223372036854772000n, null, 2n ** 63n - 1n, null, null, 'x'.repeat(5000)],
]

test('every type comes back, with its holes', async () => {
  const file = await write([start(0), batch({ ...table, rows: edges })])
  expect(await readBack(file)).toEqual(edges)
  const types = await rowsOf(`DESCRIBE SELECT * FROM read_parquet('${file}')`)
  expect(types.map(([name, type]) => `${name} ${type}`)).toEqual([
    'time TIMESTAMP_NS',
    'f DOUBLE',
    'i BIGINT',
    'u UBIGINT',
    'b BOOLEAN',
    's VARCHAR',
  ])
  const zoned = await write([start(0), batch({ ...table, rows: edges, zone: 'Europe/Berlin' })])
  const told = await rowsOf(
    `SELECT logical_type FROM parquet_schema('${zoned}') WHERE name = 'time'`,
  )
  expect(told[0][0]).toContain('isAdjustedToUTC=1')
})

test('columns without any hole and without any value', async () => {
  const rows = Array.from({ length: 19 }, (_, i) => [BigInt(i), i / 4, null, BigInt(i), true, null])
  const file = await write([start(0), batch({ ...table, rows })])
  expect(await readBack(file)).toEqual(rows)
})

test('an answer without rows has its columns', async () => {
  const file = await write([start(0), batch({ ...table, rows: [] })])
  expect(await readBack(file)).toEqual([])
  const types = await rowsOf(`DESCRIBE SELECT * FROM read_parquet('${file}')`)
  expect(types.map(([name]) => name)).toEqual(table.columns)
  const nothing = await write([start(0)], 'groups')
  const columns = await rowsOf(`DESCRIBE SELECT * FROM read_parquet('${nothing}')`)
  expect(columns.map(([name]) => name)).toEqual(['iox::measurement', 'time'])
})

test('many rows come in row groups of bounded size', async () => {
  const made = (from: number) =>
    Array.from({ length: 5000 }, (_, k): Cell[] => {
      const i = from + k
      const text = i % 5 === 0 ? null : `text ${i}`
      return [BigInt(i), i % 3 === 0 ? null : i / 8, BigInt(i), null, i % 7 === 0, text]
    })
  const pieces = [0, 5000, 10_000, 15_000].map((from) => batch({ ...table, rows: made(from) }))
  const file = await write([start(0), ...pieces], 'rows', 100_000)
  const [[groups, largest, total]] = await rowsOf(
    `SELECT count(DISTINCT row_group_id), max(row_group_bytes), sum(row_group_num_rows) / 6
      FROM parquet_metadata('${file}')`,
  )
  expect(Number(groups)).toBeGreaterThan(3)
  expect(Number(largest)).toBeLessThan(500_000)
  expect(Number(total)).toBe(20_000)
  expect(await readBack(file)).toEqual([0, 5000, 10_000, 15_000].flatMap(made))
})

test('groups are columns, and lists texts', async () => {
  const grouped = (host: string, rows: Cell[][]): ResultBatch =>
    batch({
      kinds: ['time', 'float'],
      columns: ['time', 'mean'],
      name: 'cpu',
      tags: { host },
      rows,
    })
  const file = await write([start(0), grouped('a', [[1n, 2]]), grouped('', [[3n, null]])], 'groups')
  expect(await readBack(file)).toEqual([
    ['cpu', 1n, 'a', 2],
    ['cpu', 3n, null, null],
  ])
  const lists = [['a', 'b,c'], [], ['é']]
  const validity = Uint8Array.of(1, 1, 1)
  const listed: ResultBatch = {
    ...batch({ kinds: [], columns: ['l'], rows: [[], [], []] }),
    columns: [{ type: 'list', lists, validity }],
  }
  const file2 = await write([start(0), listed])
  expect(await readBack(file2, [])).toEqual([['a,b,c'], [''], ['é']])
})

test('more columns than a short list holds', async () => {
  const columns = Array.from({ length: 40 }, (_, i) => `column ${i}`)
  const wide: Table = {
    kinds: columns.map(() => 'integer' as const),
    columns,
    rows: [columns.map((_, i) => BigInt(i))],
  }
  const file = await write([start(0), batch(wide)])
  expect(await readBack(file, [])).toEqual(wide.rows)
})

test('what fails is thrown before anything is given', async () => {
  const pieces = stream([start(0), failure(0, 'too bad')])
  await expect(encodeParquet(pieces, 'rows').next()).rejects.toThrow('too bad')
})

test('tables with other columns are refused', async () => {
  const other = batch({ kinds: ['float'], columns: ['x'], rows: [[1]] })
  const pieces = [start(0), batch({ ...table, rows: edges }), other]
  await expect(write(pieces)).rejects.toThrow('different columns')
})
