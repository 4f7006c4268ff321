// Telegraf configurations and plugins over HTTP: every operation, the forms in which an agent and
// a person get a configuration, and who gets in.

import { expect, it } from 'vitest'
import { caller, install, send } from './harness.js'

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
  expect(list.json).toEqual({ configurations: [made.json], links: { self: path } })
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

it('makes a text of a list of plugins', async () => {
  const call = caller(await install())
  const plugins = [
    { type: 'input', name: 'cpu', config: {} },
    { type: 'input', name: 'nginx', config: { urls: ['http://a', 'say "b"'] } },
    { type: 'input', name: 'brand_new', config: { x: 1 } },
    {
      type: 'output',
      name: 'file',
      config: { files: [{ type: 'stdout' }, { type: 'path', path: '/a\tb' }] },
    },
    {
      type: 'output',
      name: 'influxdb_v2',
      config: { urls: ['http://c'], token: 't', organization: 'o', bucket: 'b' },
    },
  ]
  const made = await call('POST', path, { name: 'old', plugins, config: 'not this' })
  expect(made.status).toBe(201)
  expect(made.json.metadata).toEqual({ buckets: ['b'] })
  expect(made.json.config).toMatch(/^\[agent\]\n {2}interval = "10s"\n/)
  expect(made.json.config).toContain(`
[[inputs.cpu]]
  percpu = true
  totalcpu = true
  collect_cpu_time = false
[[inputs.nginx]]
  urls = ["http://a", "say \\"b\\""]
  response_timeout = "5s"
[[outputs.file]]
  files = ["stdout", "/a\\tb"]
  data_format = "influx"
[[outputs.influxdb_v2]]
  urls = ["http://c"]
  token = "t"
  organization = "o"
  bucket = "b"
`)
  const bare = (await call('PUT', made.json.links.self, { name: 'bare', plugins: [] })).json
  expect(bare.metadata).toEqual({ buckets: [] })
  expect(bare.config).toContain('\n[[outputs.influxdb_v2]]\n  urls = []\n  token = ""\n')
})

it.each([
  [{ type: 'aggregator', name: 'minmax' }, 'unsupported telegraf plugin type aggregator'],
  [{ type: 'output', name: 'kafka' }, 'unsupported telegraf plugin kafka, type output'],
  [{ type: 'output', name: 'constructor' }, 'unsupported telegraf plugin constructor, type output'],
  [{ type: 'input', name: 'tail', config: [] }, 'config of telegraf plugin tail must be an object'],
  [
    { type: 'input', name: 'tail', config: { files: 'x' } },
    'files of telegraf plugin tail must be a list',
  ],
  [
    { type: 'input', name: 'tail', config: { files: [1] } },
    'files of telegraf plugin tail must be a list of strings',
  ],
  [
    { type: 'input', name: 'docker', config: { endpoint: 1 } },
    'endpoint of telegraf plugin docker must be a string',
  ],
])('refuses plugin %j', async (plugin, message) => {
  const answer = await caller(await install())('POST', path, { plugins: [plugin] })
  expect([answer.status, answer.json.message]).toEqual([400, message])
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
  const plural = await call('GET', '/api/v2/telegraf/plugins?type=outputs')
  expect(plural.json.plugins).toEqual(outputs)
  const bad = await call('GET', '/api/v2/telegraf/plugins?type=x')
  expect([bad.status, bad.json.message]).toEqual([400, "unknown plugin type 'x'"])
  expect((await send(`${url}/api/v2/telegraf/plugins`)).status).toBe(401)
})
