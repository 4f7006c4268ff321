// Ways to a bucket that do not ask for it: through a script, a task, a check, a mapping, a template, a copy, a message
// to a machine of ours. Each row is what somebody tries who may do everything in an organization but read or write the
// bucket `secret`, whose one point has a value that no answer may show; after all of them the bucket is as it was.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { status } from '@grpc/grpc-js'
import { expect, it, onTestFinished } from 'vitest'
import { FlightClient, jsonTicket } from '../flight/flight-client.js'
import { everythingIn, permissionOf } from './access-requests.js'
import { type Answer, caller, type Installation, install, send } from './harness.js'

const secretValue = '271828'

interface Attempt {
  readonly place: Installation
  readonly secretId: string
  /** Of somebody who may do anything but with the secret bucket. */
  readonly token: string
  post(path: string, body: unknown): Promise<Answer>
  /** What it answers, over `/query`. */
  statement(text: string): Promise<string>
  flux(script: string): Promise<Answer>
  /** The error of a task's run, made by them. */
  taskError(flux: string): Promise<string>
  /** An address on this machine that notes whoever comes. */
  readonly trap: string
}

type Row = (attempt: Attempt) => Promise<string | number>

const readSecret = 'from(bucket: "secret") |> range(start: 0)'
const writeSecret = 'to(bucket: "secret")'
const made =
  'array.from(rows: [{_time: 2000-01-01T00:00:00Z, _measurement: "m", _field: "f", _value: 1.0}])'
const task = 'option task = {name: "t", every: 1h}'
const unauthorized = /unauthorized|insufficient permissions|not authorized/

