// Databases of the cluster variant through the endpoints that manage them, and what processes with one
// role only do.

import { expect, it } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { type Cluster, cluster } from './cluster-client.js'
import { adminToken, caller, install, send, temporaryFolder } from './harness.js'

const write = (here: Cluster, db: string, body: string) =>
  send(`${here.url}/api/v2/write?bucket=${db}`, { method: 'POST', token: adminToken, body })

async function count(here: Cluster, db: string): Promise<number> {
  const url = `${here.url}/query?db=${db}&q=${encodeURIComponent('select count(f) from m')}`
  const { json } = await send(url, { token: adminToken })
  return json.results[0].series?.[0].values[0][1] ?? 0
}

async function periods(here: Cluster): Promise<Record<string, string | null>> {
  const { json } = await here.manage('GET', 'database?format=json')
  return Object.fromEntries(
    json.map((database: Record<string, string | null>) => [
      database['iox::database'],
      database.retention_period,
    ]),
  )
}

it('creates, lists, updates and deletes', async () => {
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const here = await cluster({ clock })
  expect(await periods(here)).toEqual({})
  const made = await here.makeDatabase('d', '1h30m')
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ 'iox::database': 'd', retention_period: '90m' })
  await here.makeDatabase('for ever')
  await here.makeDatabase('none', 'none')
  await here.makeDatabase('year', '1y')
  await here.makeDatabase('d/weekly', '1w')
  expect(await periods(here)).toEqual({
    d: '90m',
    'for ever': null,
    none: null,
    year: '365d',
    'd/weekly': '7d',
  })
  const old = 1_700_000_000_000_000_000n - 7_200_000_000_000n
  expect((await write(here, 'd', `m f=1 ${old}`)).status).toBe(400)
  const updated = await here.manage('PUT', 'database', { db: 'd', retention_period: '30d' })
  expect([updated.status, updated.json.retention_period]).toEqual([200, '30d'])
  expect((await write(here, 'd', `m f=1 ${old}`)).status).toBe(204)
  expect(await count(here, 'd')).toBe(1)
  const cleared = await here.manage('DELETE', 'database/retention_period?db=d')
  expect(cleared.json.retention_period).toBeNull()
  expect((await here.manage('DELETE', 'database?db=d')).status).toBe(200)
  expect((await write(here, 'd', 'm f=1')).status).toBe(404)
  expect(Object.keys(await periods(here))).not.toContain('d')
  expect(Object.keys(await periods(here))).toContain('d/weekly')
  await here.makeDatabase('d')
  expect(await count(here, 'd')).toBe(0)
})

it('refuses what cannot be', async () => {
  const here = await cluster()
  await here.makeDatabase('d')
  const post = async (body: unknown) => (await here.manage('POST', 'database', body)).status
  expect(await post({ db: 'd' })).toBe(409)
  for (const db of ['', '*', '_d', 'a"b', 'a\nb', 'x'.repeat(65), 'ä'.repeat(33)]) {
    expect([db, await post({ db })]).toEqual([db, 400])
  }
  for (const period of ['', 'long', '1', '-1d', '59m', '1h1ms', '999999999y']) {
    const status = await post({ db: 'e', retention_period: period })
    expect([period, [400, 422].includes(status)]).toEqual([period, true])
  }
  expect(await post({})).toBe(400)
  expect(await post({ db: 1 })).toBe(400)
  const put = { db: 'none', retention_period: '1d' }
  expect((await here.manage('PUT', 'database', put)).status).toBe(404)
  expect((await here.manage('PUT', 'database', { db: 'd' })).status).toBe(400)
  expect((await here.manage('DELETE', 'database?db=none')).status).toBe(404)
  expect((await here.manage('DELETE', 'database')).status).toBe(400)
  expect((await here.manage('GET', 'database?format=pretty')).status).toBe(400)
  // What every organization has of its own is no database.
  expect((await here.manage('DELETE', 'database?db=_monitoring')).status).toBe(404)
  expect(await periods(here)).toEqual({ d: null })
})

it('makes one of a name, whoever comes at the same time', async () => {
  const here = await cluster()
  const answers = await Promise.all(Array.from({ length: 8 }, () => here.makeDatabase('d')))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
})

it('manages buckets in the managed variant', async () => {
  const here = await install()
  const call = caller(here)
  const path = '/api/v3/configure/database'
  const made = await call('POST', path, { db: 'd', retention_period: '7d' })
  expect([made.status, made.json.retention_period]).toEqual([201, '7d'])
  expect((await call('POST', path, { db: 'd' })).status).toBe(409)
  expect((await call('POST', path, { db: '_d' })).status).toBe(400)
  const { buckets } = (await call('GET', '/api/v2/buckets?name=d')).json
  expect(buckets[0].retentionRules[0].everySeconds).toBe(604_800)
  const names = async () =>
    (await call('GET', path)).json.map((one: Record<string, string>) => one['iox::database'])
  expect(await names()).toEqual(['b', 'd'])
  await call('PUT', path, { db: 'd', retention_period: '1d' })
  const changed = (await call('GET', '/api/v2/buckets?name=d')).json.buckets[0]
  expect(changed.retentionRules[0].everySeconds).toBe(86_400)
  expect((await call('DELETE', `${path}?db=_tasks`)).status).toBe(404)
  expect((await call('DELETE', `${path}?db=d`)).status).toBe(200)
  expect(await names()).toEqual(['b'])
  const free = caller(await install({ plan: 'free' }))
  expect((await free('POST', path, { db: 'second', retention_period: '1d' })).status).toBe(201)
  expect((await free('POST', path, { db: 'third', retention_period: '1d' })).status).toBe(403)
})

it.each([
  ['ingest', 204, 503],
  ['query', 503, 200],
] as const)('with role %s writes get %d and queries %d', async (role, writes, queries) => {
  const here = await cluster({ role })
  expect((await here.makeDatabase('d')).status).toBe(201)
  const { token } = await here.giveToken(['d'], ['read', 'write'])
  const body = 'm f=1'
  for (const path of ['/write?db=d', '/write/?db=d', '/api/v2/write?bucket=d']) {
    const answer = await send(here.url + path, { method: 'POST', token, body })
    expect([path, answer.status]).toEqual([path, writes])
    if (writes === 503) expect(answer.json.message).toMatch(/--role query.*send writes/)
  }
  for (const method of ['GET', 'POST']) {
    const answer = await send(`${here.url}/query?db=d&q=show+measurements`, { method, token })
    expect([method, answer.status]).toEqual([method, queries])
    if (queries === 503) expect(answer.json.message).toMatch(/--role ingest.*send queries/)
  }
  for (const method of ['GET', 'HEAD']) {
    const { status } = await send(`${here.url}/ping`, { method })
    expect(status).toBe(role === 'query' ? 204 : 503)
  }
  expect((await send(`${here.url}/health`)).status).toBe(200)
})

it('lets no statement write through a querier', async () => {
  const dataDir = temporaryFolder()
  const before = await cluster({ dataDir })
  await before.makeDatabase('d')
  expect((await write(before, 'd', 'm f=1')).status).toBe(204)
  await before.server.close()
  const here = await cluster({ dataDir, role: 'query' })
  for (const text of ['select f into n from m', 'delete from m', 'drop measurement m']) {
    const url = `${here.url}/query?db=d&q=${encodeURIComponent(text)}`
    const { json } = await send(url, { method: 'POST', token: adminToken })
    expect([text, json.results[0].error]).toEqual([text, expect.stringContaining('--role query')])
  }
  expect(await count(here, 'd')).toBe(1)
})
