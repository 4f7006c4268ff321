// Database tokens: how they are given, how long they are good, and what no forged, ended or revoked one may.
// What each may do where is in cluster-matrix.test.ts.

import { CompactSign, UnsecuredJWT } from 'jose'
import { expect, it } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { adminToken, send } from './client.js'
import { cluster } from './cluster-client.js'

it('shows a token once, as a JSON web token that says what it is for', async () => {
  const here = await cluster()
  await here.makeDatabase('a')
  const made = await here.manage('POST', 'token', {
    token_name: 'collector',
    permissions: [
      { resource_type: 'db', resource_names: ['a'], actions: ['write'] },
      { resource_type: 'db', resource_names: ['a', '*'], actions: ['read'] },
    ],
  })
  expect(made.status).toBe(201)
  const [head, payload] = made.json.token.split('.').slice(0, 2).map(decoded)
  expect(head).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(payload).toMatchObject({
    jti: made.json.id,
    permissions: [
      { database: 'a', actions: ['read', 'write'] },
      { database: '*', actions: ['read'] },
    ],
  })
  const { token, ...kept } = made.json
  expect(kept.name).toBe('collector')
  expect((await here.manage('GET', 'token')).json).toEqual([{ ...kept, last_used_at: null }])
  const org = await here.server.catalog.organizations.findFirst()
  const inCatalog = await here.server.catalog.databaseTokens.list(org?.id ?? '')
  expect(inCatalog).toHaveLength(1)
  expect(JSON.stringify(inCatalog)).not.toContain(token)
})

const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

it('refuses what cannot be given', async () => {
  const here = await cluster()
  await here.makeDatabase('a')
  const permission = { resource_type: 'db', resource_names: ['a'], actions: ['read'] }
  const statusOf = async (body: unknown) => (await here.manage('POST', 'token', body)).status
  expect(await statusOf({ permissions: [permission] })).toBe(201)
  expect(await statusOf({ permissions: [{ ...permission, resource_names: ['none'] }] })).toBe(404)
  const { resource_names: names, ...rest } = permission
  expect(await statusOf({ permissions: [{ ...rest, resource_identifier: names }] })).toBe(201)
  expect(await statusOf({ permissions: [rest] })).toBe(400)
  for (const bad of [
    {},
    { permissions: [] },
    { permissions: [{ ...permission, actions: [] }] },
    { permissions: [{ ...permission, actions: ['admin'] }] },
    { permissions: [{ ...permission, resource_names: [] }] },
    { permissions: [{ ...permission, resource_type: 'system' }] },
    { permissions: [permission], expiry_secs: 0 },
    { permissions: [permission], expires_at: '2001-01-01T00:00:00Z' },
    { permissions: [permission], expires_at: 'soon' },
    { permissions: [permission], expiry_secs: 1e15 },
    { permissions: [permission], expiry_secs: 60, expires_at: '2999-01-01T00:00:00Z' },
  ]) {
    expect([bad, await statusOf(bad)]).toEqual([bad, 400])
  }
  for (let i = 0; i < 60; i++) await here.makeDatabase(`${i}`.padEnd(60, 'x'))
  const many = Array.from({ length: 60 }, (_, i) => `${i}`.padEnd(60, 'x'))
  const long = await here.manage('POST', 'token', {
    permissions: [{ ...permission, resource_names: many }],
  })
  expect([long.status, long.json.message]).toEqual([
    400,
    'too many databases for one token: the token would have more than 4096 bytes',
  ])
})

async function writer(clock?: ManualClock) {
  const here = await cluster(clock === undefined ? {} : { clock })
  await here.makeDatabase('a')
  const write = async (token: string) =>
    (await send(`${here.url}/write?db=a`, { method: 'POST', token, body: 'm f=1' })).status
  return { ...here, write }
}

it('revokes: at once, once, and only what is named', async () => {
  const here = await writer()
  const [first, second] = [
    await here.giveToken(['a'], ['write'], { token_name: 'same' }),
    await here.giveToken(['a'], ['write'], { token_name: 'same' }),
  ]
  expect(await here.write(first.token)).toBe(204)
  const revoked = await here.revoke(first.id)
  expect([revoked.status, revoked.json.id]).toEqual([200, first.id])
  expect(revoked.json.revoked_at).toMatch(/^\d{4}-/)
  expect(await here.write(first.token)).toBe(401)
  expect(await here.write(second.token)).toBe(204)
  expect((await here.revoke(first.id)).json).toEqual(revoked.json)
  const listed = (await here.manage('GET', 'token')).json as { last_used_at: string }[]
  const minute = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00/)
  expect(listed.map((token) => token.last_used_at)).toEqual([minute, minute])
  expect((await here.revoke('0123456789abcdef')).status).toBe(404)
  expect((await here.manage('DELETE', 'token')).status).toBe(400)
  const third = await here.giveToken(['a'], ['write'], { token_name: 'same' })
  expect((await here.manage('DELETE', 'token?token_name=same')).status).toBe(400)
  await here.revoke(third.id)
  expect((await here.manage('DELETE', 'token?token_name=same')).json.id).toBe(second.id)
  expect((await here.manage('DELETE', 'token?token_name=same')).status).toBe(404)
  expect(await here.write(second.token)).toBe(401)
})

