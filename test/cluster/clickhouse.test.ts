// Two servers over one ClickHouse and one PostgreSQL, over real HTTP: what one has written the other reads at once, in
// every language; both agree on types; a dropped bucket is empty everywhere; and without ClickHouse both say so.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import { type RunningServer, startServer } from '../../src/index.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { checkStore, makeTables, tableStatements } from '../../src/store/clickhouse/open.js'
import { adminToken, send } from '../api/client.js'
import {
  type PostgresServer,
  postgresMissing,
  startPostgresServer,
} from '../catalog/postgres-databases.js'
import { migrate } from '../migrate/migrate-command.js'
import {
  type ClickhouseServer,
  clickhouseMissing,
  guarded,
  startClickhouse,
} from '../store/clickhouse-servers.js'
import { tlsLineTo } from './tls-line.js'

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

/** That were sent for reads. */
async function statementCount({ url }: RunningServer): Promise<number> {
  const { text } = await send(`${url}/metrics`, { token })
  return Number(/^millrace_store_statements_total (\d+)/m.exec(text)?.[1])
}

/** The built program. */
async function millrace(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { env: { ...process.env, ...env } }
  return new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(process.execPath, ['dist/main.js', ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, text: `${out}${err}` })
    })
  })
}

/** Then it is not ours to stop, and its users are not known. */
const isGiven = process.env.MILLRACE_TEST_CLICKHOUSE !== undefined

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
    // As the explorer's tree counts them, and as one that serves alone would.
    expect((await write(one, 'disk v=1 1\ncpu,host=c v=1 1')).status).toBe(204)
    const { json: found } = await send(`${other.url}/api/v2/buckets?name=b`, { token })
    const schema = `${other.url}/api/v2/buckets/${found.buckets[0].id}/schema`
    const counted = await send(`${schema}?counts=true`, { token })
    expect(counted.json).toMatchObject({ measurements: ['cpu', 'disk'], seriesCounts: [3, 1] })
    const hosts = await send(`${schema}?measurement=cpu&tag=host&limit=1`, { token })
    expect(hosts.json).toEqual({ values: ['a'], total: 3, hasMore: true })
  }, 60_000)

  it('guess by what they found before, and never answer by a wrong guess', async () => {
    const [one, other] = servers
    const ask = async () => {
      const rows = await influxql(one, 'SELECT sum(v), sum(*) FROM guess WHERE host =~ /^h/')
      return rows[0]?.slice(1) ?? []
    }
    for (let i = 1; i <= 3; i++) {
      const line = `guess,host=h${i} v=1,f${i}=${i} ${i}000000000`
      expect((await write(other, line)).status).toBe(204)
      const sums = [1, 2, 3].slice(0, i)
      expect(await ask()).toEqual([i, ...sums, i])
      expect(await ask()).toEqual([i, ...sums, i])
    }
    await influxql(other, "DROP SERIES FROM guess WHERE host = 'h1'")
    expect((await ask())[0]).toBe(2)
    await influxql(other, 'DROP MEASUREMENT guess')
    expect(await ask()).toEqual([])
    expect((await write(other, 'guess,host=h9 v=7 9000000000')).status).toBe(204)
    expect((await ask())[0]).toBe(7)
  }, 60_000)

  it('ask ClickHouse few statements, however many series there are, and EXPLAIN shows them', async () => {
    const [one, other] = servers
    const hosts = Array.from(
      { length: 200 },
      (_, i) => `many,host=h${i},rack=r${i % 7} v=${i},n=${i}i`,
    )
    const lines = [1, 2, 3].flatMap((s) => hosts.map((line) => `${line} ${s}000000000`))
    expect((await write(other, lines.join('\n'))).status).toBe(204)
    const where = 'time >= 0 AND time < 60s GROUP BY time(1s), host fill(none)'
    const v1 = (q: string) => async () =>
      expect((await influxql(one, q)).length).toBeGreaterThan(199)
    const flux = (steps: string) => async () => {
      const from = 'from(bucket: "b") |> range(start: 0, stop: 60)'
      const body = `${from} |> filter(fn: (r) => r._measurement == "many") ${steps}`
      const headers = { 'content-type': 'application/vnd.flux' }
      const answer = await send(`${one.url}/api/v2/query?org=o`, {
        method: 'POST',
        token,
        headers,
        body,
      })
      expect(answer.text.split('\n').length).toBeGreaterThan(199)
    }
    const sql = (q: string) => async () => {
      const query = new URLSearchParams({ db: 'b', q })
      const { status, json } = await send(`${one.url}/api/v3/query_sql?${query}`, { token })
      expect([status, json.length > 199]).toEqual([200, true])
    }
    const questions: readonly [() => Promise<void>, number][] = [
      [v1(`SELECT mean(v) FROM many WHERE ${where}`), 2],
      [v1(`SELECT max(v), last(n) FROM many WHERE rack != 'none' AND ${where}`), 3],
      [v1('SELECT v FROM many GROUP BY host'), 8],
      [flux('|> filter(fn: (r) => r._field == "v") |> aggregateWindow(every: 1s, fn: mean)'), 6],
      [flux('|> filter(fn: (r) => r._field == "v") |> last()'), 6],
      [
        sql(
          "SELECT host, date_bin(INTERVAL '1 second', time) AS t, avg(v) FROM many GROUP BY 1, 2",
        ),
        6,
      ],
      [sql('SELECT host, v FROM many'), 6],
    ]
    for (const [ask, most] of questions) {
      const before = await statementCount(one)
      await ask()
      expect((await statementCount(one)) - before, `${ask}`).toBeLessThanOrEqual(most)
    }
    const before = await statementCount(one)
    const plan = await influxql(
      one,
      `EXPLAIN SELECT mean(v) FROM many WHERE host = 'h3' AND time < 60s`,
    )
    const shown = plan
      .map(([line]: unknown[]) => `${line}`)
      .filter((line: string) => /^(STATEMENT|READS)/.test(line))
    expect(shown).toEqual([
      'READS OF THE STORE: 1',
      expect.stringMatching(
        /^STATEMENT: shard 1: SELECT series, any\(key\) .* FROM series_index .*'h3'/,
      ),
      expect.stringMatching(/^STATEMENT: shard 1: SELECT .*sum\(v0\).* FROM .*points_f4/),
    ])
    expect(await statementCount(one)).toBeGreaterThan(before)
    const query = new URLSearchParams({
      db: 'b',
      q: "EXPLAIN SELECT v FROM many WHERE host = 'h3'",
    })
    const { json } = await send(`${one.url}/api/v3/query_sql?${query}`, { token })
    const told = json.find((row: { plan_type: string }) => row.plan_type === 'store_statements')
    expect(told.plan).toMatch(/FROM series_index [\s\S]*\n.*points_f4/)
  }, 60_000)

  it('take over from one that serves alone, with what it deletes meanwhile, and give it back', async () => {
    const [before, after] = [`${folder}/before`, `${folder}/after`]
    const alone = await startServer({ jobs: 'inline', dataDir: before, adminToken })
    const body = { username: 'u', password: 'long enough', org: 'o', bucket: 'b' }
    const post = async (path: string, sent: object) => {
      const init = { method: 'POST', token: adminToken, body: JSON.stringify(sent) }
      const answer = await send(`${alone.url}${path}`, init)
      expect(answer.status).toBe(201)
      return answer.json
    }
    const first = await post('/api/v2/setup', { ...body, retentionPeriodSeconds: 0 })
    const orgID = (await post('/api/v2/orgs', { name: 'p' })).id
    const retentionRules = [{ type: 'expire', everySeconds: 0 }]
    const made = await post('/api/v2/buckets', { orgID, name: 'q', retentionRules })
    const theirs = 'token-of-the-other-organization'
    const permissions = (['read', 'write'] as const).map((action) => {
      return { action, resource: { type: 'buckets' as const, orgID } }
    })
    const description = ''
    const token = { tokenHash: hashToken(theirs), orgId: orgID, userId: undefined, description }
    await alone.catalog.tokens.create({ ...token, permissions })
    const lines = Array.from({ length: 500 }, (_, i) => `m,h=${i % 5} f=${i / 7},i=${i}i ${i}`)
    const bucketIds = [first.bucket.id, made.id]
    for (const id of bucketIds) {
      const query = `org=${id === made.id ? orgID : first.org.id}&bucket=${id}`
      const owner = id === made.id ? theirs : first.auth.token
      const init = { method: 'POST', token: owner, body: lines.join('\n') }
      const written = await send(`${alone.url}/api/v2/write?${query}`, init)
      expect(written.status, written.text).toBe(204)
    }
    const store = clickhouse.newAddress()
    await makeTables(requireAddress(store), () => undefined)
    const catalog = await postgres.newDatabase()
    const journal = `${folder}/journal`
    const there = ['--store', store, '--catalog', catalog, '--journal', journal]
    const flags = ['--data-dir', before, '--from-token', adminToken, ...there]
    // The second time there is nothing left to copy, but points have gone.
    for (const points of [1000, 0]) {
      const moved = await migrate(flags)
      expect(moved.code, moved.errors).toBe(0)
      const outcomes = moved.events.filter(({ type }) => type === 'outcome')
      expect(outcomes.reduce((sum, one) => sum + one.points, 0)).toBe(points)
      expect(moved.events.at(-1)).toMatchObject({ type: 'moved', url: alone.url })
      if (points === 0) break
      const hold = `${alone.url}/api/v2/writes/hold`
      expect((await send(hold, { method: 'DELETE', token: adminToken })).status).toBe(204)
      const [start, stop] = [new Date(0).toISOString(), '1970-01-01T00:00:00.000000401Z']
      for (const id of bucketIds) {
        const query = `org=${id === made.id ? orgID : first.org.id}&bucket=${id}`
        const owner = id === made.id ? theirs : first.auth.token
        const sent = JSON.stringify({ start, stop, predicate: 'h="2"' })
        const init = { method: 'POST', token: owner, body: sent }
        expect((await send(`${alone.url}/api/v2/delete?${query}`, init)).status).toBe(204)
      }
    }
    await alone.close()
    const exported = async (server: RunningServer) => {
      const basic = Buffer.from('u:long enough').toString('base64')
      const headers = { authorization: `Basic ${basic}` }
      const signedIn = await send(`${server.url}/api/v2/signin`, { method: 'POST', headers })
      expect(signedIn.status).toBe(204)
      const found: string[][] = []
      for (const id of bucketIds) {
        const path = `/debug/export?bucketID=${id}`
        const owner = id === made.id ? theirs : first.auth.token
        const { text } = await send(`${server.url}${path}`, { token: owner })
        found.push(text.trim().split('\n').sort())
      }
      await server.close()
      return found
    }
    const cluster = await exported(await start(store, catalog, 'moved'))
    const back = ['--from-store', store, '--from-catalog', catalog, '--to', after]
    const returned = await migrate(back)
    expect(returned.code, returned.errors).toBe(0)
    expect(cluster[0]).toHaveLength(420)
    expect(cluster[1]).toEqual(cluster[0])
    const again = await startServer({ jobs: 'inline', dataDir: after })
    expect(await exported(again)).toEqual(cluster)
    // An installation that is somebody else's is left alone.
    const used = await startServer({ jobs: 'inline', dataDir: `${folder}/used` })
    await used.catalog.organizations.create({ name: 'theirs' })
    await used.close()
    const refused = await migrate([
      ...['--data-dir', after, '--journal', `${folder}/journal-2`],
      ...['--to', `${folder}/used`],
    ])
    expect(refused.code).toBe(1)
    expect(refused.errors).toContain('the target is in use already')
  }, 300_000)

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

  it.skipIf(isGiven)(
    'are reached over TLS where the certificate is trusted, with a password that nobody tells',
    async () => {
      const plain = new URL(clickhouse.newAddress().replace('clickhouse:', 'http:'))
      const line = await tlsLineTo(Number(plain.port), folder)
      const secret = `${folder}/secret`
      writeFileSync(secret, `${guarded.password}\n`)
      const address = `clickhouses://${guarded.user}@127.0.0.1:${line.port}${plain.pathname}`
      const trusting = { NODE_EXTRA_CA_CERTS: line.certificate }
      const file = ['--store-password-file', secret]
      const make = await millrace(['store', 'init', '--store', address, ...file], trusting)
      expect(make).toMatchObject({ code: 0 })
      const check = await millrace(['store', 'check', '--store', address, ...file], trusting)
      expect(check).toMatchObject({
        code: 0,
        text: expect.stringContaining('all tables are there'),
      })
      const inline = address.replace('@', ':wrong-password@')
      const others = await Promise.all([
        millrace(['store', 'check', '--store', address, ...file]),
        millrace(['store', 'check', '--store', inline], trusting),
      ])
      expect(others.map(({ code }) => code)).toEqual([1, 1])
      expect(others[0].text).toContain('the certificate of the store is not trusted')
      expect(others[1].text).toMatch(/code (192|193|194|516)/)
      for (const { text } of [make, check, ...others]) {
        expect(text).not.toMatch(/wrong-password|hidden-in-a-file/)
      }
    },
    60_000,
  )

  it.skipIf(isGiven)(
    'say so while ClickHouse is away',
    async () => {
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
    },
    60_000,
  )
})
