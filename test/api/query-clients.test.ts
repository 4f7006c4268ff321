// What well-known clients send over HTTP, one after the other, and the parts of the answers that they
// look at: Telegraf, Grafana in InfluxQL mode, Home Assistant, Chronograf, Kapacitor, openHAB, Node-RED.

import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Answer, adminToken, install, send, start } from './harness.js'

type Texts = Readonly<Record<string, string>>

/** A client that sends its login in the header, as most do. */
interface Client {
  get(path: string, parameters?: Texts, headers?: Texts): Promise<Answer>
  post(path: string, parameters: Texts, body: string | Uint8Array, headers?: Texts): Promise<Answer>
  /** `q` in a form. */
  form(parameters: Texts, form: Texts): Promise<Answer>
}

function clientOf(url: string, token: string): Client {
  const basic = Buffer.from(`client:${token}`).toString('base64')
  const authorization = `Basic ${basic}`
  const target = (path: string, parameters: Texts) =>
    `${url}${path}?${new URLSearchParams(parameters)}`
  const post: Client['post'] = (path, parameters, body, headers = {}) =>
    send(target(path, parameters), { method: 'POST', body, headers: { authorization, ...headers } })
  return {
    get: (path, parameters = {}, headers = {}) =>
      send(target(path, parameters), { headers: { authorization, ...headers } }),
    post,
    form: (parameters, form) =>
      post('/query', parameters, `${new URLSearchParams(form)}`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
  }
}

const managed = async () => {
  const { url, token } = await install()
  return clientOf(url, token)
}
const cluster = async () =>
  clientOf((await start({ variant: 'cluster', adminToken })).url, adminToken)

const variants = [
  ['managed', managed],
  ['cluster', cluster],
] as const

const seriesOf = (answer: Answer) => answer.json.results[0].series ?? []
const valuesOf = (answer: Answer) => seriesOf(answer)[0]?.values ?? []

const now = () => `${Date.now()}000000`

describe.each(variants)('%s', (_name, make) => {
  it('Telegraf makes its database and writes', async () => {
    const client = await make()
    const made = await client.form({}, { q: 'CREATE DATABASE "telegraf"' })
    expect(made.status).toBe(200)
    expect(made.headers['content-type']).toMatch(/^application\/json/)
    expect(made.json).toEqual({ results: [{ statement_id: 0 }] })
    // It does so at every start.
    expect((await client.form({}, { q: 'CREATE DATABASE "telegraf"' })).json).toEqual(made.json)
    const lines = `cpu,host=a,cpu=cpu-total usage_idle=99.5,n=3i ${now()}\n`
    const type = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'Telegraf/1.30.0' }
    const plain = await client.post(
      '/write',
      { db: 'telegraf', rp: '', consistency: 'any' },
      lines,
      type,
    )
    expect(plain.status).toBe(204)
    const packed = { ...type, 'content-encoding': 'gzip' }
    expect((await client.post('/write', { db: 'telegraf' }, gzipSync(lines), packed)).status).toBe(
      204,
    )
    const read = await client.get('/query', { db: 'telegraf', q: 'SELECT n FROM cpu' })
    expect(valuesOf(read)).toHaveLength(1)
  })

  it('Telegraf knows partial writes by their words', async () => {
    const client = await make()
    await client.form({}, { q: 'CREATE DATABASE "telegraf"' })
    await client.post('/write', { db: 'telegraf' }, `m f=1 ${now()}`)
    const conflict = await client.post(
      '/write',
      { db: 'telegraf' },
      `m f="x" ${now()}\nm g=1 ${now()}`,
    )
    expect(conflict.status).toBe(400)
    expect(conflict.text).toMatch(/partial write/)
    expect(conflict.text).toMatch(/field type conflict/)
    const read = await client.get('/query', { db: 'telegraf', q: 'SELECT g FROM m' })
    expect(valuesOf(read)).toHaveLength(1)
    const broken = await client.post('/write', { db: 'telegraf' }, 'not line protocol')
    expect(broken.status).toBe(400)
    expect(broken.text).toMatch(/unable to parse|no data written/)
  })

  it('every answer names the version, for those who ask before they work', async () => {
    const client = await make()
    for (const path of ['/ping', '/query', '/health']) {
      const { headers } = await client.get(path, path === '/query' ? { q: 'SHOW DATABASES' } : {})
      expect(headers['x-influxdb-version']).toMatch(path === '/ping' ? /^\d+\.\d+/ : /^v?\d+\.\d+/)
      expect(headers['x-influxdb-version']).not.toMatch(/-c|relay/)
      expect(headers['x-influxdb-build']).toBeTruthy()
      expect(headers['request-id'] ?? headers['x-request-id']).toBeTruthy()
    }
    expect((await client.get('/ping', { wait_for_leader: '30s' })).status).toBe(204)
    const verbose = await client.get('/ping', { verbose: 'true' })
    expect(verbose.json.version).toMatch(/^\d/)
  })

  it('Grafana checks its source, builds queries and draws', async () => {
    const client = await make()
    await client.form({}, { q: 'CREATE DATABASE "metrics"' })
    const at = Math.floor(Date.now() / 60_000) * 60_000
    const point = (host: string, value: number, ago: number) =>
      `cpu,host=${host},dc=eu\\ west usage=${value} ${at - ago}000000`
    const lines = [point('a', 1, 90_000), point('a', 2, 30_000), point('b', 3, 30_000)]
    await client.post('/write', { db: 'metrics' }, lines.join('\n'))
    const shared = { db: 'metrics', epoch: 'ms' }
    const ask = (q: string) => client.form(shared, { q })

    expect(valuesOf(await client.get('/query', { ...shared, q: 'SHOW measurements' }))).toEqual([
      ['cpu'],
    ])
    const policies = await ask('SHOW RETENTION POLICIES on "metrics"')
    const [{ columns }] = seriesOf(policies)
    expect(columns[0]).toBe('name')
    expect(valuesOf(policies)[0][columns.indexOf('default')]).toBe(true)
    expect(valuesOf(await ask('SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i)CP/ LIMIT 100'))).toEqual(
      [['cpu']],
    )
    expect(valuesOf(await ask('SHOW TAG KEYS FROM "autogen"."cpu"'))).toEqual([['dc'], ['host']])
    const values = `SHOW TAG VALUES FROM "cpu" WITH KEY = "host" WHERE "dc" = 'eu west'`
    expect(valuesOf(await ask(values))).toEqual([
      ['host', 'a'],
      ['host', 'b'],
    ])
    expect(valuesOf(await ask('SHOW FIELD KEYS FROM "cpu"'))).toEqual([['usage', 'float']])
    const template = 'SHOW TAG VALUES WITH KEY = "host"'
    expect(seriesOf(await ask(template))[0].columns).toEqual(['key', 'value'])

    const range = `time >= ${at - 120_000}ms and time <= ${at}ms`
    const filter = `("host"::tag =~ /^(a|b)$/) AND ${range}`
    const panel = `SELECT mean("usage") FROM "cpu" WHERE ${filter} GROUP BY time(1m), "host"::tag fill(null)`
    const drawn = await ask(panel)
    expect(seriesOf(drawn).map(({ tags }: { tags: Texts }) => tags)).toEqual([
      { host: 'a' },
      { host: 'b' },
    ])
    expect(seriesOf(drawn)[0]).toMatchObject({ name: 'cpu', columns: ['time', 'mean'] })
    expect(seriesOf(drawn)[0].values).toEqual([
      [at - 120_000, 1],
      [at - 60_000, 2],
      [at, null],
    ])
    const two =
      'SELECT last("usage") FROM "cpu" WHERE time > now() - 1h;SELECT count("usage") FROM "cpu" WHERE time > now() - 1h'
    const results = (await ask(two)).json.results
    expect(results.map(({ statement_id }: { statement_id: number }) => statement_id)).toEqual([
      0, 1,
    ])
    const table = await ask('SELECT * FROM "cpu" ORDER BY time DESC LIMIT 1')
    expect(valuesOf(table)).toHaveLength(1)
    const bad = await ask('SELECT mean("usage" FROM "cpu"')
    expect(bad.status).toBe(400)
    expect(bad.json.error).toMatch(/^error parsing query: found FROM, expected \)/)
  })

  it('Home Assistant tests its connection, writes and reads', async () => {
    const client = await make()
    await client.form({}, { q: 'CREATE DATABASE "home_assistant"' })
    const db = { db: 'home_assistant' }
    expect((await client.post('/write', db, '\n')).status).toBe(204)
    const databases = await client.get('/query', { q: 'SHOW DATABASES;' })
    expect(valuesOf(databases)).toContainEqual(['home_assistant'])
    const lines = [
      `°C,domain=sensor,entity_id=outside value=21.5,friendly_name_str="Out\\"side" ${now()}`,
      `%,domain=sensor,entity_id=battery value=99 ${now()}`,
    ]
    expect((await client.post('/write', db, lines.join('\n'))).status).toBe(204)
    const q = `select last(value) as value from "°C" where "entity_id" = 'outside'`
    expect(valuesOf(await client.get('/query', { ...db, q }))[0][1]).toBe(21.5)
    const names = await client.get('/query', { ...db, q: 'SHOW MEASUREMENTS' })
    expect(valuesOf(names)).toEqual([['%'], ['°C']])
    const recent = `time > now() - 1h AND "entity_id" = 'outside' GROUP BY time(30m) FILL(previous)`
    const mean = `SELECT mean("value") AS "mean_value" FROM "°C" WHERE ${recent}`
    const averaged = await client.get('/query', { ...db, q: mean })
    expect(valuesOf(averaged).at(-1)[1]).toBe(21.5)
  })

  it('Chronograf lists what there is', async () => {
    const client = await make()
    await client.form({}, { q: 'CREATE DATABASE "telegraf"' })
    await client.post('/write', { db: 'telegraf' }, `cpu,host=a usage=1 ${now()}`)
    const get = (q: string, more: Texts = {}) => client.get('/query', { q, ...more })
    expect(valuesOf(await get('SHOW DATABASES'))).toContainEqual(['telegraf'])
    expect(seriesOf(await get('SHOW RETENTION POLICIES ON "telegraf"'))[0].columns).toEqual(
      expect.arrayContaining(['name', 'duration', 'shardGroupDuration', 'replicaN', 'default']),
    )
    expect(valuesOf(await get('SHOW MEASUREMENTS ON "telegraf" LIMIT 100 OFFSET 0'))).toEqual([
      ['cpu'],
    ])
    expect(valuesOf(await get('SHOW TAG KEYS ON "telegraf" FROM "cpu"'))).toEqual([['host']])
    expect(valuesOf(await get('SHOW FIELD KEYS ON "telegraf" FROM "cpu"'))).toEqual([
      ['usage', 'float'],
    ])
    expect(valuesOf(await get('SHOW SERIES ON "telegraf" LIMIT 10'))).toEqual([['cpu,host=a']])
    const stats = await get('SHOW STATS')
    expect(stats.json.results[0].error).toBeUndefined()
    const diagnostics = await get('SHOW DIAGNOSTICS')
    expect(seriesOf(diagnostics).map(({ name }: { name: string }) => name)).toContain('system')
    const queries = seriesOf(await get('SHOW QUERIES'))[0]
    expect(queries.columns.slice(0, 4)).toEqual(['qid', 'query', 'database', 'duration'])
  })

  it('openHAB and Node-RED ask in their own ways', async () => {
    const client = await make()
    await client.form({}, { q: 'CREATE DATABASE "openhab"' })
    await client.post(
      '/write',
      { db: 'openhab', precision: 'ms' },
      `Light,item=Light value=1 ${Date.now()}`,
    )
    const q = 'SELECT "value"::field,"item"::tag FROM "autogen"."Light" ORDER BY time DESC LIMIT 1;'
    const answer = await client.get('/query', {
      db: 'openhab',
      q,
      epoch: 'ms',
      precision: '',
      rp: '',
    })
    expect(seriesOf(answer)[0].columns).toEqual(['time', 'value', 'item'])
    expect(valuesOf(answer)[0].slice(1)).toEqual([1, 'Light'])
    const empty = { db: 'openhab', q: 'select * from Light', epoch: '', rp: '', params: '{}' }
    expect(typeof valuesOf(await client.get('/query', empty))[0][0]).toBe('string')
  })
})

