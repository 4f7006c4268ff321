// What statements let through: tokens and v1 users see and change what their permissions say, and
// nobody gives or keeps more than they have.

import { expect, test } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { ManualClock } from '../../src/platform/clock.js'
import { type Installation, install, send } from './harness.js'
import { ask, rows } from './influxql-client.js'

async function prepared(
  options: ServerOptions = {},
): Promise<Installation & { readonly reader: string }> {
  const here = await install(options)
  const { url, token, server, orgId, addToken, writeV1 } = here
  await ask(url, 'CREATE DATABASE d', { token })
  await ask(url, 'CREATE DATABASE hidden', { token })
  await writeV1('m,t=a v=1 1', { query: '?db=d' })
  await writeV1('m,t=a v=1 1', { query: '?db=hidden' })
  const bucket = await server.catalog.buckets.findByName(orgId, 'd/autogen')
  const resource = { type: 'buckets', id: bucket?.id, orgID: orgId } as const
  return { ...here, reader: await addToken([{ action: 'read', resource }]) }
}

const refused = 'insufficient permissions'

test('a token for one bucket sees and reads its database only', async () => {
  const { url, reader: token } = await prepared()
  expect(await rows(url, 'SHOW DATABASES', { token })).toEqual([['d']])
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'd' })).toHaveLength(1)
  expect(await rows(url, 'SHOW MEASUREMENTS', { token, db: 'd' })).toEqual([['m']])
  expect(await rows(url, 'SHOW RETENTION POLICIES', { token, db: 'd' })).toHaveLength(1)
  const other = { token, db: 'hidden' }
  for (const text of [
    'SELECT v FROM m',
    'SHOW MEASUREMENTS',
    'SHOW SERIES',
    'SHOW TAG KEYS',
    'SHOW FIELD KEYS',
    'SHOW SERIES CARDINALITY',
    'SHOW RETENTION POLICIES',
  ]) {
    expect(await ask(url, text, other), text).toBe(refused)
  }
  expect(await ask(url, 'SELECT v FROM hidden..m', { token, db: 'd' })).toBe(refused)
})

test('a token that reads changes nothing', async () => {
  const { url, token, reader } = await prepared()
  for (const text of [
    'CREATE DATABASE e',
    'DROP DATABASE d',
    'CREATE RETENTION POLICY p ON d DURATION INF REPLICATION 1',
    'ALTER RETENTION POLICY autogen ON d DURATION 2h',
    'DROP RETENTION POLICY autogen ON d',
    'DELETE FROM m',
    'DROP SERIES FROM m',
    'DROP MEASUREMENT m',
    'SELECT v INTO n FROM m',
    'CREATE CONTINUOUS QUERY q ON d BEGIN SELECT mean(v) INTO n FROM m GROUP BY time(1h) END',
    "CREATE SUBSCRIPTION s ON d.autogen DESTINATIONS ALL 'http://h:1'",
    "CREATE USER u WITH PASSWORD 'long password'",
    'SHOW USERS',
    'SHOW QUERIES',
    'KILL QUERY 1',
    'SHOW STATS',
    'SHOW DIAGNOSTICS',
  ]) {
    expect(await ask(url, text, { token: reader, db: 'd' }), text).toBe(refused)
  }
  expect(await rows(url, 'SELECT v FROM m', { token, db: 'd' })).toHaveLength(1)
})

test('an organization that may not delete keeps its points', async () => {
  const { url, token, server, orgId } = await prepared()
  await server.catalog.limits.change(orgId, { features: { allowDelete: false } })
  expect(await ask(url, 'DELETE FROM m', { token, db: 'd' })).toBe(
    'the organization may not delete points',
  )
})

test("an organization's rate of deletes counts requests, not buckets", async () => {
  // Time stands still, so that no credit comes back.
  const clock = new ManualClock(1_600_000_000_000_000_000n)
  const { url, token, server, orgId } = await prepared({ clock })
  await ask(url, 'CREATE RETENTION POLICY p ON d DURATION INF REPLICATION 1', { token })
  await server.catalog.limits.change(orgId, { rate: { deleteRequestsPerSecond: 1 } })
  const both = await Promise.all([1, 2].map(() => ask(url, 'DELETE FROM m', { token, db: 'd' })))
  expect(both).toContainEqual([])
  expect(both.filter((answer) => typeof answer === 'string')).toHaveLength(1)
})

