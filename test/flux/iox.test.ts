// Buckets asked in SQL from a script, measurements as wide tables, and what an organization used: tables in and out.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountReference, FluxScope } from '../../src/flux/context/scope.js'
import { parseTime } from '../../src/flux/value/time.js'
import type { ResultBatch, ResultPiece } from '../../src/query/language.js'
import type { EngineWorld } from '../store/engine-states.js'
import { outgoingRequests, RecordingServer } from './outgoing.js'
import { fluxError, runFlux, runRows, storeWith } from './run-flux.js'

const lines = `
home,room=Kitchen temp=21.0,co=0i,n=18446744073709551615u 1641024000000000001
home,room=Kitchen temp=23.5,co=9007199254740993i,ok=true 1641027600000000000
home,room=Hall temp=19.25,note="cold" 1641025800000000000
Odd\\ "name" f=1 1
Odd\\ "name" f=2 2
`

let world: EngineWorld

beforeAll(async () => {
  world = await storeWith(lines)
})

afterAll(() => world.engine.close())

/** The rows of the result; where there is no table there is no result either. */
async function ask(text: string) {
  const results = await runFlux(`import "experimental/iox"\n${text}`, { store: world.engine })
  const tables = results.flatMap((result) => result.tables)
  return tables.flatMap(({ rows }) => rows.map((row) => Object.fromEntries(row)))
}
const refusal = (text: string) =>
  fluxError(`import "experimental/iox"\n${text}`, { store: world.engine })
const moment = (text: string) => parseTime(text)

describe('iox.sql', () => {
  it('answers one table without a group key, each type as its own', async () => {
    const query = 'SELECT time, room, temp, co, n, ok FROM home ORDER BY time'
    const text = `import "experimental/iox"\niox.sql(bucket: "b", query: "${query}")`
    const [{ tables }] = await runFlux(text, { store: world.engine })
    expect(tables).toHaveLength(1)
    expect(tables[0].key.size).toBe(0)
    expect(tables[0].columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'time time',
      'room string',
      'temp float',
      'co int',
      'n uint',
      'ok bool',
    ])
    const none = { n: null, ok: null, co: null }
    expect(tables[0].rows.map((row) => Object.fromEntries(row))).toEqual([
      {
        ...none,
        time: 1641024000000000001n,
        room: 'Kitchen',
        temp: 21,
        co: 0n,
        n: 18446744073709551615n,
      },
      { ...none, time: moment('2022-01-01T08:30:00Z'), room: 'Hall', temp: 19.25 },
      {
        ...none,
        time: moment('2022-01-01T09:00:00Z'),
        room: 'Kitchen',
        temp: 23.5,
        co: 9007199254740993n,
        ok: true,
      },
    ])
  })

  it('goes on through other functions', async () => {
    const rows = await ask(`
iox.sql(bucket: "b", query: "SELECT room, avg(temp) AS mean FROM home GROUP BY room")
  |> group(columns: ["room"])
  |> map(fn: (r) => ({r with mean: r.mean * 2.0}))
  |> group() |> sort(columns: ["room"])`)
    expect(rows).toEqual([
      { room: 'Hall', mean: 38.5 },
      { room: 'Kitchen', mean: 44.5 },
    ])
  })

  it('is no table where there are no rows', async () => {
    expect(await ask('iox.sql(bucket: "b", query: "SELECT * FROM home WHERE temp > 99")')).toEqual(
      [],
    )
  })

  it('tells what is wrong in words of SQL', async () => {
    const missing = 'iox.sql(bucket: "b", query: "SELECT * FROM nothing")'
    expect(await refusal(missing)).toContain("table 'public.iox.nothing' not found")
    expect(await refusal('iox.sql(bucket: "b", query: "DROP TABLE home")')).toContain(
      'DDL not supported',
    )
    expect(await refusal('iox.sql(bucket: "b", query: "SELECT 1 AS a, 2 AS a")')).toContain(
      "duplicate field name 'a' in schema",
    )
    expect(await refusal('iox.sql(bucket: "other", query: "SELECT 1")')).toContain(
      'could not find bucket "other"',
    )
    expect(await refusal('iox.sql(bucket: "b")')).toContain('missing required argument query')
  })

  it('moves many rows in pieces, within the memory of the query', async () => {
    const homes = [...'abcdefghi'].map((name) => `home ${name}`).join(', ')
    const text = `import "experimental/iox"
iox.sql(bucket: "b", query: "SELECT a.temp FROM ${homes}")`
    const counted = await runRows(`${text} |> count(column: "temp")`, {
      store: world.engine,
      limits: { memoryBytesMax: 200_000 },
    })
    expect(counted).toEqual([{ temp: 19683n }])
    const sorted = fluxError(`${text} |> sort(columns: ["temp"])`, {
      store: world.engine,
      limits: { memoryBytesMax: 100_000 },
    })
    expect(await sorted).toContain('memory allocation limit reached')
  })
})

