// Two servers over one ClickHouse and one PostgreSQL, over real HTTP: what one has written the other reads at once, in
// every language; both agree on types; a dropped bucket is empty everywhere; and without ClickHouse both say so.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/index.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { checkStore, makeTables, tableStatements } from '../../src/store/clickhouse/open.js'
import { send } from '../api/harness.js'
import {
  type PostgresServer,
  postgresMissing,
  startPostgresServer,
} from '../catalog/postgres-databases.js'
import {
  type ClickhouseServer,
  clickhouseMissing,
  startClickhouse,
} from '../store/clickhouse-servers.js'

const isMissing = postgresMissing !== undefined || clickhouseMissing !== undefined

let postgres: PostgresServer
let clickhouse: ClickhouseServer
let servers: RunningServer[] = []
let token: string
let orgId: string
const logged: string[] = []
const folder = mkdtempSync(`${tmpdir()}/millrace-password-`)

async function start(store: string, catalog: string, nodeId: string): Promise<RunningServer> {
  const log = (...line: unknown[]) => {
    logged.push(
      JSON.stringify(line, (_, value) => (value instanceof Error ? `${value.stack}` : value)),
    )
  }
  const storePasswordFile = `${folder}/password`
  return startServer({ jobs: 'inline', store, storePasswordFile, catalog, nodeId, log })
}

const write = (server: RunningServer, body: string, bucket = 'b') =>
  send(`${server.url}/api/v2/write?org=o&bucket=${bucket}`, { method: 'POST', token, body })

async function influxql(server: RunningServer, q: string, db = 'b') {
  const query = new URLSearchParams({ db, q })
  const { status, json } = await send(`${server.url}/query?${query}`, { token })
  expect(status).toBe(200)
  return json.results[0].series?.flatMap((one: { values: unknown[][] }) => one.values) ?? []
}

describe.skipIf(isMissing)('two servers over one ClickHouse', () => {
  beforeAll(async () => {
    postgres = await startPostgresServer()
    clickhouse = await startClickhouse()
    writeFileSync(`${folder}/password`, '\n')
    const store = clickhouse.newAddress()
    const catalog = await postgres.newDatabase()
    await expect(start(store, catalog, 'early')).rejects.toThrow(/millrace store init|code 81/)
    await makeTables(requireAddress(store), () => undefined)
    servers = [await start(store, catalog, 'one'), await start(store, catalog, 'other')]
    const forEver = { retentionPeriodSeconds: 0 }
    const body = JSON.stringify({
      username: 'u',
      password: 'password',
      org: 'o',
      bucket: 'b',
      ...forEver,
    })
    const made = await send(`${servers[0].url}/api/v2/setup`, { method: 'POST', body })
    token = made.json.auth.token
    orgId = made.json.org.id
  }, 120_000)

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()))
    await clickhouse?.stop()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  it('read at once what the other has written, in every language', async () => {
    const [one, other] = servers
    for (let i = 1; i <= 5; i++) {
      const lines = `cpu,host=a v=${i},n=${i}i ${i}000000000\ncpu,host=b v=10,f${i}="new" ${i}000000000`
      expect((await write(i % 2 === 0 ? one : other, lines)).status).toBe(204)
      const rows = await influxql(
        i % 2 === 0 ? other : one,
        'SELECT sum(v), sum(n) FROM cpu GROUP BY host',
      )
      expect(rows.map(([, sum]: unknown[]) => sum)).toEqual([(i * (i + 1)) / 2, 10 * i])
      const fields = await influxql(i % 2 === 0 ? other : one, 'SHOW FIELD KEYS FROM cpu')
      expect(fields).toHaveLength(2 + i)
    }
    const flux =
      'from(bucket: "b") |> range(start: 0) |> filter(fn: (r) => r._field == "v") |> sum()'
    const headers = { 'content-type': 'application/vnd.flux' }
    const path = `${other.url}/api/v2/query?org=o`
    const answer = await send(path, { method: 'POST', token, headers, body: flux })
    expect(answer.text).toMatch(/,15,v,cpu,a/)
    const query = new URLSearchParams({ db: 'b', q: 'SELECT count(*) AS c FROM cpu WHERE n > 2' })
    const sql = await send(`${other.url}/api/v3/query_sql?${query}`, { token })
    expect(sql).toMatchObject({ status: 200, json: [{ c: 3 }] })
  }, 60_000)

  it('agree on the type of a field that both write first', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        write(servers[i % 2], `race v=${i % 2 === 0 ? '1' : '1i'} ${i}`),
      ),
    )
    const kept = results.filter(({ status }) => status === 204).length
    expect(results.every(({ status }) => status === 204 || status === 400)).toBe(true)
    for (const server of servers) {
      expect(await influxql(server, 'SELECT count(v) FROM race')).toMatchObject([
        [expect.anything(), kept],
      ])
    }
    expect(kept).toBe(3)
  }, 60_000)

  it('know that a bucket is gone, and begin anew with its name', async () => {
    const [one, other] = servers
    const json = { 'content-type': 'application/json' }
    for (const type of ['1', '"text"']) {
      const body = JSON.stringify({ orgID: orgId, name: 'gone', retentionRules: [] })
      const url = `${one.url}/api/v2/buckets`
      const made = await send(url, { method: 'POST', token, headers: json, body })
      expect((await write(other, `m v=${type} 1`, 'gone')).status).toBe(204)
      expect(await influxql(one, 'SELECT * FROM m', 'gone')).toHaveLength(1)
      expect((await send(`${url}/${made.json.id}`, { method: 'DELETE', token })).status).toBe(204)
      expect((await write(other, 'm v=1 1', 'gone')).status).toBe(404)
    }
  }, 60_000)

  it('tell what is there, and print what they need', async () => {
    const address = requireAddress(clickhouse.newAddress())
    await makeTables(address, () => undefined)
    await makeTables(address, () => undefined)
    const { lines, isGood } = await checkStore(address, () => undefined)
    expect([isGood, lines.at(-1)]).toEqual([true, 'all tables are there'])
    const statements = tableStatements({ ...address, cluster: 'all' }).join('\n')
    expect(statements).toContain('ReplicatedAggregatingMergeTree')
    expect(statements).toContain('SimpleAggregateFunction(anyLast, Nullable(Float64))')
  }, 60_000)

  it('say so while ClickHouse is away', async () => {
    const [one, other] = servers
    const healthy = await send(`${one.url}/health`)
    expect(healthy).toMatchObject({ status: 200, json: { status: 'pass' } })
    await clickhouse.stop()
    const refused = await write(one, 'cpu,host=a v=1 9')
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBeDefined()
    expect(refused.text).not.toMatch(/127\.0\.0\.1|ECONN/)
    const asked = await send(`${other.url}/query?db=b&q=SELECT+v+FROM+cpu`, { token })
    expect(asked.text).toContain('the store cannot be reached')
    const health = await send(`${other.url}/health`)
    expect(health).toMatchObject({ status: 503, json: { status: 'fail' } })
    expect(logged.join('\n')).not.toContain('password=')
  }, 60_000)
})
