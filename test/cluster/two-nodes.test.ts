// Two servers over one catalog in PostgreSQL, over real HTTP: what is changed at one holds at the other at once, the
// catalog may be away for a while, and a server that is to stop says so first.

import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.js'
import { ManualClock } from '../../src/platform/clock.js'
import { isUnreachable, Listener, openPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { adminToken, send, temporaryFolder } from '../api/client.js'
import { openFlux } from '../api/query-v2-client.js'
import {
  type PostgresServer,
  postgresMissing,
  startPostgresServer,
} from '../catalog/postgres-databases.js'
import { FaultyLine } from '../proofs/faults-line.js'
import { lineTo } from './cuttable-line.js'

let postgres: PostgresServer

async function start(catalog: string, options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ jobs: 'inline', adminToken, catalog, ...options })
  onTestFinished(() => server.close())
  return server
}

interface Place {
  readonly one: RunningServer
  readonly other: RunningServer
  readonly token: string
  readonly orgId: string
}

async function twoServers(options: ServerOptions = {}): Promise<Place> {
  const catalog = await postgres.newDatabase()
  const one = await start(catalog, { ...options, nodeId: 'one' })
  const other = await start(catalog, { ...options, nodeId: 'other' })
  const body = JSON.stringify({ username: 'u', password: 'password', org: 'o', bucket: 'b' })
  const made = await send(`${one.url}/api/v2/setup`, { method: 'POST', body })
  expect(made.status).toBe(201)
  return { one, other, token: made.json.auth.token, orgId: made.json.org.id }
}

const recent = BigInt(Date.now()) * 1_000_000n - 3_600_000_000_000n

const json = { 'content-type': 'application/json' }