it('Chronograf and Kapacitor manage users, grants and subscriptions', async () => {
  const client = await managed()
  await client.form({}, { q: 'CREATE DATABASE "telegraf"' })
  const ask = (q: string) => client.form({}, { q })
  const none = { results: [{ statement_id: 0 }] }
  expect((await ask(`CREATE USER "op" WITH PASSWORD 'a long password'`)).json).toEqual(none)
  expect((await ask('GRANT READ ON "telegraf" TO "op"')).json).toEqual(none)
  expect(seriesOf(await ask('SHOW USERS'))[0].columns).toEqual(['user', 'admin'])
  expect(valuesOf(await ask('SHOW GRANTS FOR "op"'))).toEqual([['telegraf', 'READ']])
  const made = `CREATE SUBSCRIPTION "kapacitor-x" ON "telegraf"."autogen" DESTINATIONS ANY 'http://127.0.0.1:9092'`
  expect((await ask(made)).json).toEqual(none)
  const shown = seriesOf(await ask('SHOW SUBSCRIPTIONS'))
  expect(shown[0]).toMatchObject({
    name: 'telegraf',
    columns: ['retention_policy', 'name', 'mode', 'destinations'],
    values: [['autogen', 'kapacitor-x', 'ANY', ['http://127.0.0.1:9092']]],
  })
  expect((await ask('DROP SUBSCRIPTION "kapacitor-x" ON "telegraf"."autogen"')).json).toEqual(none)
})

it('Home Assistant and Telegraf know what is missing by its words', async () => {
  const client = await managed()
  const missing = await client.get('/query', { db: 'nowhere', q: 'SELECT * FROM m' })
  expect(missing.json.results[0].error).toBe('database not found: nowhere')
  const { url } = await start()
  const refused = await send(`${url}/query?q=SHOW+DATABASES&u=x&p=y`)
  expect(refused.status).toBe(401)
  expect(refused.json.error).toBe('authorization failed')
})
