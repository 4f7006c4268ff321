// `millrace migrate` from servers that run: of 2.x by Flux and with everything that people have made, of 3.x by SQL,
// over Flight and as JSON lines.
// The sources are other Millraces, which serve both interfaces; backups of 2.x are in v2-migrate.test.ts.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { adminToken, caller, install, send, start, temporaryFolder } from '../api/harness.js'
import { lineValues } from './line-values.js'
import { migrate } from './migrate-command.js'
import { RandomPoints } from './random-points.js'

const startNs = 1_600_000_000n * 1_000_000_000n

it('moves a server of 2.x by Flux, and what people have made with it', async () => {
  const old = await install()
  const call = caller(old)
  const points = new RandomPoints(seededRandom(31), startNs, 20)
  await old.write(points.lines(400))
  await old.write(points.lines(400))
  const made = async (path: string, body: object) => {
    const answer = await call('POST', `/api/v2/${path}`, { orgID: old.orgId, ...body })
    expect([path, answer.status, answer.text.slice(0, 200)]).toEqual([path, 201, expect.anything()])
    return answer.json
  }
  const { label } = await made('labels', { name: 'l', properties: { color: 'red' } })
  const variable = await made('variables', {
    name: 'v',
    arguments: { type: 'constant', values: ['a'] },
  })
  await made(`variables/${variable.id}/labels`, { labelID: label.id })
  const flux = 'option task = {name: "t", every: 1h}\n\nfrom(bucket: "b") |> range(start: -1h)'
  await made('tasks', { flux, status: 'inactive' })
  const query = 'from(bucket: "b") |> range(start: -1h) |> filter(fn: (r) => r._field == "f")'
  await made('checks', {
    name: 'c',
    type: 'threshold',
    status: 'inactive',
    every: '1m',
    query: { text: query },
    statusMessageTemplate: 'm',
    thresholds: [{ type: 'greater', level: 'CRIT', value: 1 }],
  })
  const endpoint = { name: 'e', type: 'http', url: 'http://127.0.0.1:1/', method: 'POST' }
  const { id: endpointID } = await made('notificationEndpoints', {
    ...endpoint,
    authMethod: 'none',
    status: 'active',
  })
  await made('notificationRules', {
    name: 'r',
    type: 'http',
    every: '1m',
    endpointID,
    status: 'inactive',
    statusRules: [{ currentLevel: 'CRIT' }],
    tagRules: [],
  })
  const dashboard = await made('dashboards', { name: 'd' })
  const cell = await made(`dashboards/${dashboard.id}/cells`, { x: 1, y: 2, w: 3, h: 4 })
  await call('PATCH', `/api/v2/dashboards/${dashboard.id}/cells/${cell.id}/view`, {
    name: 'a view',
    properties: { type: 'markdown', shape: 'chronograf-v2', note: 'hello' },
  })
  await made('dbrps', { bucketID: old.bucketId, database: 'db1', retention_policy: 'rp' })
  await made('dbrps', { bucketID: old.bucketId, database: 'db2', retention_policy: 'rp' })
  await made('users', { name: 'somebody' })

  for (const readBy of [['--read-by', 'flux'], []]) {
    const folder = `${temporaryFolder()}/data`
    const args = ['--from', old.url, '--from-token', old.token, '--to', folder, ...readBy]
    const first = await migrate(args)
    expect([first.code, first.errors]).toEqual([0, ''])
    expect(first.outcome.verdicts).toMatchObject([{ database: 'db1', differences: [] }])
    expect(first.outcome.points).toBeGreaterThan(0)
    if (readBy.length > 0) {
      const again = await migrate(args)
      expect([again.code, again.errors, again.outcome.points]).toEqual([0, '', 0])
    }

    const copy = await start({ dataDir: folder, noTasks: true })
    const { login } = first
    const ask = async (path: string) =>
      (await send(`${copy.url}${path}`, { token: login.token })).json
    const lines = await send(`${copy.url}/debug/export?bucket=b`, { token: login.token })
    expect(lineValues(lines.text)).toEqual(points.values)
    const found = {
      variables: ['v'],
      tasks: ['t'],
      checks: ['c'],
      dashboards: ['d'],
      labels: ['l'],
    }
    for (const [kind, names] of Object.entries(found)) {
      const list = (await ask(`/api/v2/${kind}`))[kind] as { name: string }[]
      expect([kind, list.map(({ name }) => name)]).toEqual([kind, names])
    }
    const [carried] = (await ask('/api/v2/variables')).variables
    expect(carried.labels).toMatchObject([{ name: 'l' }])
    const { notificationRules } = await ask('/api/v2/notificationRules')
    const { notificationEndpoints } = await ask('/api/v2/notificationEndpoints')
    expect(notificationRules).toMatchObject([
      { name: 'r', endpointID: notificationEndpoints[0].id },
    ])
    const [board] = (await ask('/api/v2/dashboards')).dashboards
    const shown = await ask(`/api/v2/dashboards/${board.id}?include=properties`)
    expect(shown.cells).toMatchObject([{ x: 1, w: 3, properties: { note: 'hello' } }])
    const { content } = await ask(`/api/v2/dbrps?orgID=${board.orgID}`)
    const mapped = content.filter(({ virtual }: { virtual?: boolean }) => virtual !== true)
    expect(mapped.map(({ database }: { database: string }) => database)).toEqual(['db1', 'db2'])
    const { users } = await ask('/api/v2/users')
    expect(users.map(({ name }: { name: string }) => name)).toContain('somebody')
    await copy.close()
  }
}, 120_000)

