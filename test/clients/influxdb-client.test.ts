// The official JavaScript client of InfluxDB 2 and its API package, unmodified, against a running
// server: set-up, the life cycle of resources, writes in every way the client has, and deletes. What
// they send and expect is nobody's choice here.

import { HttpError, InfluxDB, Point, setLogger } from '@influxdata/influxdb-client'
import {
  AuthorizationsAPI,
  BucketsAPI,
  DashboardsAPI,
  DbrpsAPI,
  DeleteAPI,
  HealthAPI,
  LabelsAPI,
  MeAPI,
  OrgsAPI,
  PingAPI,
  ReadyAPI,
  RootAPI,
  SetupAPI,
  SigninAPI,
  SignoutAPI,
  TasksAPI,
  UsersAPI,
  VariablesAPI,
} from '@influxdata/influxdb-client-apis'
import { expect, it } from 'vitest'
import { send, start } from '../api/harness.js'

// Failures are what some of these tests are about: the client need not print them.
setLogger({ error: () => undefined, warn: () => undefined })

async function setUp() {
  const server = await start()
  const { url } = server
  const onboarding = await new SetupAPI(new InfluxDB({ url, timeout: 60_000 })).postSetup({
    body: {
      username: 'operator',
      password: 'a-long-password',
      org: 'home',
      bucket: 'sensors',
      retentionPeriodSeconds: 0,
    },
  })
  const token = onboarding.auth?.token ?? ''
  const client = new InfluxDB({ url, timeout: 60_000, token, writeOptions: { maxRetries: 0 } })
  const orgID = onboarding.org?.id ?? ''
  const lines = async () => {
    const answer = await send(`${url}/debug/export?org=home&bucket=sensors`, { token })
    return answer.text.split('\n').filter((line) => line !== '')
  }
  return { url, client, token, orgID, bucketID: onboarding.bucket?.id ?? '', lines }
}

it('sets up once', async () => {
  const { url } = await setUp()
  const setup = new SetupAPI(new InfluxDB({ url, timeout: 60_000 }))
  expect(await setup.getSetup()).toMatchObject({ allowed: false })
  const again = { username: 'x', password: 'a-long-password', org: 'x', bucket: 'x' }
  await expect(setup.postSetup({ body: again })).rejects.toBeInstanceOf(HttpError)
})

it('writes points in batches, with default tags, gzip and every precision', async () => {
  const { client, lines } = await setUp()
  for (const precision of ['ns', 'us', 'ms', 's'] as const) {
    const api = client.getWriteApi('home', 'sensors', precision, {
      gzipThreshold: precision === 's' ? 1 : 1000,
      maxRetries: 0,
    })
    api.useDefaultTags({ p: precision })
    const point = new Point('m').tag('a b', 'x,=y').floatField('f', 1.5).intField('i', 2)
    api.writePoint(point.uintField('u', 3).stringField('s', 'say "hi"').booleanField('b', true))
    api.writeRecord(`raw,t=1 v=1 ${precision === 's' ? 1700000000 : 1700000000000}`)
    await api.close()
  }
  const stored = await lines()
  expect(stored.filter((line) => line.startsWith('m,'))).toHaveLength(4)
  expect(stored.find((line) => line.startsWith('m,'))).toContain(
    'b=true,f=1.5,i=2i,s="say \\"hi\\"",u=3u',
  )
})

it('tells a failed write as the client expects it', async () => {
  const { client } = await setUp()
  const failures: Error[] = []
  const api = client.getWriteApi('home', 'sensors', 'ns', {
    maxRetries: 0,
    writeFailed: (error) => {
      failures.push(error)
    },
  })
  api.writeRecord('not line protocol')
  await api.close().catch(() => undefined)
  const [error] = failures as HttpError[]
  expect(error).toBeInstanceOf(HttpError)
  expect(error?.statusCode).toBe(400)
  expect(error?.code).toBe('invalid')
  expect(error?.message).toContain('unable to parse')
  const missing = client.getWriteApi('home', 'nowhere', 'ns', { maxRetries: 0 })
  missing.writeRecord('m f=1')
  await expect(missing.close()).rejects.toMatchObject({ statusCode: 404 })
})

it('deletes by predicate', async () => {
  const { client, lines } = await setUp()
  const api = client.getWriteApi('home', 'sensors', 's')
  api.writeRecords(['m,t=a f=1 100', 'm,t=b f=2 100', 'n,t=a f=3 100'])
  await api.close()
  await new DeleteAPI(client).postDelete({
    org: 'home',
    bucket: 'sensors',
    body: {
      start: '1970-01-01T00:00:00Z',
      stop: '1970-01-02T00:00:00Z',
      predicate: '_measurement="m" AND t="a"',
    },
  })
  expect(await lines()).toEqual(['m,t=b f=2 100000000000', 'n,t=a f=3 100000000000'])
})

