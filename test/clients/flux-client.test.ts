// The official JavaScript client of InfluxDB 2, unmodified, asks in Flux: rows and lines in every way
// that the client has, values of every type, templates with parameters, packed answers, a query that is
// broken off, and errors before and within an answer.

import {
  type FluxTableMetaData,
  flux,
  fluxDateTime,
  fluxDuration,
  fluxExpression,
  fluxFloat,
  fluxInteger,
  fluxRegExp,
  fluxString,
  HttpError,
  InfluxDB,
  Point,
  type QueryApi,
  setLogger,
} from '@influxdata/influxdb-client'
import { QueryAPI } from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { type Installation, install } from '../api/harness.js'

// Failures are what some of these tests are about: the client need not print them.
setLogger({ error: () => undefined, warn: () => undefined })

interface Place extends Installation {
  readonly client: InfluxDB
  readonly api: QueryApi
}

async function makePlace(): Promise<Place> {
  const place = await install()
  const { url, token } = place
  const client = new InfluxDB({ url, token, timeout: 60_000, writeOptions: { maxRetries: 0 } })
  return { ...place, client, api: client.getQueryApi('o') }
}

async function filled(count = 3): Promise<Place> {
  const place = await makePlace()
  // One request: the client does not wait for batches that it has sent already.
  const writer = place.client.getWriteApi('o', 'b', 's', { batchSize: count + 1, maxRetries: 0 })
  for (let i = 0; i < count; i++) {
    const point = new Point('m').tag('host', `h ${i % 2}`).floatField('f', i / 4)
    writer.writePoint(point.timestamp(1_600_000_000 + i))
  }
  await writer.close()
  return place
}

const everything = flux`from(bucket: "b") |> range(start: 0) |> filter(fn: (r) => r._field == "f")`

it('collects rows as objects', async () => {
  const { api } = await filled()
  const rows = await api.collectRows<Record<string, unknown>>(everything)
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatchObject({
    result: '_result',
    table: 0,
    _time: '2020-09-13T12:26:40Z',
    _value: 0,
    _field: 'f',
    _measurement: 'm',
    host: 'h 0',
  })
  expect(rows.map(({ table, _value }) => [table, _value])).toEqual([
    [0, 0],
    [0, 0.5],
    [1, 0.25],
  ])
})

it('gives rows to a consumer, with what is known of their columns', async () => {
  const { api } = await filled()
  const values: unknown[] = []
  const meta = await new Promise<FluxTableMetaData>((resolve, reject) => {
    let last: FluxTableMetaData
    api.queryRows(everything, {
      next(row, tableMeta) {
        last = tableMeta
        values.push(tableMeta.get(row, '_value'))
      },
      error: reject,
      complete: () => resolve(last),
    })
  })
  expect(values).toEqual([0, 0.5, 0.25])
  const columns = meta.columns.map(({ label, dataType, group }) => [label, dataType, group])
  expect(columns).toContainEqual(['_value', 'double', false])
  expect(columns).toContainEqual(['_time', 'dateTime:RFC3339', false])
  expect(columns).toContainEqual(['host', 'string', true])
  expect(meta.column('result').defaultValue).toBe('_result')
})

it('iterates, observes and shows lines', async () => {
  const { api } = await filled()
  const iterated: unknown[] = []
  for await (const { values, tableMeta } of api.iterateRows(everything)) {
    iterated.push(tableMeta.toObject(values)._value)
  }
  expect(iterated).toEqual([0, 0.5, 0.25])
  const observed = await new Promise<unknown[]>((resolve, reject) => {
    const found: unknown[] = []
    api.rows(everything).subscribe({
      next: ({ values, tableMeta }) => found.push(tableMeta.get(values, '_value')),
      error: reject,
      complete: () => resolve(found),
    })
  })
  expect(observed).toEqual([0, 0.5, 0.25])
  const raw = await api.queryRaw(everything)
  const lines = await api.collectLines(everything)
  expect(raw.startsWith('#datatype,string,long,')).toBe(true)
  const withoutNow = (line: string) => line.replace(/,\d{4}-[^,]*Z/g, '')
  expect(raw.split('\r\n').slice(0, lines.length).map(withoutNow)).toEqual(lines.map(withoutNow))
  const iteratedLines: string[] = []
  for await (const line of api.iterateLines(everything)) iteratedLines.push(line)
  expect(iteratedLines.map(withoutNow)).toEqual(lines.map(withoutNow))
})

it('reads packed answers, small and large', async () => {
  const { client } = await filled(20_000)
  const api = client.getQueryApi({ org: 'o', gzip: true })
  expect(await api.collectRows(flux`from(bucket: "b") |> range(start: 0) |> count()`)).toHaveLength(
    2,
  )
  expect(await api.collectRows(everything)).toHaveLength(20_000)
})