interface Proxy {
  readonly url: string
  /** Answers with points that will still break off. */
  left(): number
}

interface ProxyTrouble {
  /** So many answers with points break off after their first bytes. */
  readonly breaks?: number
  /** As proxies do that speak HTTP/1 alone. */
  readonly refusesHttp2?: boolean
}

/** The server behind it, which does not say that it is a Millrace, with some trouble in between. */
async function proxied(url: string, { breaks = 0, refusesHttp2 }: ProxyTrouble): Promise<Proxy> {
  let left = breaks
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(url).port), '127.0.0.1')
    let wantsPoints = false
    client.on('data', (bytes) => {
      if (refusesHttp2 && bytes.toString('latin1').startsWith('PRI *')) return client.destroy()
      wantsPoints ||= bytes.includes('WHERE time >=')
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      const told = bytes.toString('latin1').replace('"millrace-', '"unknown--')
      if (!wantsPoints || left === 0) return void client.write(Buffer.from(told, 'latin1'))
      left--
      client.write(bytes.subarray(0, bytes.length >> 1), () => client.destroy())
    })
    server.on('close', () => client.end())
    client.on('close', () => server.destroy())
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, left: () => left }
}

async function exported(folder: string, token: string): Promise<Map<string, string>> {
  const copy = await start({ dataDir: folder, noTasks: true })
  const lines = await send(`${copy.url}/debug/export?bucket=b`, { token })
  await copy.close()
  return lineValues(lines.text)
}

it('moves a server of 3.x over Flight and as JSON lines, over connections that break off', async () => {
  const old = await start({ adminToken, variant: 'cluster' })
  const points = new RandomPoints(seededRandom(41), startNs, 20)
  const database = JSON.stringify({ db: 'b', retention_period: 'none' })
  const path = `${old.url}/api/v3/configure/database`
  const made = await send(path, { method: 'POST', token: adminToken, body: database })
  expect(made.status).toBe(201)
  for (let i = 0; i < 2; i++) {
    const url = `${old.url}/api/v3/write_lp?db=b`
    const answer = await send(url, { method: 'POST', token: adminToken, body: points.lines(400) })
    expect(answer.status).toBe(204)
  }
  const token = ['--from-token', adminToken]
  const title = (by: string) => `InfluxDB 3.x at ${by}/`
  // What is no Millrace and of 3.x is read over Flight.
  for (const readBy of [[], ['--read-by', 'sql']]) {
    const folder = `${temporaryFolder()}/data`
    const proxy = await proxied(old.url, { breaks: 3 })
    const to = ['--to', folder, '--readers', '3']
    const moved = await migrate(['--from', proxy.url, ...token, ...readBy, ...to])
    expect([moved.code, moved.errors, proxy.left()]).toEqual([0, '', 0])
    expect(moved.events.find(({ type }) => type === 'begin').source).toBe(title(proxy.url))
    expect(await exported(folder, moved.login.token)).toEqual(points.values)
  }

  // Where Flight does not come through it is said, and text takes its place unless Flight was asked for.
  const textOnly = await proxied(old.url, { refusesHttp2: true })
  const plan = await migrate(['--from', textOnly.url, ...token, '--dry-run'])
  expect([plan.code, plan.errors]).toEqual([0, ''])
  expect(plan.events[0].notes[0]).toContain(`no Flight at ${textOnly.url}/`)
  const refused = await migrate([
    '--from',
    textOnly.url,
    ...token,
    '--dry-run',
    '--read-by',
    'flight',
  ])
  expect(refused.code).toBe(1)
  expect(refused.errors).toContain('the server does not speak Flight')

  // Into one that has databases only, under another name, and one measurement of it; a bad token is told.
  const target = await start({ adminToken, variant: 'cluster' })
  const [measurement] = [...points.values.keys()].map((key) => JSON.parse(key)[0].split(',')[0])
  const to = ['--to', target.url, '--to-token', adminToken, '--rename', 'b=c']
  const from = ['--from', old.url, '--read-by', 'flight', '--journal', `${temporaryFolder()}/j`]
  const some = await migrate([...from, ...token, ...to, '--measurement', measurement])
  expect([some.code, some.errors]).toEqual([0, ''])
  const part = await send(`${target.url}/debug/export?bucket=c`, { token: adminToken })
  const wanted = [...points.values].filter(
    ([key]) => JSON.parse(key)[0].split(',')[0] === measurement,
  )
  expect(lineValues(part.text)).toEqual(new Map(wanted))
  const stranger = await migrate([...from, '--from-token', 'wrong', '--dry-run'])
  expect(stranger.code).toBe(1)
  expect(stranger.errors).toMatch(/answered with status 401/)
}, 120_000)
