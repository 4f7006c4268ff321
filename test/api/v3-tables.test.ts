// Tables of v3 that are made before their points, in both variants: every language and list knows them, writes keep
// to their columns, and they are there after a restart.

import { expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { cluster } from './cluster-client.js'
import { type Answer, adminToken, install, send, start, temporaryFolder } from './harness.js'

type Variant = 'managed' | 'cluster'
const variants: readonly Variant[] = ['managed', 'cluster']

interface Here {
  readonly token: string
  configure(method: string, path: string, body?: object): Promise<Answer>
  sql(text: string): Promise<unknown>
  influxql(text: string): Promise<unknown>
  write(lines: string, query?: string): Promise<Answer>
  stop(): Promise<void>
}

async function here(variant: Variant, options: ServerOptions = {}): Promise<Here> {
  if (variant === 'managed') {
    const { url, token, server } = await install(options)
    return at(url, token, () => server.close())
  }
  const { url, server } = await cluster(options)
  const place = at(url, adminToken, () => server.close())
  await place.configure('POST', 'database', {})
  return place
}

function at(url: string, token: string, stop: () => Promise<void>): Here {
  const post = (path: string, body: string) => send(url + path, { method: 'POST', token, body })
  const good = async (answer: Promise<Answer>) => {
    const { status, json, text } = await answer
    expect(status, text).toBe(200)
    return json
  }
  return {
    token,
    configure: (method, path, body) =>
      send(`${url}/api/v3/configure/${path}`, {
        method,
        token,
        ...(body === undefined ? {} : { body: JSON.stringify({ db: 'b', ...body }) }),
      }),
    sql: (q) => good(post('/api/v3/query_sql', JSON.stringify({ db: 'b', q, format: 'json' }))),
    async influxql(q) {
      const { results } = await good(
        send(`${url}/query?db=b&q=${encodeURIComponent(q)}`, { token }),
      )
      return results[0].error ?? results[0].series?.map((one: { values: unknown }) => one.values)
    },
    write: (lines, query = '') => post(`/api/v3/write_lp?db=b&precision=ns${query}`, lines),
    stop,
  }
}

const table = {
  table: 'room',
  tags: ['floor', 'area'],
  fields: [
    { name: 'temp', type: 'float64' },
    { name: 'n', type: 'int64' },
    { name: 'u', type: 'uint64' },
    { name: 'on', type: 'bool' },
    { name: 'note', type: 'utf8' },
  ],
}

const columnsQuery = `select column_name, data_type from information_schema.columns
  where table_name = 'room' order by column_name`

const columns = [
  { column_name: 'area', data_type: 'Dictionary(Int32, Utf8)' },
  { column_name: 'floor', data_type: 'Dictionary(Int32, Utf8)' },
  { column_name: 'n', data_type: 'Int64' },
  { column_name: 'note', data_type: 'Utf8' },
  { column_name: 'on', data_type: 'Boolean' },
  { column_name: 'temp', data_type: 'Float64' },
  { column_name: 'time', data_type: 'Timestamp(Nanosecond, None)' },
  { column_name: 'u', data_type: 'UInt64' },
]

const fieldKeys = [
  ['n', 'integer'],
  ['note', 'string'],
  ['on', 'boolean'],
  ['temp', 'float'],
  ['u', 'unsigned'],
]

async function expectEmptyTable({ sql, influxql, configure }: Here): Promise<void> {
  const tables = `select table_name from information_schema.tables where table_schema = 'iox'`
  expect(await sql(tables)).toEqual([{ table_name: 'room' }])
  expect(await sql(columnsQuery)).toEqual(columns)
  expect(await sql('show tables')).toContainEqual(expect.objectContaining({ table_name: 'room' }))
  expect(await sql('select * from room')).toEqual([])
  expect(await sql('select count(*) c, max(temp) m from room')).toEqual([{ c: 0 }])
  expect(await influxql('show measurements')).toEqual([[['room']]])
  expect(await influxql('show tag keys')).toEqual([[['area'], ['floor']]])
  expect(await influxql('show field keys')).toEqual([fieldKeys])
  expect(await influxql('select * from room')).toBeUndefined()
  expect((await configure('GET', 'table?db=b')).json).toEqual([
    {
      'iox::database': 'b',
      'iox::table': 'room',
      tags: ['area', 'floor'],
      fields: [...table.fields].sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
  ])
}

it.each(variants)('an empty table is there, also after a restart, %s', async (variant) => {
  const dataDir = temporaryFolder()
  const first = await here(variant, { dataDir })
  const made = await first.configure('POST', 'table', table)
  expect([made.status, made.json]).toEqual([
    201,
    { 'iox::database': 'b', 'iox::table': 'room', tags: table.tags, fields: table.fields },
  ])
  expect((await first.configure('POST', 'table', table)).status).toBe(409)
  await expectEmptyTable(first)
  await first.stop()
  const second = await start({ dataDir, variant, adminToken })
  await expectEmptyTable(at(second.url, first.token, () => second.close()))
})

it('the database of a table is made with it, in the cluster variant, by whoever may', async () => {
  const { manage, giveToken, url } = await cluster()
  await manage('POST', 'database', { db: 'd' })
  const { token } = await giveToken(['d'], ['read', 'write'])
  const make = (db: string, credential: string) =>
    send(`${url}/api/v3/configure/table`, {
      method: 'POST',
      token: credential,
      body: JSON.stringify({ db, table: 't', tags: ['a'] }),
    })
  expect((await make('new', token)).status).toBe(401)
  expect((await manage('GET', 'table?db=new')).status).toBe(404)
  expect((await make('new', adminToken)).status).toBe(201)
  expect((await manage('GET', 'table?db=new')).json).toHaveLength(1)
  expect((await make('d', token)).status).toBe(201)
})

it.each(variants)('points of a table keep to its columns, %s', async (variant) => {
  const { configure, sql, influxql, write } = await here(variant)
  await configure('POST', 'table', table)
  expect((await write('room,floor=1 temp=1 1\nroom,floor=2,other=x temp=2,more=3 2')).status).toBe(
    204,
  )
  // Fields that no point has yet are columns all the same, alone, beside others and aggregated.
  expect(await sql('select * from room order by time')).toEqual([
    { floor: '1', temp: 1, time: '1970-01-01T00:00:00.000000001' },
    { floor: '2', other: 'x', temp: 2, more: 3, time: '1970-01-01T00:00:00.000000002' },
  ])
  expect(await sql('select note, temp, n from room order by time limit 1')).toEqual([{ temp: 1 }])
  expect(await sql('select n from room')).toEqual([{}, {}])
  const grouped =
    'select floor, count(n) c, max(temp) t, max(u) u from room group by floor order by 1'
  expect(await sql(grouped)).toEqual([
    { floor: '1', c: 0, t: 1 },
    { floor: '2', c: 0, t: 2 },
  ])
  expect(await influxql('select n, temp from room')).toEqual([
    [
      ['1970-01-01T00:00:00.000000001Z', null, 1],
      ['1970-01-01T00:00:00.000000002Z', null, 2],
    ],
  ])
  expect(await influxql('select n from room')).toBeUndefined()
  expect(await influxql('select max(n), max(temp) from room')).toEqual([
    [expect.arrayContaining([null, 2])],
  ])
  expect(await influxql('show field keys')).toEqual([
    [...fieldKeys, ['more', 'float']].sort((a, b) => (a[0] < b[0] ? -1 : 1)),
  ])
  const refused = await write(
    ['room n=1 3', 'room floor="x" 3', 'room,temp=3 n=1i 3', 'room temp=4 4'].join('\n'),
  )
  expect([
    refused.status,
    refused.json.data.map((one: { error_message: string }) => one.error_message),
  ]).toEqual([
    400,
    [
      'field type conflict: input field "n" on measurement "room" is type float, already exists as type integer',
      `invalid column type for column 'floor', expected iox::column_type::tag, got iox::column_type::field::string`,
      `invalid column type for column 'temp', expected iox::column_type::field::float, got iox::column_type::tag`,
    ],
  ])
  expect(await sql('select count(*) c from room')).toEqual([{ c: 3 }])
  expect((await write('room temp=5 5\nroom n=2 5', '&accept_partial=false')).status).toBe(400)
  expect(await sql('select count(*) c from room')).toEqual([{ c: 3 }])
})

it.each(variants)('a dropped table is gone, with its definition, %s', async (variant) => {
  const { configure, sql, influxql, write } = await here(variant)
  const names = () =>
    sql(`select table_name from information_schema.tables where table_schema = 'iox'`)
  await configure('POST', 'table', table)
  await configure('POST', 'table', { table: 'other', tags: ['t'] })
  expect(await names()).toEqual([{ table_name: 'other' }, { table_name: 'room' }])
  expect(await sql('select * from other')).toEqual([])
  expect((await configure('DELETE', 'table?db=b&table=room')).status).toBe(200)
  expect((await configure('DELETE', 'table?db=b&table=room')).status).toBe(404)
  expect((await write('room n=1.5 1')).status).toBe(204)
  expect(await influxql('drop measurement other')).toBeUndefined()
  expect(await names()).toEqual([{ table_name: 'room' }])
  expect((await configure('POST', 'table', table)).status).toBe(409)
})

it('refuses what is no table', async () => {
  const { configure } = await here('managed')
  const status = async (body: object) => (await configure('POST', 'table', body)).status
  expect(await status({ tags: ['t'] })).toBe(400)
  expect(await status({ table: '', tags: ['t'] })).toBe(400)
  expect(await status({ table: 'a\nb' })).toBe(400)
  expect(await status({ table: 't', tags: ['x', 'x'] })).toBe(400)
  expect(await status({ table: 't', tags: ['time'] })).toBe(400)
  expect(await status({ table: 't', tags: ['x'], fields: [{ name: 'x', type: 'utf8' }] })).toBe(400)
  expect(await status({ table: 't', fields: [{ name: 'x', type: 'text' }] })).toBe(400)
  expect(await status({ table: 't', tags: Array.from({ length: 1001 }, (_, i) => `t${i}`) })).toBe(
    400,
  )
  expect(await status({ db: 'none', table: 't' })).toBe(404)
  expect((await configure('GET', 'table?db=b')).json).toEqual([])
})

it('a table that is made may be used at once, whatever was asked before', async () => {
  const { configure, influxql, write } = await here('managed')
  expect(await influxql('select max(temp) from room')).toBeUndefined()
  await configure('POST', 'table', table)
  expect(await influxql('select max(temp) from room')).toBeUndefined()
  await write('room temp=1,n=2i 1')
  expect(await influxql('select max(temp), max(n) from room')).toEqual([
    [expect.arrayContaining([1, 2])],
  ])
})
