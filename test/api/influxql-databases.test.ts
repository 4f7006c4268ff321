// Databases and policies of v1 statements are the buckets and mappings of the resource API: what one
// side makes or drops the other one sees.

import { expect, test } from 'vitest'
import { install, send, start } from './harness.js'
import { ask, rows } from './influxql-client.js'

async function json(url: string, token: string) {
  return (await send(url, { token })).json
}

async function bucketNames(url: string, token: string): Promise<string[]> {
  const { buckets } = await json(`${url}/api/v2/buckets?limit=100`, token)
  return buckets.map((bucket: { name: string }) => bucket.name)
}

test('CREATE DATABASE makes a bucket and a mapping, and DROP DATABASE takes both away', async () => {
  const { url, token, writeV1, orgId } = await install()
  expect(await ask(url, 'CREATE DATABASE metrics WITH DURATION 2d NAME week', { token })).toEqual(
    [],
  )
  expect(await bucketNames(url, token)).toContain('metrics/week')
  const { content } = await json(`${url}/api/v2/dbrps?orgID=${orgId}&db=metrics`, token)
  expect(content).toMatchObject([
    { database: 'metrics', retention_policy: 'week', default: true, virtual: false },
  ])
  expect((await writeV1('m v=1', { query: '?db=metrics' })).status).toBe(204)
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'metrics' })).toHaveLength(1)
  expect(await ask(url, 'DROP DATABASE metrics', { token })).toEqual([])
  expect(await bucketNames(url, token)).not.toContain('metrics/week')
  expect(await ask(url, 'SELECT v FROM m', { token, db: 'metrics' })).toBe(
    'database not found: metrics',
  )
  expect((await writeV1('m v=1', { query: '?db=metrics' })).status).toBe(404)
})

test('a bucket of the resource API is a database, whose default policy stays the default', async () => {
  const { url, token, writeV1 } = await install()
  await writeV1('m v=1 1')
  expect(await rows(url, 'SHOW RETENTION POLICIES', { token, db: 'b' })).toEqual([
    ['autogen', '0s', '168h0m0s', 1, '0s', '0s', true],
  ])
  await ask(url, 'CREATE RETENTION POLICY short ON b DURATION 1h REPLICATION 1', { token })
  expect(await rows(url, 'SHOW RETENTION POLICIES', { token, db: 'b' })).toEqual([
    ['autogen', '0s', '168h0m0s', 1, '0s', '0s', true],
    ['short', '1h0m0s', '1h0m0s', 1, '0s', '0s', false],
  ])
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'b' })).toHaveLength(1)
  await ask(url, 'ALTER RETENTION POLICY short ON b DEFAULT', { token })
  expect(await ask(url, 'SELECT v FROM m', { token, db: 'b' })).toEqual([])
  expect(await rows(url, 'SELECT v FROM autogen.m', { token, db: 'b' })).toHaveLength(1)
})

test('a policy changed by its bucket shows the new duration', async () => {
  const { url, token } = await install()
  await ask(url, 'CREATE DATABASE d WITH DURATION 90m', { token })
  const { buckets } = await json(`${url}/api/v2/buckets?name=d%2Fautogen`, token)
  const change = { retentionRules: [{ type: 'expire', everySeconds: 7200 }] }
  await send(`${url}/api/v2/buckets/${buckets[0].id}`, {
    method: 'PATCH',
    token,
    body: JSON.stringify(change),
  })
  const [policy] = await rows(url, 'SHOW RETENTION POLICIES ON d', { token })
  expect(policy[1]).toBe('2h0m0s')
})

test('a database stays when its last policy is dropped', async () => {
  const { url, token } = await install()
  await ask(url, 'CREATE DATABASE d', { token })
  await ask(url, 'DROP RETENTION POLICY autogen ON d', { token })
  expect(await rows(url, 'SHOW DATABASES', { token })).toContainEqual(['d'])
  expect(await ask(url, 'SELECT v FROM m', { token, db: 'd' })).toBe(
    'default retention policy not set for: d',
  )
  const made = 'CREATE RETENTION POLICY p ON d DURATION INF REPLICATION 1 DEFAULT'
  expect(await ask(url, made, { token })).toEqual([])
  expect(await rows(url, 'SHOW RETENTION POLICIES ON d', { token })).toHaveLength(1)
})

test('no other policy takes the place of a default that is dropped, and the first one only if it says so', async () => {
  const { url, token } = await install()
  const make = (name: string) => `CREATE RETENTION POLICY ${name} ON d DURATION INF REPLICATION 1`
  const defaults = async () =>
    (await rows(url, 'SHOW RETENTION POLICIES ON d', { token })).map((row) => [row[0], row.at(-1)])
  await ask(url, `CREATE DATABASE d; ${make('other')}; DROP RETENTION POLICY autogen ON d`, {
    token,
  })
  expect(await defaults()).toEqual([['other', false]])
  const write = await send(`${url}/write?db=d`, { method: 'POST', token, body: 'm v=1' })
  expect(write.json.error).toBe('retention policy not found: default')
  await ask(url, `DROP RETENTION POLICY other ON d; ${make('first')}`, { token })
  expect(await defaults()).toEqual([['first', false]])
  await ask(url, 'ALTER RETENTION POLICY first ON d DEFAULT', { token })
  expect(await defaults()).toEqual([['first', true]])
})