test('organizations do not see each other', async () => {
  const { url, server, addToken } = await prepared()
  const other = await server.catalog.organizations.create({ name: 'other' })
  const resource = { type: 'buckets', orgID: other.id } as const
  const permissions = [
    { action: 'read', resource },
    { action: 'write', resource },
  ] as const
  const token = await addToken(permissions, other.id)
  const names = (await rows(url, 'SHOW DATABASES', { token })).flat()
  expect(names).not.toContain('d')
  expect(await ask(url, 'SELECT v FROM m', { token, db: 'd' })).toBe('database not found: d')
  expect(await ask(url, 'DROP DATABASE d', { token })).toEqual([])
  expect(await ask(url, 'CREATE DATABASE d', { token })).toEqual([])
  expect(await ask(url, 'SELECT v FROM m', { token, db: 'd' })).toEqual([])
})

test('a v1 user does what was granted', async () => {
  const { url, token } = await prepared()
  const login = ['ann', 'long password'] as const
  await ask(url, "CREATE USER ann WITH PASSWORD 'long password'", { token })
  expect(await rows(url, 'SHOW DATABASES', { login })).toEqual([])
  expect(await ask(url, 'SELECT v FROM m', { login, db: 'd' })).toBe(refused)
  await ask(url, 'GRANT READ ON d TO ann', { token })
  expect(await rows(url, 'SELECT v FROM m', { login, db: 'd' })).toHaveLength(1)
  expect(await ask(url, 'DELETE FROM m', { login, db: 'd' })).toBe(refused)
  await ask(url, 'CREATE RETENTION POLICY later ON d DURATION INF REPLICATION 1', { token })
  expect(await ask(url, 'SELECT v FROM later.m', { login, db: 'd' })).toEqual([])
  await ask(url, 'GRANT ALL ON d TO ann', { token })
  expect(await ask(url, 'DELETE FROM m', { login, db: 'd' })).toEqual([])
  expect(await ask(url, 'CREATE DATABASE e', { login })).toBe(refused)
  await ask(url, 'REVOKE ALL ON d FROM ann', { token })
  expect(await ask(url, 'SELECT v FROM m', { login, db: 'd' })).toBe(refused)
  await ask(url, 'GRANT ALL PRIVILEGES TO ann', { token })
  expect(await ask(url, 'CREATE DATABASE e', { login })).toEqual([])
  await ask(url, 'DROP USER ann', { token })
  expect(await ask(url, 'SHOW DATABASES', { login })).toBe('authorization failed')
})

test('nobody grants what they do not have', async () => {
  const { url, orgId, addToken, token: operator } = await prepared()
  await ask(url, "CREATE USER ann WITH PASSWORD 'long password'", { token: operator })
  const resource = { type: 'authorizations', orgID: orgId } as const
  const token = await addToken([
    { action: 'read', resource },
    { action: 'write', resource },
  ])
  expect(await ask(url, 'GRANT READ ON d TO ann', { token })).toBe(refused)
  expect(await ask(url, 'GRANT ALL PRIVILEGES TO ann', { token })).toBe(refused)
  const made = "CREATE USER eve WITH PASSWORD 'long password' WITH ALL PRIVILEGES"
  expect(await ask(url, made, { token })).toBe(refused)
  await ask(url, 'GRANT READ ON d TO ann', { token: operator })
  const taken = "SET PASSWORD FOR ann = 'another password'"
  expect(await ask(url, taken, { token })).toBe(refused)
  expect(await ask(url, 'REVOKE READ ON d FROM ann', { token })).toEqual([])
})

test('v1 users are the legacy authorizations of the resource API', async () => {
  const { url, token } = await prepared()
  await ask(url, "CREATE USER ann WITH PASSWORD 'long password'", { token })
  await ask(url, 'GRANT WRITE ON d TO ann', { token })
  const listed = await send(`${url}/legacy/authorizations`, { token })
  expect(listed.json.authorizations).toMatchObject([
    { token: 'ann', permissions: [{ action: 'write', resource: { type: 'buckets' } }] },
  ])
})