/** What is tried, what comes of it. */
const rows: Readonly<Record<string, readonly [Row, RegExp | number | string]>> = {
  'SELECT INTO': [({ statement }) => statement('SELECT f INTO secret..x FROM m'), unauthorized],
  'SELECT from it INTO an own one': [
    ({ statement }) => statement('SELECT f INTO x FROM secret..m'),
    unauthorized,
  ],
  'a continuous query': [
    ({ statement }) =>
      statement(
        'CREATE CONTINUOUS QUERY q ON b BEGIN SELECT mean(f) INTO secret..x FROM m GROUP BY time(1h) END',
      ),
    unauthorized,
  ],
  'a sub-query': [
    ({ statement }) => statement('SELECT f FROM (SELECT f FROM secret..m)'),
    unauthorized,
  ],
  'DROP of it': [({ statement }) => statement('DROP DATABASE secret'), unauthorized],
  'a grant of what one does not have': [
    ({ statement }) =>
      statement("CREATE USER mallory WITH PASSWORD '12345678' WITH ALL PRIVILEGES"),
    unauthorized,
  ],
  'to()': [
    async ({ flux }) => (await flux(`import "array"\n${made} |> ${writeSecret}`)).text,
    unauthorized,
  ],
  'from() beside what one may read': [
    async ({ flux }) =>
      (await flux(`union(tables: [from(bucket: "b") |> range(start: 0), ${readSecret}])`)).text,
    unauthorized,
  ],
  'tableFind()': [
    async ({ flux }) =>
      (
        await flux(`import "array"
x = ${readSecret} |> findRecord(fn: (key) => true, idx: 0)
array.from(rows: [{v: string(v: x._value)}])`)
      ).text,
    unauthorized,
  ],
  'schema.measurements()': [
    async ({ flux }) =>
      (await flux('import "influxdata/influxdb/schema"\nschema.measurements(bucket: "secret")'))
        .text,
    unauthorized,
  ],
  'a task that reads': [
    ({ taskError }) => taskError(`${task}\n${readSecret} |> to(bucket: "b")`),
    unauthorized,
  ],
  'a task that writes': [
    ({ taskError }) => taskError(`import "array"\n${task}\n${made} |> ${writeSecret}`),
    unauthorized,
  ],
  'a check': [
    async ({ place, post }) => {
      const thresholds = [{ type: 'greater', level: 'CRIT', value: 1 }]
      const text = `${readSecret} |> filter(fn: (r) => r._field == "f") |> aggregateWindow(every: 1m, fn: mean)`
      const body = {
        ...{ orgID: place.orgId, name: 'c', type: 'threshold', status: 'active', every: '1m' },
        ...{ thresholds, query: { text }, statusMessageTemplate: '${r.f}' },
      }
      const { json } = await post('/api/v2/checks', body)
      const span = { start: '1970-01-01T00:00:00Z', stop: '1970-01-01T00:01:00Z' }
      return (await post(`/api/v2/checks/${json.id}/test`, span)).text
    },
    unauthorized,
  ],
  'a script of somebody who may': [
    async ({ place, post }) => {
      const body = { orgID: place.orgId, name: 's', script: readSecret, language: 'flux' }
      const { json } = await caller(place)('POST', '/api/v2/scripts', body)
      return (await post(`/api/v2/scripts/${json.id}/invoke`, {})).text
    },
    unauthorized,
  ],
  'a mapping to it': [
    async ({ place, secretId, post }) =>
      (
        await post('/api/v2/dbrps', {
          ...{ orgID: place.orgId, bucketID: secretId, database: 'open', retention_policy: 'p' },
        })
      ).status,
    401,
  ],
  'an export as a template': [
    async ({ secretId, post }) =>
      (await post('/api/v2/templates/export', { resources: [{ kind: 'Bucket', id: secretId }] }))
        .status,
    401,
  ],
  'a template that changes it': [
    async ({ place, post }) => {
      const spec = { name: 'secret', retentionRules: [{ type: 'expire', everySeconds: 3600 }] }
      const metadata = { name: 'secret' }
      const contents = [{ apiVersion: 'influxdata.com/v2alpha1', kind: 'Bucket', metadata, spec }]
      return (await post('/api/v2/templates/apply', { orgID: place.orgId, template: { contents } }))
        .status
    },
    401,
  ],
  'a token for it': [
    async ({ place, secretId, post }) =>
      (
        await post('/api/v2/authorizations', {
          orgID: place.orgId,
          permissions: [{ action: 'read', resource: { type: 'buckets', id: secretId } }],
        })
      ).status,
    401,
  ],
  'SQL across databases': [
    async ({ place, token }) => {
      const q = encodeURIComponent('SELECT * FROM secret.iox.m')
      return (await send(`${place.url}/api/v3/query_sql?db=b&q=${q}`, { token })).text
    },
    /not found|unauthorized|not authorized|only/i,
  ],
  'a label on it': [
    async ({ place, secretId, post }) => {
      const { json } = await post('/api/v2/labels', { orgID: place.orgId, name: 'l' })
      return (await post(`/api/v2/buckets/${secretId}/labels`, { labelID: json.label.id })).status
    },
    401,
  ],
  'a request of a script to this machine': [
    async ({ flux, trap }) =>
      (
        await flux(
          `import "array"\nimport "http/requests"\narray.from(rows: [{v: requests.get(url: "${trap}").statusCode}])`,
        )
      ).text,
    /no such host/,
  ],
  'a copy from this machine': [
    async ({ flux, trap }) =>
      (await flux(`from(bucket: "b", host: "${trap}", token: "t") |> range(start: 0)`)).text,
    /reaching another host is not available/,
  ],
  'a message to this machine': [
    async ({ place, post, trap }) => {
      const http = { type: 'http', url: trap, method: 'POST', authMethod: 'none' }
      const body = { orgID: place.orgId, name: 'e', status: 'active', ...http }
      const { json } = await post('/api/v2/notificationEndpoints', body)
      return (await post(`/api/v2/notificationEndpoints/${json.id}/test`, {})).text
    },
    /no such host/,
  ],
  Flight: [
    ({ place, token }) => overFlight(place, { authorization: `Bearer ${token}` }),
    'PERMISSION_DENIED',
  ],
  'Flight with the cookie of a page': [
    ({ place }) => overFlight(place, { cookie: 'influxdb-oss-session=any' }),
    'UNAUTHENTICATED',
  ],
}