it('ends a token when its time is up, remembered or not', async () => {
  const start = 1_700_000_000_000_000_000n
  const clock = new ManualClock(start)
  const here = await writer(clock)
  const short = await here.giveToken(['a'], ['write'], { expiry_secs: 60 })
  const dated = await here.giveToken(['a'], ['write'], { expires_at: '2023-11-14T22:14:20Z' })
  const never = await here.giveToken(['a'], ['write'])
  clock.set(start + 59_999_999_999n)
  for (const { token } of [short, dated, never]) expect(await here.write(token)).toBe(204)
  clock.set(start + 60_000_000_000n)
  expect(await here.write(short.token)).toBe(401)
  expect(await here.write(dated.token)).toBe(401)
  expect(await here.write(never.token)).toBe(204)
  const tokens: { id: string; expiry: string | null }[] = (await here.manage('GET', 'token')).json
  const listed = tokens.find(({ id }) => id === short.id)
  expect(listed?.expiry).toBe('2023-11-14T22:14:20.000000000Z')
})

it('follows the database by its name', async () => {
  const here = await writer()
  const { token } = await here.giveToken(['a'], ['write'])
  expect(await here.write(token)).toBe(204)
  await here.manage('DELETE', 'database?db=a')
  const url = `${here.url}/write?db=a`
  expect((await send(url, { method: 'POST', token, body: 'm f=1' })).status).toBe(401)
  const v2 = await send(`${here.url}/api/v2/write?bucket=a`, {
    method: 'POST',
    token,
    body: 'm f=1',
  })
  expect(v2.status).toBe(404)
  await here.makeDatabase('a')
  expect(await here.write(token)).toBe(204)
})

it('lets a token for every database make one, and no other', async () => {
  const here = await writer()
  const write = (db: string, token: string) =>
    send(`${here.url}/write?db=${db}`, { method: 'POST', token, body: 'm f=1' })
  const one = await here.giveToken(['a'], ['read', 'write'])
  const reader = await here.giveToken(['*'], ['read'])
  const all = await here.giveToken(['*'], ['write'])
  expect((await write('new', one.token)).status).toBe(401)
  expect((await write('new', reader.token)).status).toBe(401)
  expect((await write('new', all.token)).status).toBe(204)
  const list = (await here.manage('GET', 'database?format=json')).json
  const made = list.find((database: object) => Object.values(database).includes('new'))
  expect(made.retention_period).toBe('3d')
})

it('takes no token that was made elsewhere or changed', async () => {
  const here = await writer()
  const { token, id } = await here.giveToken(['a'], ['write'])
  const [head, payload, signature] = token.split('.')
  const claims = decoded(payload)
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const more = encode({ ...claims, permissions: [{ database: '*', actions: ['read', 'write'] }] })
  const otherKey = new TextEncoder().encode('another key with thirty-two bytes')
  const bytes = new TextEncoder().encode(JSON.stringify(claims))
  const foreign = await new CompactSign(bytes).setProtectedHeader({ alg: 'HS256' }).sign(otherKey)
  const other = await cluster()
  await other.makeDatabase('a')
  const neighbour = await other.giveToken(['a'], ['write'])
  for (const forged of [
    `${head}.${more}.${signature}`,
    `${head}.${payload}.${'A'.repeat(signature.length)}`,
    `${head}.${payload}.`,
    `${head}.${payload}`,
    `${encode({ alg: 'none' })}.${payload}.${signature}`,
    new UnsecuredJWT({ ...claims, jti: id }).encode(),
    foreign,
    neighbour.token,
    id,
    'a.b.c',
  ]) {
    expect([forged, await here.write(forged)]).toEqual([forged, 401])
  }
  expect(await here.write(token)).toBe(204)
  expect(await here.write(adminToken)).toBe(204)
})

it('answers nobody who is nobody', async () => {
  const here = await writer()
  const none = await send(`${here.url}/api/v3/configure/token`)
  expect([none.status, none.json.code]).toEqual([401, 'unauthorized'])
  const wrong = await send(`${here.url}/api/v3/configure/database`, { token: 'wrong' })
  expect(wrong.status).toBe(401)
})
