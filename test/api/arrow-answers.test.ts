// Answers as Arrow streams and Parquet files over HTTP, in all three languages, read with Arrow's own library and with
// DuckDB: the same rows as in the usual forms, and what happens where Flux's tables differ in their columns.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { DuckDBInstance } from '@duckdb/node-api'
import { RecordBatchStreamReader, type Table, tableFromIPC } from 'apache-arrow'
import { expect, it } from 'vitest'
import { type Installation, install } from './harness.js'

const arrow = 'application/vnd.apache.arrow.stream'
const parquet = 'application/vnd.apache.parquet'

const points = [
  'cpu,host=a usage=1.5,n=9007199254740993i,ok=true,note="é" 1000000001',
  'cpu,host=b usage=2.5 2000000000',
  'cpu usage=3.5 9000000000000000000',
].join('\n')

async function asked(
  { url, token }: Installation,
  path: string,
  body: object,
  accept: string,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  })
}

async function bytesOf(response: Response, type: string): Promise<Uint8Array> {
  expect(response.headers.get('content-type')).toBe(type)
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

/** Moments as nanoseconds, whole numbers as bigint. */
function rowsOf(table: Table): unknown[][] {
  return table.batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) =>
      batch.schema.fields.map((field, column) => {
        const vector = batch.getChildAt(column)!
        const value = vector.get(row)
        const isTime = String(field.type).startsWith('Timestamp')
        return isTime && value !== null ? vector.data[0].values[row] : value
      }),
    ),
  )
}

const namesOf = (table: Table) => table.schema.fields.map(({ name }) => name)

async function filled(): Promise<Installation> {
  const place = await install()
  await place.write(points)
  return place
}

const usage = `from(bucket: "b") |> range(start: 0, stop: 2260-01-01T00:00:00Z)
  |> filter(fn: (r) => r._field == "usage") |> drop(columns: ["_start", "_stop"])`

it('answers SQL and InfluxQL as Arrow, by name and by Accept', async () => {
  const place = await filled()
  const q = 'SELECT time, host, usage, n, ok, note FROM cpu ORDER BY time'
  const sql = await asked(place, '/api/v3/query_sql', { db: 'b', q }, arrow)
  const table = tableFromIPC(await bytesOf(sql, arrow))
  expect(namesOf(table)).toEqual(['time', 'host', 'usage', 'n', 'ok', 'note'])
  expect(rowsOf(table)).toEqual([
    [1000000001n, 'a', 1.5, 9007199254740993n, true, 'é'],
    [2000000000n, 'b', 2.5, null, null, null],
    [9000000000000000000n, null, 3.5, null, null, null],
  ])
  const body = { db: 'b', q: 'SELECT last(usage) FROM cpu GROUP BY host', format: 'arrow' }
  const influxql = await asked(place, '/api/v3/query_influxql', body, '*/*')
  const groups = tableFromIPC(await bytesOf(influxql, arrow))
  expect(namesOf(groups)).toEqual(['iox::measurement', 'time', 'host', 'last'])
  expect(rowsOf(groups)).toEqual([
    ['cpu', 9000000000000000000n, null, 3.5],
    ['cpu', 1000000001n, 'a', 1.5],
    ['cpu', 2000000000n, 'b', 2.5],
  ])
})

it('answers Flux as Arrow: tables by name and number, group keys told with their columns', async () => {
  const place = await filled()
  const query = `${usage} |> filter(fn: (r) => exists r.host) |> yield(name: "u")`
  const flux = await asked(place, '/api/v2/query?org=o', { query }, arrow)
  const table = tableFromIPC(await bytesOf(flux, arrow))
  const groups = table.schema.fields.filter(({ metadata }) => metadata.get('flux::group'))
  expect(groups.map(({ name }) => name).sort()).toEqual(['_field', '_measurement', 'host'])
  const names = ['result', 'table', '_time', '_value', 'host']
  const picked = rowsOf(table).map((row) => names.map((name) => row[namesOf(table).indexOf(name)]))
  expect(picked).toEqual([
    ['u', 0n, 1000000001n, 1.5, 'a'],
    ['u', 1n, 2000000000n, 2.5, 'b'],
  ])
})