describe.skipIf(postgresMissing !== undefined)('two servers over one catalog', () => {
  beforeAll(async () => {
    postgres = await startPostgresServer()
  }, 60_000)

  afterAll(() => postgres?.stop(), 60_000)

  it('refuse a token everywhere when its revocation is answered', async () => {
    const { one, other, token, orgId } = await twoServers()
    for (let i = 0; i < 5; i++) {
      const permissions = [{ action: 'read', resource: { type: 'buckets', orgID: orgId } }]
      const body = JSON.stringify({ orgID: orgId, permissions })
      const url = `${one.url}/api/v2/authorizations`
      const made = await send(url, { method: 'POST', token, headers: json, body })
      expect(made.status).toBe(201)
      const list = () => send(`${other.url}/api/v2/buckets`, { token: made.json.token })
      expect((await list()).status).toBe(200)
      const gone = await send(`${url}/${made.json.id}`, { method: 'DELETE', token })
      expect(gone.status).toBe(204)
      expect((await list()).status).toBe(401)
      expect(gone.headers['x-millrace-unreachable-nodes']).toBeUndefined()
    }
  })

  it('say which other one may not know of a change yet', async () => {
    const catalog = await postgres.newDatabase()
    const line = await lineTo(postgres.port)
    const throughLine = new URL(catalog)
    throughLine.port = `${line.port}`
    const one = await start(catalog)
    await start(throughLine.href, { nodeId: 'cut-off' })
    const make = (name: string) => {
      const body = JSON.stringify({ name })
      const url = `${one.url}/api/v2/orgs`
      return send(url, { method: 'POST', token: adminToken, headers: json, body })
    }
    expect((await make('a')).headers['x-millrace-unreachable-nodes']).toBeUndefined()
    line.cut()
    expect((await make('b')).headers['x-millrace-unreachable-nodes']).toBe('cut-off')
    const q = encodeURIComponent('CREATE DATABASE d')
    const init = { method: 'POST', token: adminToken }
    const made = await send(`${one.url}/query?q=${q}`, init)
    expect(made.status).toBe(200)
    expect(made.headers['x-millrace-unreachable-nodes']).toBe('cut-off')
  })

  it('know buckets and their retention as the other has changed them', async () => {
    const { one, other, token, orgId } = await twoServers()
    const body = JSON.stringify({ orgID: orgId, name: 'new', retentionRules: [] })
    const url = `${one.url}/api/v2/buckets`
    const made = await send(url, { method: 'POST', token, headers: json, body })
    expect(made.status).toBe(201)
    const write = (server: RunningServer, bucket: string, line = 'm f=1') => {
      const path = `/api/v2/write?org=o&bucket=${bucket}`
      return send(`${server.url}${path}`, { method: 'POST', token, body: line })
    }
    expect((await write(other, 'new')).status).toBe(204)
    const path = `/api/v2/buckets/${made.json.id}`
    const retention = JSON.stringify({ retentionRules: [{ type: 'expire', everySeconds: 3600 }] })
    const patch = { method: 'PATCH', token, headers: json, body: retention }
    expect(await send(`${other.url}${path}`, patch)).toMatchObject({ status: 200 })
    expect(await write(one, 'new', 'm f=1 1000000000')).toMatchObject({ status: 400 })
    await send(`${one.url}${path}`, { method: 'DELETE', token })
    expect((await write(other, 'new')).status).toBe(404)
  })

  it('go on for a while without the catalog, then refuse, and recover by themselves', async () => {
    const clock = new ManualClock(1_800_000_000_000_000_000n)
    const database = new URL(await postgres.newDatabase())
    const line = await lineTo(postgres.port)
    database.port = `${line.port}`
    const server = await start(database.href, { clock })
    const body = JSON.stringify({ username: 'u', password: 'password', org: 'o', bucket: 'b' })
    const made = await send(`${server.url}/api/v2/setup`, { method: 'POST', body })
    const { token } = made.json.auth
    const write = () =>
      send(`${server.url}/api/v2/write?org=o&bucket=b`, { method: 'POST', token, body: 'm f=1' })
    const health = () => send(`${server.url}/health`)
    expect((await write()).status).toBe(204)
    expect((await health()).json).toMatchObject({ status: 'pass' })
    line.cut()
    clock.advance(10_000_000_000n)
    expect((await write()).status).toBe(204)
    expect(await health()).toMatchObject({ status: 503, json: { status: 'fail' } })
    const change = await send(`${server.url}/api/v2/buckets?limit=3`, { token })
    expect(change).toMatchObject({ status: 503, json: { code: 'unavailable' } })
    expect(change.headers['retry-after']).toBe('1')
    clock.advance(60_000_000_000n)
    expect((await write()).status).toBe(503)
    line.mend()
    for (let tries = 0; (await write()).status !== 204; tries++) expect(tries).toBeLessThan(100)
    clock.advance(2_000_000_000n)
    expect((await health()).status).toBe(200)
  })

  it('do not wait for ever for an answer that was lost on its way', async () => {
    const database = new URL(await postgres.newDatabase())
    const line = await FaultyLine.to(postgres.port)
    onTestFinished(() => line.close())
    database.port = `${line.port}`
    const pool = openPool(database.href, { isSerializable: true, silenceMs: 1000 })
    onTestFinished(() => pool.end())
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    line.become('silent')
    const lost = pool.query('SELECT 2').catch((error: unknown) => error)
    await pause(100)
    line.become('good')
    expect((await pool.query('SELECT 3 AS three')).rows).toEqual([{ three: 3 }])
    const error = await lost
    expect([isUnreachable(error), (error as Error).message]).toEqual([
      true,
      'Connection terminated: the server is silent',
    ])
  })

  it('hear again after their line has lost what was told', async () => {
    const database = new URL(await postgres.newDatabase())
    const line = await FaultyLine.to(postgres.port)
    onTestFinished(() => line.close())
    database.port = `${line.port}`
    const told: string[] = []
    let connections = 0
    const listener = new Listener({
      url: database.href,
      channels: ['things'],
      name: 'listener',
      onNotice: (_, payload) => told.push(payload),
      onConnected: () => connections++,
      random: systemRandom,
      pulseEveryMs: 50,
      pulseMsMax: 500,
    })
    await listener.open()
    onTestFinished(() => listener.close())
    line.become('silent')
    await pause(700)
    line.become('good')
    for (let tries = 0; connections < 2; tries++) {
      expect(tries).toBeLessThan(200)
      await pause(50)
    }
    const pool = openPool(database.href, { isSerializable: false })
    onTestFinished(() => pool.end())
    await pool.query(`SELECT pg_notify('things', 'a')`)
    for (let tries = 0; told.length === 0; tries++) {
      expect(tries).toBeLessThan(200)
      await pause(50)
    }
    expect(told).toEqual(['a'])
    expect((await pool.query('SHOW transaction_isolation')).rows).toEqual([
      { transaction_isolation: 'read committed' },
    ])
  })

  it('show queries of each other, and stop them', async () => {
    const { one, other, token } = await twoServers()
    const query = 'from(bucket: "b") |> range(start: 0)'
    // More than the connection's buffers take: it runs until it is read or stopped.
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `m,host=${i % 10} f=${i}i ${recent + BigInt(i)}`,
    )
    const write = { method: 'POST', token, body: lines.join('\n') }
    const path = '/api/v2/write?org=o&bucket=b'
    expect((await send(`${other.url}${path}`, write)).status).toBe(204)
    const show = async (server: RunningServer) => {
      const q = encodeURIComponent('SHOW QUERIES')
      const { results } = (await send(`${server.url}/query?q=${q}`, { token })).json
      const rows: [number, string][] = results[0].series[0].values
      return rows.filter(([, text]) => text === query).map(([id]) => id)
    }
    const kills: ((id: number) => Promise<unknown>)[] = [
      (id) => send(`${one.url}/query?q=KILL+QUERY+${id}`, { method: 'POST', token }),
      (id) => send(`${one.url}/api/v2/queries/${id}`, { method: 'DELETE', token }),
    ]
    for (const kill of kills) {
      const answer = await openFlux({ url: other.url, token }, query)
      const ended = new Promise((resolve) => answer.on('error', resolve).on('end', resolve))
      const [id] = await show(one)
      expect(await show(other)).toEqual([id])
      const list = (await send(`${one.url}/api/v2/queries`, { token })).json
      expect(list).toMatchObject({ queries: [{ id: `${id}`, query, language: 'flux' }] })
      expect(list.unreachableNodes).toBeUndefined()
      await kill(id)
      answer.resume()
      await ended
      expect(await show(one)).toEqual([])
    }
    const { results } = (await send(`${one.url}/query?q=KILL+QUERY+99`, { method: 'POST', token }))
      .json
    expect(results[0].error).toBe('no such query id: 99')
    const slowest = (await send(`${one.url}/api/v2/queries/slowest`, { token })).json.queries
    const texts = slowest.map(({ query: text }: { query: string }) => text)
    expect(texts).toContain(query)
  })

  it('share the limits of an organization, and add up what it used', async () => {
    const { one, other, token, orgId } = await twoServers()
    const limits = JSON.stringify({ rate: { writeKBs: 1 } })
    const path = `/api/v2/orgs/${orgId}/limits`
    const set = { method: 'PUT', token: adminToken, headers: json, body: limits }
    expect((await send(`${one.url}${path}`, set)).status).toBe(200)
    const write = (server: RunningServer, bytes: number) => {
      const body = `m f="${'x'.repeat(bytes)}"`
      return send(`${server.url}/api/v2/write?org=o&bucket=b`, { method: 'POST', token, body })
    }
    // Five minutes' worth is 300 kB: what lets the last of these in, whether both know of each other yet or not.
    for (const server of [one, other]) expect((await write(server, 55_000)).status).toBe(204)
    for (const server of [one, other]) expect((await write(server, 55_000)).status).toBe(204)
    for (const server of [one, other]) expect((await write(server, 55_000)).status).toBe(204)
    for (const server of [one, other]) {
      const refused = async () => (await write(server, 1)).status === 429
      for (let tries = 0; !(await refused()); tries++) {
        expect(tries).toBeLessThan(100)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    // Each tells what was written by way of both, by the minute.
    const recent = await send(`${other.url}/api/v2/orgs/${orgId}/usage/recent`, { token })
    const written: number[] = recent.json.buckets[0].writeBytes
    expect(written.reduce((sum, minute) => sum + minute, 0)).toBeGreaterThan(330_000)
    await one.close()
    const usage = `${other.url}/api/v2/orgs/${orgId}/usage?start=1`
    const rows = (await send(usage, { token })).text.split('\r\n')
    const bytes = rows.filter((row) => row.includes('write_bytes')).map((row) => row.split(',')[6])
    expect(bytes).toHaveLength(1)
    expect(Number(bytes[0])).toBeGreaterThan(330_000)
  })

  it('are told apart where they were given one name', async () => {
    const catalog = await postgres.newDatabase()
    const one = await start(catalog, { nodeId: 'same' })
    await start(catalog, { nodeId: 'same' })
    const nodes = await one.catalog.nodes?.list()
    expect(nodes?.map(({ number }) => number)).toEqual([1, 2])
    expect(nodes?.[0].id).toBe('same')
    expect(nodes?.[1].id).toMatch(/^same~\w{4}$/)
    expect(nodes?.[0].url).toBe(one.url)
  })

  it('keep the password of the catalog to themselves, and the way to it encrypted', async () => {
    const secret = 'only-the-catalog-knows'
    const database = new URL(await postgres.newDatabase())
    const ask = async (sql: string) => {
      const client = new pg.Client({ connectionString: database.href })
      await client.connect()
      const { rows } = await client.query(sql)
      await client.end()
      return rows
    }
    await ask(`CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '${secret}'`)
    const folder = temporaryFolder()
    const catalogPasswordFile = `${folder}/password`
    writeFileSync(catalogPasswordFile, `${secret}\n`)
    const told: string[] = []
    const log = (...line: unknown[]) => told.push(inspect(line, { depth: 9 }))
    const address = (mode: string) =>
      `postgres://keeper@127.0.0.1:${postgres.port}${database.pathname}?sslmode=${mode}`
    const server = await start(address('no-verify'), { catalogPasswordFile, log })
    const found = await ask(`SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE application_name LIKE 'millrace%'`)
    expect(found.length).toBeGreaterThan(1)
    expect(new Set(found.map(({ ssl }) => ssl))).toEqual(new Set([true]))
    const reject = async (catalog: string, options: ServerOptions) => {
      const failed = await startServer({ jobs: 'inline', catalog, log, ...options }).catch(
        (error: Error) => error,
      )
      told.push(inspect(failed, { depth: 9 }))
      expect(failed).toBeInstanceOf(Error)
      return (failed as Error).message
    }
    // Made out to another name, and by nobody that anybody knows.
    expect(await reject(address('verify-full'), { catalogPasswordFile })).toMatch(/certificate/)
    writeFileSync(`${folder}/wrong`, `${secret}-not`)
    const wrong = { catalogPasswordFile: `${folder}/wrong` }
    expect(await reject(address('no-verify'), wrong)).toMatch(/password authentication failed/)
    await ask(`REVOKE CONNECT ON DATABASE ${database.pathname.slice(1)} FROM PUBLIC`)
    await ask('ALTER ROLE keeper NOLOGIN NOSUPERUSER')
    await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'`)
    for (const path of ['/health', '/ready', '/metrics', '/debug/vars', '/api/v2/orgs']) {
      told.push((await send(`${server.url}${path}`, { token: adminToken })).text)
    }
    expect(told.join('\n')).not.toContain(secret)
  })

  it('go on while the catalog is killed under load, and recover by themselves', async () => {
    const { one, other, token } = await twoServers()
    const servers = [one, other]
    const statuses = new Map<string, Set<number>>()
    let isOver = false
    const note = async (name: string, path: string, method: string, body?: string) => {
      const known = statuses.get(name) ?? new Set()
      statuses.set(name, known)
      const part = body === undefined ? {} : { body }
      for (let i = 0; !isOver; i++) {
        const url = `${servers[i % 2].url}${path}`
        known.add((await send(url, { method, token, ...part })).status)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const write = '/api/v2/write?org=o&bucket=b'
    const query = '/query?db=b&q=SHOW+MEASUREMENTS'
    // Whoever is known already.
    for (const { url } of servers) {
      const written = await send(`${url}${write}`, { method: 'POST', token, body: 'm f=1' })
      expect(written.status).toBe(204)
      expect((await send(`${url}${query}`, { token })).status).toBe(200)
    }
    const loads = [
      note('write', write, 'POST', 'm f=2'),
      note('query', query, 'GET'),
      note('list', '/api/v2/buckets', 'GET'),
    ]
    await postgres.kill()
    await new Promise((resolve) => setTimeout(resolve, 500))
    await postgres.start()
    for (const { url } of servers) {
      for (let tries = 0; (await send(`${url}/health`)).status !== 200; tries++) {
        expect(tries).toBeLessThan(200)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect((await send(`${url}/api/v2/buckets`, { token })).status).toBe(200)
    }
    isOver = true
    await Promise.all(loads)
    // Whoever only writes and asks has noticed nothing.
    expect([...(statuses.get('write') ?? [])]).toEqual([204])
    expect([...(statuses.get('query') ?? [])]).toEqual([200])
    expect([...(statuses.get('list') ?? [])].sort()).toEqual([200, 503])
  })

  it('say that they stop before they do', async () => {
    const catalog = await postgres.newDatabase()
    const server = await startServer({ jobs: 'inline', adminToken, catalog, drainSeconds: 1 })
    const closed = server.close()
    const health = await send(`${server.url}/health`)
    expect(health).toMatchObject({ status: 503, json: { message: 'about to stop' } })
    expect((await send(`${server.url}/ready`)).status).toBe(503)
    expect((await send(`${server.url}/api/v2/buckets`, { token: adminToken })).status).toBe(200)
    await closed
  })
})
