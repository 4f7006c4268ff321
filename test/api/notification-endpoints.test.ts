// Notification endpoints over HTTP: every operation, the rules of each type, secrets that go in and
// never come out, and who gets in.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

const path = '/api/v2/notificationEndpoints'
const slack = { name: 's', type: 'slack', url: 'https://example.com/hook' }
const http = {
  name: 'h',
  type: 'http',
  url: 'https://example.com',
  method: 'POST',
  authMethod: 'basic',
  username: 'me',
  password: 'pass-word',
}

it('creates, shows, lists, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const made = await call('POST', path, { ...slack, orgID: place.orgId, description: 'd' })
  expect(made.status).toBe(201)
  const self = `${path}/${made.json.id}`
  expect(made.json).toMatchObject({
    ...slack,
    orgID: place.orgId,
    description: 'd',
    status: 'active',
    labels: [],
    links: {
      self,
      labels: `${self}/labels`,
      members: `${self}/members`,
      owners: `${self}/owners`,
    },
  })
  expect((await call('GET', self)).json).toEqual(made.json)
  const list = await call('GET', `${path}?orgID=${place.orgId}`)
  expect(list.json.notificationEndpoints).toEqual([made.json])
  const patched = await call('PATCH', self, { status: 'inactive', name: 't' })
  expect(patched.json).toMatchObject({ name: 't', status: 'inactive', url: slack.url })
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  expect([gone.status, gone.json.message]).toEqual([404, 'notification endpoint not found'])
})

it('keeps credentials among the secrets', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  const secret = (id: string, suffix: string) =>
    server.catalog.secrets.get(place.orgId, `${id}-${suffix}`)
  const made = await call('POST', path, http)
  const { id } = made.json
  expect(made.text).not.toContain('pass-word')
  expect(made.json).toMatchObject({
    username: `secret: ${id}-username`,
    password: `secret: ${id}-password`,
  })
  expect(await secret(id, 'password')).toBe('pass-word')

  const { username } = made.json
  const put = await call('PUT', `${path}/${id}`, { ...http, username, password: 'new' })
  expect(put.json.username).toBe(username)
  expect(await secret(id, 'username')).toBe('me')
  expect(await secret(id, 'password')).toBe('new')

  const bearer = { ...http, authMethod: 'bearer', token: 't', username: '', password: '' }
  const changed = await call('PUT', `${path}/${id}`, bearer)
  expect(changed.json.token).toBe(`secret: ${id}-token`)
  expect(changed.json).not.toHaveProperty('password')
  expect(await secret(id, 'password')).toBeUndefined()
  await call('DELETE', `${path}/${id}`)
  expect(await server.catalog.secrets.keys(place.orgId)).toEqual([])
})

it('does not lend the secrets of others', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  await server.catalog.secrets.put(place.orgId, { precious: 'x' })
  const made = await call('POST', path, { ...slack, token: 'secret: precious' })
  expect(made.json.token).toBe(`secret: ${made.json.id}-token`)
  const other = await call('PUT', `${path}/${made.json.id}`, {
    ...slack,
    token: 'secret: precious',
  })
  expect(other.json.token).toBe(`secret: ${made.json.id}-token`)
  const named = { ...slack, name: 'n', secretKeys: { token: 'precious' } }
  expect((await call('POST', path, named)).json.token).not.toBe('secret: precious')
})

it.each([
  [{ ...slack, name: '' }, "Notification Endpoint Name can't be empty"],
  [{ ...slack, status: 'x' }, 'invalid status'],
  [{ ...slack, type: 'pigeon' }, 'invalid notification endpoint type pigeon'],
  [{ ...slack, url: '' }, 'slack endpoint URL must be provided'],
  [{ name: 'p', type: 'pagerduty' }, 'pagerduty routing key is invalid'],
  [{ ...http, url: '' }, 'http endpoint URL is empty'],
  [{ ...http, method: 'DELETE' }, 'invalid http http method'],
  [{ ...http, authMethod: 'x' }, 'invalid http auth method'],
  [{ ...http, password: '' }, 'invalid http username/password for basic auth'],
  [{ ...http, authMethod: 'bearer' }, 'invalid http token for bearer auth'],
  [{ name: 't', type: 'telegram', channel: '-1' }, 'empty telegram bot token'],
  [{ name: 't', type: 'telegram', token: 'x' }, 'empty telegram channel'],
])('refuses %j', async (body, message) => {
  const answer = await caller(await install())('POST', path, body)
  expect([answer.status, answer.json.message]).toEqual([400, message])
})

it('keeps names unique and holds what the organization may not use', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  await call('POST', path, slack)
  const again = await call('POST', path, slack)
  expect([again.status, again.json.code]).toEqual([422, 'conflict'])
  await server.catalog.limits.change(place.orgId, {
    notificationEndpoint: { blockedNotificationEndpoints: 'pagerduty, http' },
  })
  expect((await call('POST', path, http)).status).toBe(403)
  const pager = { name: 'p', type: 'telegram', token: 'x', channel: '-1' }
  expect((await call('POST', path, pager)).status).toBe(201)
})
