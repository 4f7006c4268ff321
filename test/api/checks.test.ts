// Checks over HTTP: every operation, the rules of each type, and who gets in.

import { expect, it } from 'vitest'
import { caller, checkGuards, type Guarded } from './guarded.js'
import { install } from './harness.js'

const path = '/api/v2/checks'
const query = { text: 'from(bucket: "b") |> range(start: -1h)', editMode: 'advanced' }
const threshold = {
  name: 'c',
  type: 'threshold',
  query,
  every: '1m',
  offset: '10s',
  statusMessageTemplate: 'm',
  tags: [{ key: 'k', value: 'v' }],
  thresholds: [
    { type: 'greater', level: 'crit', value: 5 },
    { type: 'range', level: 'WARN', min: 1, max: 2, within: true },
  ],
}
const deadman = {
  name: 'd',
  type: 'deadman',
  query,
  every: '1m',
  timeSince: '90s',
  staleTime: '10m',
  reportZero: true,
  level: 'CRIT',
}
const customText = 'option task = {name: "x", every: 1m}\ncheck = {_check_name: "x"}'
const custom = { name: 'x', type: 'custom', query: { text: customText } }

it('creates, shows, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const label = await place.server.catalog.labels.create(place.orgId, 'l', {})
  const body = { ...threshold, orgID: place.orgId, labels: [label.id] }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  const self = `${path}/${made.json.id}`
  expect(made.json).toMatchObject({
    ...threshold,
    orgID: place.orgId,
    status: 'active',
    description: '',
    thresholds: [
      { type: 'greater', level: 'CRIT', value: 5, allValues: false },
      { type: 'range', level: 'WARN', min: 1, max: 2, within: true, allValues: false },
    ],
    labels: [{ name: 'l' }],
    links: {
      self,
      labels: `${self}/labels`,
      members: `${self}/members`,
      owners: `${self}/owners`,
      query: `${self}/query`,
    },
  })
  expect((await call('GET', self)).json).toEqual(made.json)
  const patched = await call('PATCH', self, { status: 'inactive', description: 'e' })
  expect(patched.json).toMatchObject({ name: 'c', every: '1m', status: 'inactive' })
  const put = await call('PUT', self, { ...deadman, labels: made.json.labels })
  expect(put.json).toMatchObject({ ...deadman, id: made.json.id, status: 'active' })
  expect(put.json).not.toHaveProperty('thresholds')
  expect(put.json.labels).toHaveLength(1)
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  expect([gone.status, gone.json.message]).toEqual([404, 'check not found'])
})

it.each([
  [{ ...threshold, name: '' }, "Check Name can't be empty"],
  [{ ...threshold, type: 'x' }, 'invalid check type x'],
  [{ ...threshold, query: undefined }, 'Check Query must exist'],
  [{ ...threshold, every: undefined }, 'Check Every must exist'],
  [{ ...threshold, every: 'often' }, 'every "often" is no duration'],
  [{ ...threshold, offset: '1m' }, 'Offset should not be equal or greater than the interval'],
  [{ ...threshold, tags: [{ key: '', value: 'v' }] }, 'tag must contain a key and a value'],
  [{ ...threshold, thresholds: [{ type: 'x', level: 'OK' }] }, 'invalid threshold type x'],
  [{ ...threshold, thresholds: [{ type: 'lesser', level: 'x' }] }, 'invalid check level x'],
  [{ ...deadman, level: 'bad' }, 'invalid check level bad'],
  [{ ...threshold, status: 'x' }, 'invalid status'],
  [{ ...custom, query: { text: 'x' } }, 'no task options defined'],
  [{ ...threshold, labels: [{}] }, 'labels must be label ids'],
])('refuses %j', async (body, message) => {
  const answer = await caller(await install())('POST', path, body)
  expect(answer.status).toBe(400)
  expect(answer.json.message).toContain(message)
})

it('keeps names unique', async () => {
  const call = caller(await install())
  await call('POST', path, threshold)
  const again = await call('POST', path, threshold)
  expect([again.status, again.json.code]).toEqual([422, 'conflict'])
  const other = (await call('POST', path, deadman)).json
  const renamed = await call('PUT', `${path}/${other.id}`, threshold)
  expect([renamed.status, renamed.json.message]).toEqual([422, 'check name is not unique'])
})

it('lists in pages', async () => {
  const place = await install()
  const call = caller(place)
  for (const name of ['a', 'b', 'c']) await call('POST', path, { ...threshold, name })
  const page = await call('GET', `${path}?orgID=${place.orgId}&limit=2`)
  expect(page.json.checks.map((check: { name: string }) => check.name)).toEqual(['a', 'b'])
  expect(page.json.links.next).toBe(
    `${path}?descending=false&limit=2&offset=2&orgID=${place.orgId}`,
  )
  expect((await call('GET', `${path}?limit=101`)).json.message).toBe(
    'limit must be between 1 and 100',
  )
})

it('tells the script of custom checks only', async () => {
  const call = caller(await install())
  const one = (await call('POST', path, custom)).json
  expect((await call('GET', one.links.query)).json).toEqual({ flux: customText })
  const other = (await call('POST', path, threshold)).json
  expect((await call('GET', other.links.query)).status).toBe(501)
})

it('holds the quota of its organization', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  await server.catalog.limits.change(place.orgId, { check: { maxChecks: 1 } })
  expect((await call('POST', path, threshold)).status).toBe(201)
  expect((await call('POST', path, deadman)).status).toBe(403)
})

it.each<Guarded>([
  { method: 'GET', path: `${path}?orgID=:org`, status: 200 },
  { method: 'POST', path: `${path}?orgID=:org`, status: 201, body: deadman },
  { method: 'GET', path: `${path}/:id`, status: 200 },
  { method: 'PUT', path: `${path}/:id`, status: 200, body: deadman },
  { method: 'PATCH', path: `${path}/:id`, status: 200, body: { name: 'x' } },
  { method: 'DELETE', path: `${path}/:id`, status: 204 },
  { method: 'GET', path: `${path}/:id/query`, status: 200 },
])('$method $path asks for its permission', async (endpoint) => {
  const place = await install()
  const made = await place.server.catalog.checks.create(place.orgId, undefined, custom)
  await checkGuards(place, 'checks', made.id, endpoint)
})
