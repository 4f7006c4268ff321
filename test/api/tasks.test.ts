// Tasks over HTTP: definitions, the options inside their scripts, filters and pages, runs and logs.
// Where the state of runs is looked at, nothing is executed (`noTasks`).

import { expect, it } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { caller, install } from './harness.js'

const path = '/api/v2/tasks'
const absent = '0123456789abcdef'
const flux = (name: string, rest = 'every: 1h') =>
  `option task = {name: "${name}", ${rest}}\nfrom(bucket: "b") |> range(start: -1h)`

it('creates, shows, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const script = flux('t', 'every: 1h, offset: 10m')
  const body = { orgID: place.orgId, flux: script, description: 'd' }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  const { id, ownerID } = made.json
  const self = `${path}/${id}`
  expect(ownerID).toMatch(/^[0-9a-f]{16}$/)
  expect(made.json).toMatchObject({
    ...body,
    org: 'o',
    name: 't',
    status: 'active',
    every: '1h',
    offset: '10m',
    labels: [],
    links: {
      self,
      owners: `${self}/owners`,
      members: `${self}/members`,
      labels: `${self}/labels`,
      runs: `${self}/runs`,
      logs: `${self}/logs`,
    },
  })
  expect(made.json).not.toHaveProperty('cron')
  expect((await call('GET', self)).json).toEqual(made.json)

  const change = { name: 'u', cron: '@daily', offset: '0s', status: 'inactive' }
  const changed = (await call('PATCH', self, change)).json
  expect(changed).toMatchObject({ name: 'u', cron: '@daily', status: 'inactive', description: 'd' })
  expect(changed.flux).toBe(script.replace('"t", every: 1h, offset: 10m', '"u", cron: "@daily"'))
  expect(changed).not.toHaveProperty('every')
  expect(changed).not.toHaveProperty('offset')
  const replaced = await call('PATCH', self, { flux: flux('v', 'every: 5m') })
  expect(replaced.json).toMatchObject({ name: 'v', every: '5m', status: 'inactive' })

  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  expect([gone.status, gone.json.message]).toEqual([404, 'failed to find task: task not found'])
})

it.each([
  [{}, 'failed to decode request: flux required'],
  [{ flux: 'x' }, 'invalid options: no task options defined'],
  [{ flux: flux('a', 'every: 1h, cron: "@daily"') }, 'cannot use both cron and every'],
  [{ flux: flux('a'), status: 'on' }, 'invalid task status: "on"'],
  [{ flux: flux('a'), scriptID: 'x' }, 'id must have a length of 16 bytes'],
])('refuses to create %j', async (body, message) => {
  const answer = await caller(await install())('POST', path, body)
  expect([answer.status, answer.json.code]).toEqual([400, 'invalid'])
  expect(answer.json.message).toContain(message)
})

it.each([
  [{}, 'cannot update task without content'],
  [{ every: '1h', cron: '@daily' }, 'cannot specify both every and cron'],
  [{ status: 'x' }, 'invalid task status: "x"'],
  [{ every: 'x' }, 'every option must be a duration'],
])('refuses to change %j', async (body, message) => {
  const call = caller(await install())
  const { id } = (await call('POST', path, { flux: flux('a') })).json
  const answer = await call('PATCH', `${path}/${id}`, body)
  expect(answer.status).toBe(400)
  expect(answer.json.message).toContain(message)
})

it('runs an invokable script with options beside it', async () => {
  const call = caller(await install())
  const script = { name: 's', description: '', script: 'params.x', language: 'flux' }
  const scriptID = (await call('POST', '/api/v2/scripts', script)).json.id
  const body = { scriptID, name: 't', every: '1h', scriptParameters: { x: 1 } }
  const made = await call('POST', path, body)
  expect(made.json).toMatchObject({ ...body, flux: '' })
  const changed = await call('PATCH', `${path}/${made.json.id}`, { cron: '@daily' })
  expect(changed.json).toMatchObject({ scriptID, cron: '@daily', scriptParameters: { x: 1 } })
  expect(changed.json).not.toHaveProperty('every')
  const both = await call('POST', path, { ...body, flux: flux('a') })
  expect(both.json.message).toContain('can not provide both scriptID and flux')
  const unknown = await call('POST', path, { ...body, scriptID: absent })
  expect([unknown.status, unknown.json.message]).toEqual([404, `script "${absent}" not found`])
  const list = await call('GET', `${path}?scriptID=${scriptID}`)
  expect(list.json.tasks).toHaveLength(1)
})

