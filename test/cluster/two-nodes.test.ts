// Two servers over one catalog in PostgreSQL, over real HTTP: what is changed at one holds at the other at once, the
// catalog may be away for a while, and a server that is to stop says so first.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.js'
import { ManualClock } from '../../src/platform/clock.js'
import { isUnreachable, openPool } from '../../src/platform/postgres.js'
import { adminToken, send } from '../api/harness.js'
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
    const pool = openPool(database.href, 1000)
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