test('databases are listed in the order they were made', async () => {
  const { url, token } = await install()
  for (const name of ['zebra', 'ant', 'mole']) await ask(url, `CREATE DATABASE ${name}`, { token })
  const names = (await rows(url, 'SHOW DATABASES', { token })).map(([name]) => name)
  expect(names.slice(-3)).toEqual(['zebra', 'ant', 'mole'])
})

test('a bucket that two databases share outlives one of them', async () => {
  const { url, token, orgId, bucketId, writeV1 } = await install()
  await writeV1('m v=1 1')
  for (const database of ['one', 'two']) {
    const body = {
      orgID: orgId,
      bucketID: bucketId,
      database,
      retention_policy: 'p',
      default: true,
    }
    await send(`${url}/api/v2/dbrps`, { method: 'POST', token, body: JSON.stringify(body) })
  }
  await ask(url, 'DROP DATABASE one', { token })
  expect(await ask(url, 'SELECT v FROM m', { token, db: 'one' })).toBe('database not found: one')
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'two' })).toHaveLength(1)
})

test('system buckets are not dropped with their databases', async () => {
  const { url, token } = await install()
  expect(await ask(url, 'DROP DATABASE _monitoring', { token })).toBe(
    'system buckets cannot be deleted',
  )
})

test("an organization's quotas hold", async () => {
  const { url, token } = await install({ plan: 'free' })
  expect(await ask(url, 'CREATE DATABASE d', { token })).toBe(
    'provided retention exceeds orgs maximum retention duration',
  )
  expect(await ask(url, 'CREATE DATABASE d WITH DURATION 7d', { token })).toEqual([])
  expect(await ask(url, 'CREATE DATABASE e WITH DURATION 7d', { token })).toBe(
    'creating bucket would exceed quota',
  )
})

test('a database may be named with its policy', async () => {
  const { url, token, writeV1 } = await install()
  await ask(url, 'CREATE DATABASE d', { token })
  await ask(url, 'CREATE RETENTION POLICY p ON d DURATION INF REPLICATION 1', { token })
  await writeV1('m,t=a v=1 1', { query: '?db=d&rp=p' })
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'd.p' })).toHaveLength(1)
  expect(await rows(url, 'SHOW TAG KEYS', { token, db: 'd.p' })).toEqual([['t']])
})

test('shards are listed and dropped one by one', async () => {
  const { url, token, writeV1 } = await install()
  await writeV1('m v=1 1500000000000000000\nm v=2 1600000000000000000')
  const tables = await ask(url, 'SHOW SHARDS', { token })
  if (typeof tables === 'string') throw new Error(tables)
  const shards = tables.find(({ name }) => name === 'b')?.values ?? []
  expect(shards.map((row) => row.slice(4, 6))).toEqual([
    ['2017-07-10T00:00:00Z', '2017-07-17T00:00:00Z'],
    ['2020-09-07T00:00:00Z', '2020-09-14T00:00:00Z'],
  ])
  expect(await ask(url, `DROP SHARD ${shards[0][0]}`, { token })).toEqual([])
  expect(await ask(url, 'DROP SHARD 1', { token })).toEqual([])
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'b' })).toEqual([
    ['2020-09-13T12:26:40Z', 2],
  ])
  expect(await rows(url, 'SHOW SHARD GROUPS', { token })).toHaveLength(1)
})

test('cluster: databases are the names of buckets', async () => {
  const { url } = await start({ variant: 'cluster', adminToken: 'admin' })
  const token = 'admin'
  expect(await ask(url, 'CREATE DATABASE d', { token })).toEqual([])
  const made = 'CREATE RETENTION POLICY Week ON d DURATION 7d REPLICATION 1'
  expect(await ask(url, made, { token })).toEqual([])
  expect(await rows(url, 'SHOW RETENTION POLICIES ON d', { token })).toEqual([
    ['autogen', '0s', '168h0m0s', 1, '0s', '0s', true],
    ['week', '168h0m0s', '24h0m0s', 1, '0s', '0s', false],
  ])
  const write = (query: string, body: string) =>
    send(`${url}/write?${query}`, { method: 'POST', token, body })
  await write('db=d', 'm v=1 1')
  await write('db=d&rp=WEEK', 'n v=1')
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'd' })).toHaveLength(1)
  expect(await rows(url, 'SHOW FIELD KEYS FROM week.n', { token, db: 'd' })).toEqual([
    ['v', 'float'],
  ])
  expect(await ask(url, "CREATE USER u WITH PASSWORD 'long password'", { token })).toBe(
    'users are not implemented: use database tokens',
  )
  await ask(url, 'DROP DATABASE d', { token })
  expect(await rows(url, 'SHOW DATABASES', { token })).not.toContainEqual(['d'])
})