it('tells moments far apart in one table', async () => {
  const place = await filled()
  const query = `${usage} |> group() |> sort(columns: ["_time"]) |> keep(columns: ["_time"])`
  const flux = await asked(place, '/api/v2/query?org=o', { query }, arrow)
  const times = rowsOf(tableFromIPC(await bytesOf(flux, arrow))).map((row) => row.at(-1))
  expect(times).toEqual([1000000001n, 2000000000n, 9000000000000000000n])
})

it('refuses Flux whose tables differ, but for whoever takes several streams', async () => {
  const place = await filled()
  const query = `${usage} |> keep(columns: ["_value", "host"])
from(bucket: "b") |> range(start: 0, stop: 10s) |> filter(fn: (r) => r._field == "note")
  |> keep(columns: ["_value", "host"]) |> yield(name: "notes")`
  const path = '/api/v2/query?org=o'
  const refused = await asked(place, path, { query: named(query) }, arrow)
  expect(refused.status).toBe(400)
  expect(((await refused.json()) as { message: string }).message).toMatch(
    /different columns|in one table and/,
  )
  const many = await asked(place, path, { query: named(query) }, `${arrow}; shapes=many`)
  const values: string[] = []
  const streams = RecordBatchStreamReader.readAll(await bytesOf(many, arrow))
  for (const reader of streams) {
    for (const batch of reader) {
      for (const row of batch) values.push(String(row!._value))
    }
  }
  expect(values.sort()).toEqual(['1.5', '2.5', '3.5', 'é'])
})

function named(query: string): string {
  return query.replace('"host"])\n', '"host"]) |> yield(name: "numbers")\n')
}

it('tells a failure, and the columns of an answer without rows', async () => {
  const place = await filled()
  const path = '/api/v2/query?org=o'
  const failed = await asked(
    place,
    path,
    { query: 'from(bucket: "none") |> range(start: 0)' },
    arrow,
  )
  expect(failed.status).toBe(404)
  const query = `${usage} |> filter(fn: (r) => r._value > 100.0, onEmpty: "keep") |> group()`
  const empty = tableFromIPC(await bytesOf(await asked(place, path, { query }, arrow), arrow))
  expect(empty.numRows).toBe(0)
  expect(namesOf(empty)).toContain('_value')
  const nothing = 'from(bucket: "b") |> range(start: 0, stop: 1970-01-01T00:00:00.5Z)'
  const bare = await bytesOf(await asked(place, path, { query: nothing }, arrow), arrow)
  expect(tableFromIPC(bare).numRows).toBe(0)
})

it('answers Flux as Parquet', async () => {
  const place = await filled()
  const query = `${usage} |> filter(fn: (r) => exists r.host)`
  const answer = await asked(place, '/api/v2/query?org=o', { query }, parquet)
  const folder = mkdtempSync(`${tmpdir()}/millrace-arrow-`)
  const file = `${folder}/answer.parquet`
  writeFileSync(file, await bytesOf(answer, parquet))
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const read = `SELECT "table", host, _value, epoch_ns(_time) FROM read_parquet('${file}')`
  const rows = (await connection.runAndReadAll(read)).getRows()
  connection.closeSync()
  rmSync(folder, { recursive: true })
  expect(rows).toEqual([
    [0n, 'a', 1.5, 1000000001n],
    [1n, 'b', 2.5, 2000000000n],
  ])
})

it('breaks off where Flux fails behind rows that have left', async () => {
  const place = await install()
  const query = `import "generate"
generate.from(count: 400000, start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z, fn: (n) =>
  if n > 390000 then int(v: "none") else n)`
  for (const type of [arrow, parquet]) {
    const answer = await asked(place, '/api/v2/query?org=o', { query }, type)
    const whole = answer.status === 200 ? answer.arrayBuffer() : Promise.reject(new Error('early'))
    await expect(whole).rejects.toThrow()
  }
})