it('lists with filters and in pages', async () => {
  const place = await install()
  const call = caller(place)
  const ids: string[] = []
  for (const name of ['c', 'a', 'b']) {
    ids.push((await call('POST', path, { flux: flux(name) })).json.id)
  }
  await call('PATCH', `${path}/${ids[0]}`, { status: 'inactive' })
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?${query}`)
    return json.tasks.map((task: { name: string }) => task.name).join('')
  }
  expect(await names('')).toBe('cab')
  expect(await names('sortBy=name')).toBe('abc')
  expect(await names('name=a')).toBe('a')
  expect(await names('status=active')).toBe('ab')
  expect(await names('org=o&limit=1')).toBe('c')
  expect(await names(`after=${ids[0]}`)).toBe('ab')
  expect(await names(`user=${absent}`)).toBe('')
  const page = (await call('GET', `${path}?limit=1`)).json
  expect(page.links).toEqual({
    self: `${path}?limit=1`,
    next: `${path}?after=${ids[0]}&limit=1`,
  })
  const ofOrg = (await call('GET', `${path}?limit=1&org=o`)).json
  expect(ofOrg.links.self).toBe(`${path}?limit=1&orgID=${place.orgId}`)
  // Whoever runs the installation sees those of every organization, or of the one that is named.
  const { id: orgID } = (await call('POST', '/api/v2/orgs', { name: 'other' })).json
  await call('POST', path, { orgID, flux: flux('d') })
  expect([await names(''), await names('org=o'), await names('org=other')]).toEqual([
    'cabd',
    'cab',
    'd',
  ])
  const basic = (await call('GET', `${path}?type=basic`)).json.tasks[0]
  expect(basic).toMatchObject({ flux: '', org: '' })
  expect(basic).not.toHaveProperty('createdAt')
  expect((await call('GET', `${path}?type=foo`)).json.message).toBe(
    'failed to decode request: "foo" is not a valid task type',
  )
  const whole = (await call('GET', `${path}?limit=-1`)).json
  expect(whole.tasks.length).toBe((await call('GET', path)).json.tasks.length)
  expect(whole.links).toEqual({ self: `${path}?limit=-1` })
  const bad = await call('GET', `${path}?limit=501`)
  expect([bad.status, bad.json.message]).toEqual([
    400,
    'failed to decode request: limit must be between 1 and 500',
  ])
  expect((await call('GET', `${path}?status=x`)).status).toBe(400)
})

it('keeps the runs that are asked for', async () => {
  const clock = new ManualClock(1_700_000_000_500_000_000n)
  const call = caller(await install({ clock, noTasks: true }))
  const { id } = (await call('POST', path, { flux: flux('t') })).json
  const runs = `${path}/${id}/runs`
  const now = await call('POST', runs)
  expect(now.status).toBe(201)
  expect(now.json).toMatchObject({
    taskID: id,
    status: 'scheduled',
    scheduledFor: '2023-11-14T22:13:20Z',
    requestedAt: '2023-11-14T22:13:20.500000000Z',
    log: [],
    links: { self: `${runs}/${now.json.id}`, task: `${path}/${id}` },
  })
  const again = await call('POST', runs, {})
  expect([again.status, again.json.message]).toEqual([
    422,
    'failed to force run: run already queued',
  ])
  const later = await call('POST', runs, { scheduledFor: '2024-01-01T00:00:00Z' })
  const earlier = await call('POST', runs, { scheduledFor: '2020-01-01T01:00:00+01:00' })
  expect(earlier.json.scheduledFor).toBe('2020-01-01T00:00:00Z')
  expect((await call('POST', runs, { scheduledFor: 'soon' })).status).toBe(400)

  const listed = async (query: string) => {
    const { json } = await call('GET', `${runs}?${query}`)
    return json.runs.map((run: { id: string }) => run.id)
  }
  const all = [later.json.id, now.json.id, earlier.json.id]
  expect(await listed('')).toEqual(all)
  expect(await listed('limit=1')).toEqual(all.slice(0, 1))
  // Those made later than it, as InfluxDB has it: the ids of runs grow.
  expect((await listed(`after=${now.json.id}`)).sort()).toEqual(
    [later.json.id, earlier.json.id].sort(),
  )
  const upsideDown = 'beforeTime=2021-01-01T00:00:00Z&afterTime=2021-01-01T00:00:00Z'
  expect((await call('GET', `${runs}?${upsideDown}`)).json.message).toBe(
    'failed to decode request: beforeTime must be later than afterTime',
  )
  expect(await listed('afterTime=2021-01-01T00:00:00Z')).toEqual(all.slice(0, 2))
  expect(await listed('beforeTime=2021-01-01T00:00:00Z')).toEqual(all.slice(2))
  const bad = await call('GET', `${runs}?limit=0`)
  expect(bad.json.message).toBe('run limit is out of bounds, must be between 1 and 500')
  expect((await call('GET', `${runs}/${now.json.id}`)).json).toEqual(now.json)
  expect((await call('GET', `${runs}/${absent}`)).status).toBe(404)
})

it('cancels and retries runs', async () => {
  const call = caller(await install({ noTasks: true }))
  const { id } = (await call('POST', path, { flux: flux('t') })).json
  const runs = `${path}/${id}/runs`
  const run = (await call('POST', runs)).json
  expect((await call('DELETE', run.links.self)).status).toBe(204)
  expect((await call('DELETE', run.links.self)).status).toBe(404)
  const canceled = (await call('GET', run.links.self)).json
  expect(canceled).toMatchObject({ status: 'canceled', log: [{ message: 'Run canceled' }] })
  const event = { runID: run.id, message: 'Run canceled' }
  expect((await call('GET', run.links.logs)).json.events).toMatchObject([event])
  expect((await call('GET', `${path}/${id}/logs`)).json.events).toMatchObject([event])
  const retried = await call('POST', run.links.retry, {})
  expect(retried.status).toBe(200)
  expect(retried.json).toMatchObject({ status: 'scheduled', scheduledFor: run.scheduledFor })
  expect(retried.json.id).not.toBe(run.id)
  await call('PATCH', `${path}/${id}`, { status: 'inactive' })
  const inactive = await call('POST', run.links.retry)
  expect([inactive.status, inactive.json.message]).toEqual([
    400,
    'failed to retry run: inactive task',
  ])
  expect((await call('POST', runs)).json.message).toBe('failed to force run: inactive task')
  const other = (await call('POST', path, { flux: flux('u') })).json
  expect((await call('GET', `${path}/${other.id}/runs/${run.id}`)).status).toBe(404)
})

it('deletes runs with their task', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  const { id } = (await call('POST', path, { flux: flux('t') })).json
  await call('POST', `${path}/${id}/runs`)
  await call('DELETE', `${path}/${id}`)
  expect(await server.catalog.tasks.runs.list(id)).toEqual([])
})

it('holds the quota of its organization', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  await server.catalog.limits.change(place.orgId, { task: { maxTasks: 1 } })
  expect((await call('POST', path, { flux: flux('a') })).status).toBe(201)
  const over = await call('POST', path, { flux: flux('b') })
  expect([over.status, over.json]).toEqual([
    403,
    { code: 'forbidden', message: 'creating task would exceed quota' },
  ])
})

it('words wrong options of a change as InfluxDB does', async () => {
  const call = caller(await install())
  const flux = 'option task = {name: "t", every: 1h}\nfrom(bucket: "b") |> range(start: -1h)'
  const { id } = (await call('POST', path, { flux })).json
  const bad = await call('PATCH', `${path}/${id}`, { every: '1ms' })
  expect([bad.status, bad.json.message]).toEqual([
    400,
    'failed to update task: invalid options: every option must be at least 1 second',
  ])
  // Options that InfluxDB does not have are written into the script like the others.
  const own = { zone: 'Europe/Berlin', catchUp: 'all', timeout: '10m', late: '1d' }
  const { json } = await call('PATCH', `${path}/${id}`, { ...own, concurrency: 2, retry: 3 })
  expect(json).toMatchObject({ ...own, concurrency: 2, retry: 3 })
  const texts = 'zone: "Europe/Berlin", catchUp: "all", timeout: 10m, late: 1d'
  expect(json.flux).toContain(`{name: "t", every: 1h, ${texts}, concurrency: 2, retry: 3}`)
  const none = await call('PATCH', `${path}/${id}`, { zone: '', catchUp: '', late: '' })
  expect(none.json.flux).toContain('{name: "t", every: 1h, timeout: 10m, concurrency: 2, retry: 3}')
  expect(none.json).not.toHaveProperty('zone')
  const refused = await call('PATCH', `${path}/${id}`, { catchUp: 'most' })
  expect([refused.status, refused.json.message]).toEqual([
    400,
    'failed to update task: invalid options: catchUp must be skip, last or all, found "most"',
  ])
})
