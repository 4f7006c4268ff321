// Users: making, finding, changing and deleting them, their passwords, and what ends with them.

import { expect, it } from 'vitest'
import { type Answer, type Installation, install, send } from './harness.js'

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

function caller({ url, token }: Installation) {
  return (method: string, path: string, body?: unknown, as: string = token): Promise<Answer> =>
    send(`${url}${path}`, {
      method,
      token: as,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

it('makes, shows, changes and deletes a user', async () => {
  const call = caller(await install())
  const made = await call('POST', '/api/v2/users', { name: 'ada' })
  expect(made.status).toBe(201)
  const { id } = made.json
  expect(made.json).toEqual({
    links: { self: `/api/v2/users/${id}` },
    id,
    name: 'ada',
    status: 'active',
  })
  expect((await call('GET', `/api/v2/users/${id}`)).json).toEqual(made.json)
  const changed = await call('PATCH', `/api/v2/users/${id}`, { name: 'eve', status: 'inactive' })
  expect(changed.json).toMatchObject({ id, name: 'eve', status: 'inactive' })
  expect((await call('DELETE', `/api/v2/users/${id}`)).status).toBe(204)
  const gone = await call('GET', `/api/v2/users/${id}`)
  expect([gone.status, gone.json]).toEqual([404, { code: 'not found', message: 'user not found' }])
})

it.each([
  [{ name: 'u' }, 422, 'conflict', 'user with name u already exists'],
  [{ name: ' ' }, 400, 'invalid', 'user name is empty'],
  [{}, 400, 'invalid', "body must have required property 'name'"],
  [{ name: 'x', status: 'odd' }, 400, 'invalid', 'body/status must be equal to constant'],
])('refuses to make %j', async (body, status, code, message) => {
  const call = caller(await install())
  const answer = await call('POST', '/api/v2/users', body)
  expect([answer.status, answer.json.code]).toEqual([status, code])
  expect(answer.json.message).toContain(message)
})

it('refuses ids that are none', async () => {
  const call = caller(await install())
  const short = await call('GET', '/api/v2/users/abc')
  expect(short.json).toEqual({ code: 'invalid', message: 'id must have a length of 16 bytes' })
  const zero = await call('GET', '/api/v2/users/0000000000000000')
  expect(zero.json).toEqual({ code: 'invalid', message: 'invalid ID' })
})

it('lists in pages, by name and by id', async () => {
  const call = caller(await install())
  for (const name of ['a', 'b', 'c']) await call('POST', '/api/v2/users', { name })
  const names = ({ json }: Answer) => json.users.map((user: { name: string }) => user.name)
  const all = await call('GET', '/api/v2/users')
  expect(names(all)).toEqual(['u', 'a', 'b', 'c'])
  expect(all.json.links).toEqual({ self: '/api/v2/users?descending=false&limit=20&offset=0' })
  const page = await call('GET', '/api/v2/users?limit=2&offset=1')
  expect(names(page)).toEqual(['a', 'b'])
  expect(page.json.links.next).toBe('/api/v2/users?descending=false&limit=2&offset=3')
  expect(page.json.links.prev).toBe('/api/v2/users?descending=false&limit=2&offset=0')
  const after = page.json.users[1].id
  expect(names(await call('GET', `/api/v2/users?after=${after}`))).toEqual(['c'])
  expect(names(await call('GET', '/api/v2/users?name=b'))).toEqual(['b'])
  expect(names(await call('GET', `/api/v2/users?id=${after}`))).toEqual(['b'])
  expect(names(await call('GET', '/api/v2/users?name=nobody'))).toEqual([])
  const beyond = await call('GET', '/api/v2/users?limit=101')
  expect(beyond.json.message).toBe('limit must be between 1 and 100')
})

it('shows those who may read the users of an organization its members', async () => {
  const installed = await install()
  const call = caller(installed)
  const ada = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  await call('POST', '/api/v2/users', { name: 'stranger' })
  await call('POST', `/api/v2/orgs/${installed.orgId}/members`, { id: ada.id })
  const resource = { type: 'users', orgID: installed.orgId } as const
  const token = await installed.addToken([
    { action: 'read', resource },
    { action: 'write', resource },
  ])
  const { json } = await call('GET', '/api/v2/users', undefined, token)
  expect(json.users.map((user: { name: string }) => user.name)).toEqual(['u', 'ada'])
  expect((await call('GET', `/api/v2/users/${ada.id}`, undefined, token)).status).toBe(200)
  const taken = await call('POST', `/api/v2/users/${ada.id}/password`, { password: 'x' }, token)
  expect(taken.status).toBe(401)
})

it('puts a new user into an organization', async () => {
  const installed = await install()
  const call = caller(installed)
  const body = { name: 'ada', org_id: installed.orgId, role: 'owner' }
  const ada = (await call('POST', '/api/v2/users', body)).json
  const { json } = await call('GET', `/api/v2/orgs/${installed.orgId}/owners`)
  expect(json.users.map((user: { id: string }) => user.id)).toContain(ada.id)
})

it('stops the tokens that a deleted user made or that are scoped to them', async () => {
  const installed = await install()
  const call = caller(installed)
  const { orgId, write } = installed
  const ada = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  const permissions = ['write', 'read'].flatMap((action) =>
    ['authorizations', 'users', 'buckets'].map((type) => ({ action, resource: { type } })),
  )
  const grant = async (body: object, as?: string) =>
    (await call('POST', '/api/v2/authorizations', { orgID: orgId, permissions, ...body }, as)).json
  const scoped = await grant({ userID: ada.id })
  const me = (await call('GET', '/api/v2/me')).json
  const created = await grant({ userID: me.id }, scoped.token)
  expect(created.userID).toBe(me.id)
  for (const { token } of [scoped, created]) {
    expect((await write('m f=1 1', { token })).status).toBe(204)
  }
  await call('PATCH', `/api/v2/users/${ada.id}`, { status: 'inactive' })
  const inactive = await write('m f=1 1', { token: scoped.token })
  expect([inactive.status, inactive.json.message]).toEqual([403, 'User is inactive'])
  await call('DELETE', `/api/v2/users/${ada.id}`)
  for (const { id, token } of [scoped, created]) {
    expect((await write('m f=1 1', { token })).status).toBe(401)
    // Even where somebody sets them active again: their user does not come back.
    await installed.server.catalog.tokens.setStatus(id, 'active')
    expect((await write('m f=1 1', { token })).status).toBe(401)
  }
})

it('keeps the last user', async () => {
  const call = caller(await install())
  const me = (await call('GET', '/api/v2/me')).json
  const answer = await call('DELETE', `/api/v2/users/${me.id}`)
  expect([answer.status, answer.json.message]).toEqual([422, 'the last user cannot be deleted'])
})

it('changes passwords with a token or with the old password', async () => {
  const { url, token } = await install()
  const operator = { authorization: `Token ${token}` }
  const made = await send(`${url}/api/v2/users`, {
    method: 'POST',
    headers: operator,
    body: JSON.stringify({ name: 'ada' }),
  })
  const { id } = made.json
  const change = (method: string, headers: Record<string, string>, password: string, user = id) =>
    send(`${url}/api/v2/users/${user}/password`, {
      method,
      headers,
      body: JSON.stringify({ password }),
    })
  const short = await change('POST', operator, 'short')
  expect([short.status, short.json.message]).toEqual([
    400,
    'passwords must be between 8 and 72 characters long',
  ])
  expect((await change('POST', operator, 'first password')).status).toBe(204)
  const wrong = await change('PUT', basic('ada', 'wrong'), 'second password')
  expect([wrong.status, wrong.json.message]).toEqual([
    403,
    'your username or password is incorrect',
  ])
  const nobody = await change('PUT', basic('nobody', 'first password'), 'second password')
  expect([nobody.status, nobody.json.message]).toEqual([
    403,
    'your username or password is incorrect',
  ])
  const other = await change('PUT', basic('ada', 'first password'), 'x'.repeat(8), 'a'.repeat(16))
  expect([other.status, other.json.message]).toEqual([403, 'your userID is incorrect'])
  expect((await change('PUT', basic('ada', 'first password'), 'second password')).status).toBe(204)
  expect((await change('PUT', basic('ada', 'first password'), 'third password')).status).toBe(403)
})