it('gets every type back', async () => {
  const { api } = await makePlace()
  const script = `import "array"
array.from(rows: [
  {b: true, i: -7, u: uint(v: 8), f: 1.5, s: "a, \\"b\\"\\nc", t: 2020-01-01T00:00:00.123456789Z},
  {b: false, i: 9223372036854775807, u: uint(v: 0), f: -0.25, s: "", t: 1970-01-01T00:00:00Z},
])`
  const rows = await api.collectRows<Record<string, unknown>>(script)
  const { result: _result, table: _table, ...first } = rows[0]
  expect(first).toEqual({
    b: true,
    i: -7,
    u: 8,
    f: 1.5,
    s: 'a, "b"\nc',
    t: '2020-01-01T00:00:00.123456789Z',
  })
  expect(rows[1]).toMatchObject({ b: false, f: -0.25, s: '', t: '1970-01-01T00:00:00Z' })
})

it('fills templates with parameters', async () => {
  const { api } = await filled()
  const show = (value: unknown) => flux`import "array"\narray.from(rows: [{v: ${value}}])`
  const shown = async (value: unknown) => {
    const [row] = await api.collectRows<{ v: unknown }>(show(value))
    return row.v
  }
  const nasty = `x" |> drop() \\ $` + '{1 + 1}\n'
  expect(await shown(nasty)).toBe(nasty)
  expect(await shown(fluxString('é'))).toBe('é')
  expect(await shown(5)).toBe(5)
  expect(await shown(fluxInteger('-42'))).toBe(-42)
  expect(await shown(2.5)).toBe(2.5)
  expect(await shown(fluxFloat(3))).toBe(3)
  expect(await shown(true)).toBe(true)
  expect(await shown(fluxDateTime('2020-02-03T04:05:06Z'))).toBe('2020-02-03T04:05:06Z')
  expect(await shown(new Date(0))).toBe('1970-01-01T00:00:00Z')
  expect(await shown(fluxExpression('1 + 2'))).toBe(3)
  const matching = flux`from(bucket: ${'b'})
    |> range(start: ${fluxDateTime('2020-09-13T12:26:40Z')}, stop: ${fluxDuration('10000d')})
    |> filter(fn: (r) => r.host =~ ${fluxRegExp(/^h 1$/)})`
  expect(await api.collectRows(matching)).toHaveLength(1)
})

it('says what now is', async () => {
  const { client } = await makePlace()
  const now = '2019-08-07T06:05:04Z'
  const api = client.getQueryApi({ org: 'o', now: () => now })
  const rows = await api.collectRows<{ v: string }>(
    'import "array"\narray.from(rows: [{v: now()}])',
  )
  expect(rows[0].v).toBe(now)
})

it('rejects with what the server said', async () => {
  const { api, url, client } = await makePlace()
  const failure = async (work: Promise<unknown>) => {
    const error = await work.catch((caught) => caught)
    expect(error).toBeInstanceOf(HttpError)
    return error as HttpError
  }
  const unknown = await failure(api.collectRows('foo()'))
  expect([unknown.statusCode, unknown.code]).toEqual([400, 'invalid'])
  expect(unknown.message).toBe('compilation failed: error @1:1-1:4: undefined identifier foo')
  const missing = await failure(api.collectRows('from(bucket: "x") |> range(start: 0)'))
  expect(missing.statusCode).toBe(404)
  expect(missing.message).toContain('could not find bucket "x"')
  expect(missing.canRetry()).toBe(true)
  // The token says which organization is meant.
  expect(await client.getQueryApi('nobody').collectRows('buckets()')).not.toEqual([])
  const stranger = new InfluxDB({ url, timeout: 60_000, token: 'wrong' }).getQueryApi('o')
  expect((await failure(stranger.queryRaw('buckets()'))).statusCode).toBe(401)
})

it('meets an error within an answer as a table', async () => {
  const { api, write } = await filled()
  await write('m2,host=x f=1i 1600000000000000000')
  const rows = await api.collectRows<Record<string, unknown>>(`import "array"
array.from(rows: [{v: 1}]) |> yield(name: "good")
from(bucket: "b") |> range(start: 0) |> group() |> yield(name: "bad")`)
  expect(rows[0]).toMatchObject({ result: 'good', v: 1 })
  expect(Object.keys(rows[1])).toEqual(['error', 'reference'])
  expect(rows[1].error).toContain('schema collision')
})

it('can be broken off', async () => {
  const { api, url, token } = await filled(20_000)
  let seen = 0
  for await (const _ of api.iterateRows(everything)) if (++seen === 10) break
  expect(seen).toBe(10)
  const client = new InfluxDB({ url, timeout: 60_000, token })
  expect(await client.getQueryApi('o').collectRows('buckets()')).not.toHaveLength(0)
})

it('asks through the generated API', async () => {
  const { client } = await makePlace()
  const api = new QueryAPI(client)
  const script = 'import "array"\narray.from(rows: [{v: 1}])'
  const body = { query: script, dialect: { annotations: ['datatype' as const] } }
  const answer = await api.postQuery({ org: 'o', body })
  expect(answer).toContain(',result,table,v\r\n,_result,0,1\r\n')
  const { ast } = await api.postQueryAst({ body: { query: script } })
  expect(ast?.files).toHaveLength(1)
  expect(await api.postQueryAnalyze({ body: { query: script } })).toEqual({ errors: [] })
  const { funcs = [] } = await api.getQuerySuggestions()
  expect(funcs.map(({ name }) => name)).toContain('aggregateWindow')
  expect(await api.getQuerySuggestionsName({ name: 'limit' })).toMatchObject({ name: 'limit' })
})
