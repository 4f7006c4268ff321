// Checks over HTTP: every operation, the rules of each type, and who gets in.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

const path = '/api/v2/checks'
const source = 'from(bucket: "b") |> range(start: -1h) |> filter(fn: (r) => r._field == "f")'
const query = { text: source, editMode: 'advanced' }
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
const options = 'option task = {name: "x", every: 1m, offset: 0s}'
const customText = `${options}\ncheck = {_check_name: "x", _type: "custom"}\n`
const custom = { name: 'x', type: 'custom', query: { text: customText } }
const customWith = (text: string) => ({ ...custom, query: { text } })

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
  [{ ...threshold, query: {} }, 'Could not create task from check: expected a query that ends'],
  [{ ...threshold, query: { text: 'f(' } }, 'error @1:1-1:3: expected RPAREN, got EOF'],
  [
    { ...threshold, query: { text: source.replace('_field', '_value') } },
    'Could not create task from check: expected a single field but got: []',
  ],
  [
    { ...threshold, query: { text: source.replace('"f"', '"f" or r["_field"] == "g"') } },
    'expected a single field but got: [f g]',
  ],
  [customWith(options), "Custom flux must have an object called 'check'"],
  [
    customWith(customText.replace('_check_name: "x"', '_check_name: "y"')),
    '_check_name parameter on check object must match check name',
  ],
  [
    customWith(customText.replace(', _type: "custom"', '')),
    "_type parameter on check object must be set to 'custom'",
  ],
  [customWith(customText.replace('option ', '')), 'Custom flux missing task option statement'],
  [
    customWith(customText.replace('name: "x", every', 'every')),
    'Custom flux missing name parameter from task option statement',
  ],
  [
    customWith(customText.replace('{name: "x"', '{name: "y"')),
    'Name parameter from task option statement must match check name',
  ],
  [
    customWith(customText.replace('every: 1m, ', '')),
    'Custom flux missing every parameter from task option statement',
  ],
  [
    customWith(customText.replace(', offset: 0s', '')),
    'Custom flux missing offset parameter from task option statement',
  ],
  [customWith(customText.replace('1m', '1x')), 'every option must be a duration'],
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

it('tells the script of a check', async () => {
  const call = caller(await install())
  const made = (await call('POST', path, { ...threshold, name: 'the "check"' })).json
  expect((await call('GET', made.links.query)).json.flux).toBe(`import "influxdata/influxdb/monitor"
import "influxdata/influxdb/v1"

data = from(bucket: "b") |> range(start: -1m) |> filter(fn: (r) => r._field == "f")

option task = {name: "the \\"check\\"", every: 1m, offset: 10s}

check = {_check_id: "${made.id}", _check_name: "the \\"check\\"", _type: "threshold", tags: {k: "v"}}
crit = (r) => r["f"] > 5.0
warn = (r) => r["f"] < 2.0 and r["f"] > 1.0
messageFn = (r) => "m"

data |> v1["fieldsAsCols"]() |> monitor["check"](data: check, messageFn: messageFn, crit: crit, warn: warn)
`)
  const silent = (await call('POST', path, deadman)).json
  expect((await call('GET', silent.links.query)).json.flux).toContain(`
crit = (r) => r["dead"]
messageFn = (r) => ""

data
    |> v1["fieldsAsCols"]()
    |> monitor["deadman"](t: experimental["subDuration"](from: now(), d: 90s))
    |> monitor["check"](data: check, messageFn: messageFn, crit: crit)
`)
})

it('writes its id into a custom check, once', async () => {
  const call = caller(await install())
  const made = (await call('POST', path, custom)).json
  const text = customText.replace('{_check_name', `{_check_id: "${made.id}", _check_name`)
  expect(made.query.text).toBe(text)
  expect((await call('GET', made.links.query)).json).toEqual({ flux: text })
  const put = await call('PUT', made.links.self, customWith(text.replace(made.id, 'undefined')))
  expect(put.json.query.text).toBe(text)
  const renamed = await call('PATCH', made.links.self, { name: 'y' })
  const message = '_check_name parameter on check object must match check name'
  expect([renamed.status, renamed.json.message]).toEqual([400, message])
})

it('has a task that changes only with it', async () => {
  const place = await install()
  const call = caller(place)
  const { catalog } = place.server
  await catalog.limits.change(place.orgId, { task: { maxTasks: 1 } })
  const made = (await call('POST', path, threshold)).json
  const task = `/api/v2/tasks/${made.taskID}`
  const { flux } = (await call('GET', made.links.query)).json
  expect((await call('GET', task)).json).toMatchObject({ name: 'c', flux, status: 'active' })
  expect((await call('PATCH', task, { status: 'inactive' })).status).toBe(403)
  expect((await call('DELETE', task)).status).toBe(403)
  await call('PATCH', made.links.self, { status: 'inactive', name: 'n', description: 'e' })
  const changed = { name: 'n', status: 'inactive', description: 'e', every: '1m', offset: '10s' }
  expect((await call('GET', task)).json).toMatchObject(changed)
  const put = (await call('PUT', made.links.self, deadman)).json
  expect(put.taskID).toBe(made.taskID)
  const after = (await call('GET', task)).json
  expect(after).toMatchObject({ name: 'd', status: 'active' })
  expect(after.flux).toBe((await call('GET', made.links.query)).json.flux)
  // Neither listed nor counted among those that users make.
  expect((await call('GET', '/api/v2/tasks')).json.tasks).toEqual([])
  const own = { flux: 'option task = {name: "t", every: 1h}' }
  expect((await call('POST', '/api/v2/tasks', own)).status).toBe(201)
  expect((await call('POST', '/api/v2/tasks', own)).status).toBe(403)
  expect((await call('GET', '/api/v2/tasks')).json.tasks).toHaveLength(1)
  await call('DELETE', made.links.self)
  expect((await call('GET', task)).status).toBe(404)
  expect(await catalog.tasks.records.count(place.orgId)).toBe(1)
})

it('keeps nothing of a check whose task cannot be made', async () => {
  const place = await install()
  const call = caller(place)
  expect((await call('POST', path, { ...threshold, query: {} })).status).toBe(400)
  expect((await call('GET', path)).json.checks).toEqual([])
  const made = (await call('POST', path, threshold)).json
  expect((await call('PUT', made.links.self, { ...threshold, query: {} })).status).toBe(400)
  expect((await call('GET', made.links.self)).json).toEqual(made)
})

it('holds the quota of its organization', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  await server.catalog.limits.change(place.orgId, { check: { maxChecks: 1 } })
  expect((await call('POST', path, threshold)).status).toBe(201)
  expect((await call('POST', path, deadman)).status).toBe(403)
})