async function overFlight(place: Installation, headers: Record<string, string>): Promise<string> {
  const client = new FlightClient(place.url, { ...headers, database: 'secret' })
  const ticket = jsonTicket({ database: 'secret', sql_query: 'SELECT * FROM m', query_type: 'sql' })
  return status[(await client.refusal('DoGet', ticket)).code]
}

async function listen(): Promise<{ url: string; readonly visits: string[] }> {
  const visits: string[] = []
  const server: Server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, visits }
}

/** Everything in the organization, but of buckets the one. */
async function userWithToken(place: Installation): Promise<{ userId: string; token: string }> {
  const { orgId, bucketId } = place
  const call = caller(place)
  const userId = (await call('POST', '/api/v2/users', { name: 'mallory' })).json.id
  const others = everythingIn(orgId).filter(({ resource: { type } }) => type !== 'buckets')
  const own = ['read', 'write'].map((action) =>
    permissionOf(`${action}-buckets-${bucketId}`, orgId),
  )
  const self = ['read', 'write'].map((action) => permissionOf(`${action}-users-${userId}`, orgId))
  const body = { orgID: orgId, userID: userId, permissions: [...others, ...own, ...self] }
  const made = await call('POST', '/api/v2/authorizations', body)
  expect(made.status, made.text).toBe(201)
  return { userId, token: made.json.token }
}

async function attempt(): Promise<Attempt & { userId: string; visits: readonly string[] }> {
  const place = await install()
  const { url, orgId } = place
  const call = caller(place)
  const bucket = { orgID: orgId, name: 'secret', retentionRules: [] }
  const secretId = (await call('POST', '/api/v2/buckets', bucket)).json.id
  await place.writeV1(`m f=${secretValue} 1`, { query: '?db=secret' })
  await place.write('m f=1 1')
  const { token, userId } = await userWithToken(place)
  const { url: trap, visits } = await listen()
  const post: Attempt['post'] = (path, body) =>
    send(`${url}${path}`, { method: 'POST', token, body: JSON.stringify(body) })
  const statement = async (text: string) =>
    (await send(`${url}/query?db=b&q=${encodeURIComponent(text)}`, { method: 'POST', token })).text
  const flux = (query: string) => post(`/api/v2/query?orgID=${orgId}`, { query, type: 'flux' })
  const taskError = async (script: string) => {
    const { json } = await post('/api/v2/tasks', { orgID: orgId, flux: script })
    return runError(call, json.id)
  }
  return { place, secretId, token, userId, post, statement, flux, taskError, trap, visits }
}

async function runError(call: ReturnType<typeof caller>, id: string): Promise<string> {
  const asked = await call('POST', `/api/v2/tasks/${id}/runs`, {})
  expect(asked.status, asked.text).toBe(201)
  const state = async () => (await call('GET', asked.json.links.self)).json.status
  await expect.poll(state, { timeout: 20_000 }).toBe('failed')
  return (await call('GET', `/api/v2/tasks/${id}`)).json.lastRunError
}

it('opens no other way to what somebody may not see or change', async () => {
  const one = await attempt()
  const before = await one.place.lines('secret')
  for (const [name, [row, expected]] of Object.entries(rows)) {
    const found = await row(one)
    const what = `${name}: ${found}`
    if (expected instanceof RegExp) expect(found, what).toMatch(expected)
    else expect(found, what).toBe(expected)
    expect(String(found), what).not.toContain(secretValue)
  }
  expect(await one.place.lines('secret')).toEqual(before)
  expect((await one.place.lines('b')).join()).not.toContain(secretValue)
  expect(one.visits).toEqual([])
  // A task goes on only as long as its owner is there.
  const call = caller(one.place)
  const flux = `import "array"\n${task}\n${made} |> to(bucket: "b")`
  const { json } = await one.post('/api/v2/tasks', { orgID: one.place.orgId, flux })
  await call('DELETE', `/api/v2/users/${one.userId}`)
  expect(await runError(call, json.id)).toBe('task owner is gone: set a new one')
  expect((await one.flux('buckets()')).status).toBe(401)
})