it('makes, lists, changes and deletes buckets with labels and members', async () => {
  const { client, orgID } = await setUp()
  const buckets = new BucketsAPI(client)
  const made = await buckets.postBuckets({
    body: { orgID, name: 'b1', retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
  })
  const bucketID = made.id ?? ''
  const found = await buckets.getBuckets({ org: 'home', name: 'b1' })
  expect(found.buckets?.map(({ id }) => id)).toEqual([bucketID])
  const patched = await buckets.patchBucketsID({
    bucketID,
    body: { description: 'd', retentionRules: [{ type: 'expire', everySeconds: 7200 }] },
  })
  expect(patched.retentionRules[0]?.everySeconds).toBe(7200)
  const label = await new LabelsAPI(client).postLabels({ body: { orgID, name: 'blue' } })
  const labelID = label.label?.id ?? ''
  await buckets.postBucketsIDLabels({ bucketID, body: { labelID } })
  expect((await buckets.getBucketsIDLabels({ bucketID })).labels?.[0]?.name).toBe('blue')
  await buckets.deleteBucketsIDLabelsID({ bucketID, labelID })
  const user = await new UsersAPI(client).postUsers({ body: { name: 'guest' } })
  await buckets.postBucketsIDMembers({ bucketID, body: { id: user.id ?? '' } })
  expect((await buckets.getBucketsIDMembers({ bucketID })).users).toHaveLength(1)
  await buckets.deleteBucketsID({ bucketID })
  await expect(buckets.getBucketsID({ bucketID })).rejects.toMatchObject({ statusCode: 404 })
})

it('manages organizations, users, secrets and authorizations', async () => {
  const { url, client, orgID, bucketID } = await setUp()
  const orgs = new OrgsAPI(client)
  expect((await orgs.getOrgs()).orgs?.map(({ name }) => name)).toEqual(['home'])
  const other = await orgs.postOrgs({ body: { name: 'other' } })
  await orgs.deleteOrgsID({ orgID: other.id ?? '' })
  await orgs.patchOrgsIDSecrets({ orgID, body: { key: 'value' } })
  expect((await orgs.getOrgsIDSecrets({ orgID })).secrets).toEqual(['key'])
  const authorizations = new AuthorizationsAPI(client)
  const made = await authorizations.postAuthorizations({
    body: {
      orgID,
      description: 'writer',
      permissions: [{ action: 'write', resource: { type: 'buckets', id: bucketID, orgID } }],
    },
  })
  const writer = new InfluxDB({ url, timeout: 60_000, token: made.token ?? '' })
  const api = writer.getWriteApi('home', 'sensors', 's', { maxRetries: 0 })
  api.writeRecord('m f=1 1')
  await api.close()
  const authID = made.id ?? ''
  await authorizations.patchAuthorizationsID({ authID, body: { status: 'inactive' } })
  const refused = writer.getWriteApi('home', 'sensors', 's', { maxRetries: 0 })
  refused.writeRecord('m f=1 2')
  await expect(refused.close()).rejects.toMatchObject({ statusCode: 401 })
  await authorizations.deleteAuthorizationsID({ authID })
})

it('signs in and out', async () => {
  const { url, client } = await setUp()
  expect((await new MeAPI(client).getMe()).name).toBe('operator')
  const guest = new InfluxDB({ url, timeout: 60_000 })
  const auth = { user: 'operator', password: 'a-long-password' }
  let cookie = ''
  await new SigninAPI(guest).postSignin(
    { auth },
    {
      responseStarted: (headers) => {
        cookie = String(headers['set-cookie']).split(';')[0] ?? ''
      },
    },
  )
  expect(cookie).not.toBe('')
  const headers = { cookie }
  expect((await new MeAPI(guest).getMe(undefined, { headers })).name).toBe('operator')
  await new SignoutAPI(guest).postSignout(undefined, { headers })
  await expect(new MeAPI(guest).getMe(undefined, { headers })).rejects.toMatchObject({
    statusCode: 401,
  })
})

it('manages variables, dashboards, tasks and mappings', async () => {
  const { client, orgID, bucketID } = await setUp()
  const variables = new VariablesAPI(client)
  const variable = await variables.postVariables({
    body: { orgID, name: 'v', arguments: { type: 'constant', values: ['a'] } },
  })
  expect((await variables.getVariables({ orgID })).variables?.map(({ id }) => id)).toEqual([
    variable.id,
  ])
  await variables.deleteVariablesID({ variableID: variable.id ?? '' })
  const dashboards = new DashboardsAPI(client)
  const dashboard = await dashboards.postDashboards({ body: { orgID, name: 'd' } })
  const dashboardID = String((dashboard as { id?: string }).id)
  const cell = await dashboards.postDashboardsIDCells({
    dashboardID,
    body: { name: 'c', x: 0, y: 0, w: 4, h: 4 },
  })
  const cellID = cell.id ?? ''
  await dashboards.getDashboardsIDCellsIDView({ dashboardID, cellID })
  await dashboards.deleteDashboardsID({ dashboardID })
  const tasks = new TasksAPI(client)
  const flux =
    'option task = {name: "t", every: 1h}\n\nfrom(bucket: "sensors") |> range(start: -1h)'
  const task = await tasks.postTasks({ body: { orgID, flux } })
  expect(task).toMatchObject({ name: 't', every: '1h' })
  expect((await tasks.getTasks({ orgID })).tasks).toHaveLength(1)
  await tasks.deleteTasksID({ taskID: task.id })
  const dbrps = new DbrpsAPI(client)
  const dbrp = await dbrps.postDBRP({
    body: { orgID, bucketID, database: 'db', retention_policy: 'rp', default: true },
  })
  expect((await dbrps.getDBRPs({ orgID, db: 'db' })).content).toHaveLength(1)
  await dbrps.deleteDBRPID({ dbrpID: dbrp.id, orgID })
})

it('answers what clients ask before anything else', async () => {
  const { client } = await setUp()
  expect((await new HealthAPI(client).getHealth()).status).toBe('pass')
  expect((await new ReadyAPI(client).getReady()).status).toBe('ready')
  await new PingAPI(client).getPing()
  expect(await new RootAPI(client).getRoutes()).toHaveProperty('buckets')
})
