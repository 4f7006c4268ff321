// Notification rules over HTTP: every operation, the rules of each type, filters, and who gets in.

import { expect, it } from 'vitest'
import { caller, checkGuards, type Guarded } from './guarded.js'
import { type Installation, install } from './harness.js'

const path = '/api/v2/notificationRules'
const absent = '0123456789abcdef'
const slack = {
  name: 'r',
  type: 'slack',
  status: 'active',
  every: '10m',
  offset: '1m',
  messageTemplate: 'm',
  channel: '#c',
  tagRules: [{ key: 'k', value: 'v', operator: 'equal' }],
  statusRules: [{ currentLevel: 'crit', previousLevel: 'OK' }],
}

async function endpointOf({ server, orgId }: Installation): Promise<string> {
  const input = { name: 'e', type: 'slack', url: 'https://example.com' }
  return (await server.catalog.notificationEndpoints.create(orgId, undefined, input)).id
}

it('creates, shows, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const body = { ...slack, orgID: place.orgId, endpointID: await endpointOf(place) }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  const self = `${path}/${made.json.id}`
  expect(made.json).toMatchObject({
    ...body,
    statusRules: [{ currentLevel: 'CRIT', previousLevel: 'OK' }],
    labels: [],
    links: {
      self,
      labels: `${self}/labels`,
      members: `${self}/members`,
      owners: `${self}/owners`,
      query: `${self}/query`,
    },
  })
  expect((await call('GET', self)).json).toEqual(made.json)
  expect((await call('GET', `${self}/query`)).status).toBe(501)
  const patched = await call('PATCH', self, { status: 'inactive' })
  expect(patched.json).toMatchObject({ name: 'r', status: 'inactive', channel: '#c' })
  const put = await call('PUT', self, { ...body, name: 's', channel: undefined })
  expect(put.json).toMatchObject({ name: 's', status: 'active' })
  expect(put.json).not.toHaveProperty('channel')
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  expect([gone.status, gone.json.message]).toEqual([404, 'notification rule not found'])
})

it.each([
  [{ name: '' }, 400, "Notification Rule Name can't be empty"],
  [{ type: 'smtp' }, 400, 'invalid notification type smtp'],
  [{ endpointID: '' }, 400, 'Notification Rule EndpointID is invalid'],
  [{ endpointID: absent }, 404, 'notification endpoint not found'],
  [{ type: 'pagerduty' }, 400, 'a pagerduty rule cannot notify a slack endpoint'],
  [{ offset: '10m' }, 400, 'Offset should not be equal or greater than the interval'],
  [{ limit: 1 }, 400, 'if limit is set, limit and limitEvery must be larger than 0'],
  [{ messageTemplate: '' }, 400, 'slack msg template is empty'],
  [{ statusRules: [] }, 400, 'a rule needs a status rule'],
  [{ statusRules: [{ currentLevel: 'x' }] }, 400, 'invalid level x'],
  [{ tagRules: [{ key: 'k', value: 'v', operator: 'x' }] }, 400, 'Operator is invalid: "x"'],
])('refuses %j', async (change, status, message) => {
  const place = await install()
  const body = { ...slack, endpointID: await endpointOf(place), ...change }
  const answer = await caller(place)('POST', path, body)
  expect([answer.status, answer.json.message]).toEqual([status, message])
})

it('lists by tag and by check', async () => {
  const place = await install()
  const call = caller(place)
  const endpointID = await endpointOf(place)
  const rule = (name: string, tagRules: object[]) =>
    call('POST', path, { ...slack, name, endpointID, tagRules })
  await rule('any', [])
  await rule('v', [{ key: 'k', value: 'v' }])
  await rule('w', [{ key: 'k', value: 'w' }])
  const check = await place.server.catalog.checks.create(place.orgId, undefined, {
    name: 'c',
    type: 'threshold',
    every: '1m',
    query: {},
    tags: [{ key: 'k', value: 'v' }],
  })
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?orgID=${place.orgId}&${query}`)
    return json.notificationRules.map((found: { name: string }) => found.name)
  }
  expect(await names('')).toEqual(['any', 'v', 'w'])
  expect(await names('tag=k:w')).toEqual(['w'])
  expect(await names('tag=k:w&tag=k:v')).toEqual([])
  expect(await names('tag=malformed')).toEqual(['any', 'v', 'w'])
  expect(await names(`checkID=${check.id}`)).toEqual(['any', 'v'])
  expect((await call('GET', `${path}?checkID=${absent}`)).status).toBe(404)
})

it('holds the quotas of its organization', async () => {
  const place = await install()
  const call = caller(place)
  const body = { ...slack, endpointID: await endpointOf(place) }
  const { limits } = place.server.catalog
  await limits.change(place.orgId, { notificationRule: { maxNotifications: 1 } })
  expect((await call('POST', path, body)).status).toBe(201)
  expect((await call('POST', path, body)).status).toBe(403)
  await limits.change(place.orgId, {
    notificationRule: { maxNotifications: 0, blockedNotificationRules: 'slack' },
  })
  expect((await call('POST', path, body)).status).toBe(403)
})

it.each<Guarded>([
  { method: 'GET', path: `${path}?orgID=:org`, status: 200 },
  { method: 'POST', path: `${path}?orgID=:org`, status: 201, body: slack },
  { method: 'GET', path: `${path}/:id`, status: 200 },
  { method: 'PUT', path: `${path}/:id`, status: 200, body: slack },
  { method: 'PATCH', path: `${path}/:id`, status: 200, body: { name: 'x' } },
  { method: 'DELETE', path: `${path}/:id`, status: 204 },
  { method: 'GET', path: `${path}/:id/query`, status: 501 },
])('$method $path asks for its permission', async (endpoint) => {
  const place = await install()
  const endpointId = await endpointOf(place)
  const { notificationRules } = place.server.catalog
  const made = await notificationRules.create(place.orgId, undefined, { ...slack, endpointId })
  const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
  const body = hasBody ? { ...slack, endpointID: endpointId } : endpoint.body
  await checkGuards(place, 'notificationRules', made.id, { ...endpoint, body })
})