describe('iox.from', () => {
  it('gives the points of a measurement as rows, in order of time', async () => {
    const rows = await ask(
      'iox.from(bucket: "b", measurement: "home") |> keep(columns: ["_time", "room", "temp"])',
    )
    expect(rows).toEqual([
      { _time: 1641024000000000001n, room: 'Kitchen', temp: 21 },
      { _time: moment('2022-01-01T08:30:00Z'), room: 'Hall', temp: 19.25 },
      { _time: moment('2022-01-01T09:00:00Z'), room: 'Kitchen', temp: 23.5 },
    ])
  })

  it('takes names as they are', async () => {
    const all = 'iox.from(bucket: "b", measurement: "Odd \\"name\\"")'
    expect(await ask(all)).toEqual([
      { _time: 1n, f: 1 },
      { _time: 2n, f: 2 },
    ])
    expect(await refusal('iox.from(bucket: "b", measurement: "odd")')).toContain('not found')
  })

  it('reads only what the range that follows asks for', async () => {
    const asked: string[] = []
    const sql: FluxScope['sql'] = async function* (_, query): AsyncGenerator<ResultPiece> {
      asked.push(query)
      yield { kind: 'start', result: 0, messages: [] }
    }
    const text = `import "experimental/iox"
all = iox.from(bucket: "b", measurement: "home")
all |> range(start: 2022-01-01T08:00:00Z, stop: 2022-01-01T09:00:00Z) |> yield(name: "a")
all |> yield(name: "b")`
    await runFlux(text, { store: world.engine, scope: { sql } })
    const from = "time >= '2022-01-01T08:00:00Z'"
    expect(asked).toEqual([
      `SELECT * FROM "home" WHERE ${from} AND time < '2022-01-01T09:00:00Z' ORDER BY time`,
      'SELECT * FROM "home" ORDER BY time',
    ])
  })

  it.each([
    ['start: 2022-01-01T08:00:00.000000001Z, stop: 2022-01-01T09:00:00Z', [21, 19.25]],
    ['start: 2022-01-01T08:00:00.000000002Z, stop: 2022-01-01T09:00:00.000000001Z', [19.25, 23.5]],
    ['start: 0', [21, 19.25, 23.5]],
    ['start: time(v: -9223372036854775806), stop: time(v: 9223372036854775806)', [21, 19.25, 23.5]],
    ['start: 2020-01-01T00:00:00Z, stop: 2021-01-01T00:00:00Z', []],
  ])('range(%s)', async (range, temperatures) => {
    const source = 'iox.from(bucket: "b", measurement: "home")'
    const rows = await ask(`${source} |> range(${range})`)
    expect(rows.map(({ temp }) => temp)).toEqual(temperatures)
    const twice = await ask(`${source} |> range(start: 0) |> range(${range})`)
    expect(twice.map(({ temp }) => temp)).toEqual(temperatures)
  })
})

it('stops the statement when nobody reads on', async () => {
  let isClosed = false
  const batch: ResultBatch = {
    kind: 'batch',
    result: 0,
    name: '',
    tags: [],
    columnNames: ['x'],
    columns: [{ type: 'float', values: new Float64Array([1, 2]), validity: undefined }],
    rowCount: 2,
  }
  const sql: FluxScope['sql'] = async function* (): AsyncGenerator<ResultPiece> {
    try {
      for (;;) yield batch
    } finally {
      isClosed = true
    }
  }
  const text = `import "experimental/iox"
iox.sql(bucket: "b", query: "endless") |> limit(n: 3)`
  expect(await runRows(text, { store: world.engine, scope: { sql } })).toEqual([
    { x: 1 },
    { x: 2 },
    { x: 1 },
  ])
  expect(isClosed).toBe(true)
})

