// Telegraf configurations and plugins over HTTP: every operation, the forms in which an agent and
// a person get a configuration, and who gets in.

import { expect, it } from 'vitest'
import { caller, checkGuards, type Guarded } from './guarded.js'
import { install, send } from './harness.js'

const path = '/api/v2/telegrafs'
const config = `[agent]
  bucket = "not this"
[[outputs.influxdb_v2]]  # ours
  bucket = "one"
[[inputs.cpu]]
  bucket = "nor this"
[[outputs.influxdb_v2]]
  bucket = 'two' # more
`

it('creates, shows, lists, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const body = { name: 'my agent', description: 'd', config, orgID: place.orgId }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  const self = `${path}/${made.json.id}`
  expect(made.json).toMatchObject({
    ...body,
    metadata: { buckets: ['one', 'two'] },
    labels: [],
    links: {
      self,
      labels: `${self}/labels`,
      members: `${self}/members`,
      owners: `${self}/owners`,
    },
  })
  const list = await call('GET', `${path}?orgID=${place.orgId}`)
  expect(list.json).toEqual({ configurations: [made.json] })
  const put = await call('PUT', self, { name: 'n', config: 'x', metadata: { buckets: ['b'] } })
  expect(put.json).toMatchObject({ name: 'n', config: 'x', metadata: { buckets: ['b'] } })
  expect((await call('POST', path, { name: 'n' })).status).toBe(400)
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  expect([gone.status, gone.json.message]).toEqual([404, 'telegraf configuration not found'])
})

it('answers in the form that is asked for', async () => {
  const { url, token, ...place } = await install()
  const call = caller({ url, token, ...place })
  const made = (await call('POST', path, { name: 'my "agent"', config })).json
  const get = (accept?: string) =>
    send(`${url}${path}/${made.id}`, { token, headers: accept === undefined ? {} : { accept } })
  for (const accept of [undefined, '*/*', 'application/toml']) {
    const toml = await get(accept)
    expect(toml.text).toBe(config)
    expect(toml.headers['content-type']).toBe('application/toml; charset=utf-8')
  }
  expect((await get('application/json')).json).toEqual(made)
  const file = await get('application/octet-stream')
  expect(file.text).toBe(config)
  expect(file.headers['content-disposition']).toBe('attachment; filename="my_agent_.toml"')
})

it('lists plugins by type', async () => {
  const { url, ...place } = await install()
  const call = caller({ url, ...place })
  const { json } = await call('GET', '/api/v2/telegraf/plugins')
  expect(json).toMatchObject({ version: expect.any(String), os: expect.any(String) })
  expect(json.plugins.length).toBeGreaterThan(20)
  const names = new Set(json.plugins.map((p: { type: string; name: string }) => p.type + p.name))
  expect(names.size).toBe(json.plugins.length)
  const outputs = (await call('GET', '/api/v2/telegraf/plugins?type=output')).json.plugins
  expect(outputs.map((p: { name: string }) => p.name)).toContain('influxdb_v2')
  expect(outputs.every((p: { type: string }) => p.type === 'output')).toBe(true)
  const bad = await call('GET', '/api/v2/telegraf/plugins?type=x')
  expect([bad.status, bad.json.message]).toEqual([400, "unknown plugin type 'x'"])
  expect((await send(`${url}/api/v2/telegraf/plugins`)).status).toBe(401)
})

it.each<Guarded>([
  { method: 'GET', path: `${path}?orgID=:org`, status: 200 },
  { method: 'POST', path: `${path}?orgID=:org`, status: 201, body: { config: 'x' } },
  { method: 'GET', path: `${path}/:id`, status: 200 },
  { method: 'PUT', path: `${path}/:id`, status: 200, body: { config: 'x' } },
  { method: 'DELETE', path: `${path}/:id`, status: 204 },
])('$method $path asks for its permission', async (endpoint) => {
  const place = await install()
  const made = await place.server.catalog.telegrafs.create(place.orgId, undefined, { config })
  await checkGuards(place, 'telegrafs', made.id, endpoint)
})
