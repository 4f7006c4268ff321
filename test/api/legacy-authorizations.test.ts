// Legacy authorizations: v1 user names with passwords, under both paths, and every way in which v1
// clients send them.

import { expect, it } from 'vitest'
import { type Answer, install, send } from './harness.js'

const path = '/private/legacy/authorizations'
const password = 'the password'

async function prepare() {
  const installed = await install()
  const { url, token, orgId } = installed
  const call = (method: string, target: string, body?: unknown): Promise<Answer> =>
    send(url + target, {
      method,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const permissions = [{ action: 'write', resource: { type: 'buckets', orgID: orgId } }]
  const create = (body: object, at = path) =>
    call('POST', at, { orgID: orgId, permissions, ...body })
  const write = (query: string, authorization?: string) =>
    send(`${url}/write?db=b${query}`, {
      method: 'POST',
      body: 'm f=1 1',
      headers: authorization === undefined ? {} : { authorization },
    })
  return { ...installed, call, create, write }
}

const basic = (user: string, secret: string) =>
  `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`

it('opens v1 paths by Basic, u and p, and Token user:password', async () => {
  const { call, create, write } = await prepare()
  const { id } = (await create({ token: 'ada' })).json
  expect((await write('', basic('ada', password))).status).toBe(401)
  const short = await call('POST', `${path}/${id}/password`, { password: 'short' })
  expect(short.status).toBe(400)
  expect((await call('POST', `${path}/${id}/password`, { password })).status).toBe(204)
  const p = encodeURIComponent(password)
  const ways: [string, string?][] = [
    ['', basic('ada', password)],
    [`&u=ada&p=${p}`],
    ['', `Token ada:${password}`],
  ]
  for (const [query, authorization] of ways) {
    for (let i = 0; i < 2; i++) {
      expect([authorization, (await write(query, authorization)).status]).toEqual([
        authorization,
        204,
      ])
    }
  }
  const refused: [string, string?][] = [
    ['', basic('ada', 'wrong password')],
    ['', basic('eve', password)],
    ['&u=ada&p=wrong'],
    ['', `Token ada:wrong`],
    ['', `Token ${password}`],
    ['', `Token ada`],
  ]
  for (const [query, authorization] of refused) {
    const { status, json } = await write(query, authorization)
    const message = 'authorization failed'
    const told = { error: message, code: 'unauthorized', message }
    expect([authorization, status, json]).toEqual([authorization, 401, told])
  }
})

it('stops at once when it is inactive, has a new password, or is deleted', async () => {
  const { call, create, write } = await prepare()
  const { id } = (await create({ token: 'ada' })).json
  await call('POST', `${path}/${id}/password`, { password })
  const status = async (secret = password) => (await write('', basic('ada', secret))).status
  expect(await status()).toBe(204)
  await call('PATCH', `${path}/${id}`, { status: 'inactive' })
  expect(await status()).toBe(401)
  await call('PATCH', `${path}/${id}`, { status: 'active' })
  expect(await status()).toBe(204)
  await call('POST', `${path}/${id}/password`, { password: 'another one' })
  expect(await status()).toBe(401)
  expect(await status('another one')).toBe(204)
  expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
  expect(await status('another one')).toBe(401)
  expect((await call('GET', `${path}/${id}`)).json).toEqual({
    code: 'not found',
    message: 'authorization not found',
  })
})

it('allows what its permissions say', async () => {
  const { call, create, write } = await prepare()
  const read = { action: 'read', resource: { type: 'buckets' } }
  const { id } = (await create({ token: 'ada', permissions: [read] })).json
  await call('POST', `${path}/${id}/password`, { password })
  const { status, json } = await write('', basic('ada', password))
  expect([status, json.error]).toEqual([401, 'user is not authorized to write to database "b"'])
})

it('shows the name, never the password, under both paths', async () => {
  const { orgId, call, create } = await prepare()
  const made = await create({ token: 'ada', description: 'd' })
  expect(made.status).toBe(201)
  const { id } = made.json
  expect(made.json).toMatchObject({
    token: 'ada',
    description: 'd',
    orgID: orgId,
    org: 'o',
    user: 'u',
    links: { self: `${path}/${id}` },
  })
  const other = '/legacy/authorizations'
  const twin = await call('GET', `${other}/${id}`)
  expect(twin.json).toMatchObject({ id, token: 'ada', links: { self: `${other}/${id}` } })
  await create({ token: 'eve' }, other)
  const names = async (query: string) =>
    (await call('GET', path + query)).json.authorizations.map((a: { token: string }) => a.token)
  expect(await names('')).toEqual(['ada', 'eve'])
  expect(await names('?token=eve')).toEqual(['eve'])
  expect(await names(`?authID=${id}`)).toEqual(['ada'])
  expect(await names(`?orgID=${orgId}&user=u`)).toEqual(['ada', 'eve'])
  expect(await names('?user=nobody')).toEqual([])
})

it.each([
  [{}, 400, 'token required for v1 user authorization type'],
  [{ token: 'a:b' }, 400, 'a v1 user name has no colon'],
  [{ token: 'taken' }, 422, 'token already exists'],
  [{ token: 'x', permissions: [] }, 400, 'authorization must include permissions'],
  [{ token: 'x', orgID: 'aaaaaaaaaaaaaaaa' }, 400, 'unable to create token'],
])('refuses %j', async (body, status, message) => {
  const { create } = await prepare()
  await create({ token: 'taken' })
  const answer = await create(body)
  expect([answer.status, answer.json.message]).toEqual([status, message])
})