describe('usage', () => {
  const now = '2022-01-02T00:00:00Z'
  const figure = { bucketId: 'b1', measurement: 'http_request', time: 5n }

  it('tells the figures of this service', async () => {
    const asked: unknown[] = []
    const usage: FluxScope['usage'] = async (account, range, byHour) => {
      asked.push([account, range, byHour])
      const figures = [
        { ...figure, field: 'write_bytes', value: 3 },
        { ...figure, field: 'write_requests', value: 1 },
        { ...figure, field: 'write_bytes', value: 4, time: 6n },
      ]
      return { organizationId: 'o1', figures }
    }
    const text = `import "experimental/usage"
usage.from(start: -1h, stop: now(), orgID: "o1", raw: true)`
    const [{ tables }] = await runFlux(text, { now, scope: { usage } })
    const stop = parseTime(now)
    const start = stop - 3_600_000_000_000n
    expect(asked).toEqual([[{ orgId: 'o1', token: undefined }, { start, stop }, true]])
    expect(tables.map(({ key }) => key.get('_field'))).toEqual(['write_bytes', 'write_requests'])
    expect([...tables[0].key.keys()]).toEqual([
      '_start',
      '_stop',
      '_field',
      '_measurement',
      'bucket_id',
      'org_id',
    ])
    const shared = { _start: start, _stop: stop, bucket_id: 'b1', org_id: 'o1' }
    const row = { ...shared, _measurement: 'http_request', _field: 'write_bytes' }
    expect(tables[0].rows.map((each) => Object.fromEntries(each))).toEqual([
      { ...row, _time: 5n, _value: 3 },
      { ...row, _time: 6n, _value: 4 },
    ])
    const empty = 'import "experimental/usage"\nusage.from(start: 2s, stop: 1s)'
    expect(await fluxError(empty, { now, scope: { usage } })).toContain('stop must be after start')
  })

  it('tells the limits of this service', async () => {
    const asked: AccountReference[] = []
    const organizationLimits: FluxScope['organizationLimits'] = async (account) => {
      asked.push(account)
      const sections = new Map([['rate', new Map([['readKBs', 7]])]])
      return { organizationId: 'o1', sections }
    }
    const text = `import "experimental/usage"
import "array"
limits = usage.limits(token: "t")
array.from(rows: [{org: limits.orgID, read: int(v: limits.rate.readKBs)}])`
    expect(await runRows(text, { scope: { organizationLimits } })).toEqual([
      { org: 'o1', read: 7n },
    ])
    expect(asked).toEqual([{ orgId: undefined, token: 't' }])
  })

  describe('of another service', () => {
    let server: RecordingServer
    const scope = { outgoing: outgoingRequests({ arePrivateHostsAllowed: true }) }
    const there = () => `host: "${server.url}", orgID: "a/b", token: "secret"`

    beforeAll(async () => {
      server = await RecordingServer.start()
    })
    afterAll(() => server.stop())

    it('asks over HTTP', async () => {
      const csv = '#datatype,string,long,double\r\n#group,false,false,false\r\n'
      const rows = '#default,_result,,\r\n,result,table,_value\r\n,,0,2.5\r\n'
      server.answer = ({ url }, response) =>
        response.end(url.includes('/limits') ? '{"limits": {"rate": {"readKBs": 5}}}' : csv + rows)
      const from = `import "experimental/usage"
usage.from(start: 2022-01-01T00:00:00Z, stop: -1h, ${there()})`
      expect(await runRows(from, { scope })).toEqual([{ _value: 2.5 }])
      const { method, url, headers } = server.requests[0]
      expect([method, headers.authorization]).toEqual(['GET', 'Token secret'])
      expect(url.split('?')[0]).toBe('/api/v2/orgs/a%2Fb/usage')
      expect(Object.fromEntries(new URLSearchParams(url.split('?')[1]))).toEqual({
        start: '2022-01-01T00:00:00.000000000Z',
        stop: '-1h',
        raw: 'false',
      })
      const limits = `import "experimental/usage"
import "array"
array.from(rows: [{v: usage.limits(${there()}).rate.readKBs}])`
      expect(await runRows(limits, { scope })).toEqual([{ v: 5 }])
      expect(server.requests[1].url).toBe('/api/v2/orgs/a%2Fb/limits')
    })

    it('tells what it was refused', async () => {
      server.answer = (_, response) => response.writeHead(401).end('no')
      const from = `import "experimental/usage"\nusage.from(start: -1h, stop: -1m, ${there()})`
      expect(await fluxError(from, { scope })).toContain(
        'organization usage request returned status 401: no',
      )
      const limits = `import "experimental/usage"\nx = usage.limits(${there()})`
      expect(await fluxError(limits, { scope })).toContain(
        'organization limits request returned status 401: no',
      )
      const bare = `import "experimental/usage"\nx = usage.limits(host: "${server.url}")`
      expect(await fluxError(bare, { scope })).toContain('"orgID" is required')
    })
  })
})
