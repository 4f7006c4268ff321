// Limits of organizations: what the plan and the set-up say, who changes them, and that writes and
// deletes keep them.

import { request as httpRequest } from 'node:http'
import { expect, it, vi } from 'vitest'
import { UserError } from '../../src/errors.js'
import { ManualClock } from '../../src/platform/clock.js'
import { type Answer, type Installation, install, send, start } from './harness.js'

const limitsOf = async ({ url, token, orgId }: Installation) =>
  (await send(`${url}/api/v2/orgs/${orgId}/limits`, { token })).json

const change = ({ url, token, orgId }: Installation, body: unknown) =>
  send(`${url}/api/v2/orgs/${orgId}/limits`, { method: 'PUT', token, body: JSON.stringify(body) })

it('shows every section, with the links', async () => {
  const installed = await install()
  const { limits, links } = await limitsOf(installed)
  const org = `/api/v2/orgs/${installed.orgId}`
  expect(links).toEqual({ org, self: `${org}/limits` })
  expect(limits).toEqual({
    orgID: installed.orgId,
    rate: {
      readKBs: 0,
      writeKBs: 0,
      queryTime: 0,
      concurrentReadRequests: 0,
      concurrentWriteRequests: 0,
      concurrentDeleteRequests: 0,
      deleteRequestsPerSecond: 0,
      cardinality: 0,
    },
    bucket: { maxBuckets: 0, maxRetentionDuration: 0 },
    task: { maxTasks: 0 },
    dashboard: { maxDashboards: 0 },
    check: { maxChecks: 0 },
    notificationRule: { maxNotifications: 0, blockedNotificationRules: '' },
    notificationEndpoint: { blockedNotificationEndpoints: '' },
    features: { allowDelete: true },
    stack: { enabled: true },
    timeout: { queryUnconditionalTimeoutSeconds: 0, queryidleWriteTimeoutSeconds: 0 },
  })
  const bearer = { authorization: `Bearer ${installed.token}` }
  const { url, orgId } = installed
  expect((await send(`${url}/api/v2/orgs/${orgId}/limits`, { headers: bearer })).status).toBe(200)
})

it('begins with the plan', async () => {
  const { limits } = await limitsOf(await install({ plan: 'free' }))
  expect(limits.bucket).toEqual({ maxBuckets: 2, maxRetentionDuration: 30 * 86_400 * 1e9 })
  expect(limits.rate.writeKBs).toBe(17)
})

it('takes limits from the set-up', async () => {
  const { url } = await start()
  const post = (limit: unknown) =>
    send(`${url}/api/v2/setup`, {
      method: 'POST',
      body: JSON.stringify({ username: 'u', org: 'o', bucket: 'b', limit }),
    })
  const bad = await post({ bucket: { maxBucket: 1 } })
  expect([bad.status, bad.json.code]).toEqual([400, 'invalid'])
  const { auth, org } = (await post({ bucket: { maxBuckets: 7 } })).json
  const { json } = await send(`${url}/api/v2/orgs/${org.id}/limits`, { token: auth.token })
  expect(json.limits.bucket).toEqual({ maxBuckets: 7, maxRetentionDuration: 0 })
})

it('is changed in parts', async () => {
  const installed = await install()
  const first = await change(installed, { bucket: { maxBuckets: 5 }, task: { maxTasks: 1 } })
  expect([first.status, first.json.limits.bucket.maxBuckets]).toEqual([200, 5])
  await change(installed, { orgID: installed.orgId, bucket: { maxRetentionDuration: 60 } })
  const { limits } = await limitsOf(installed)
  expect(limits.bucket).toEqual({ maxBuckets: 5, maxRetentionDuration: 60 })
  expect(limits.task.maxTasks).toBe(1)
  for (const bad of [
    { bucket: { maxBuckets: -1 } },
    { buckets: {} },
    { task: { maxTasks: 'x' } },
  ]) {
    expect((await change(installed, bad)).status).toBe(400)
  }
})

it('slows writers down that write too much', async () => {
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const installed = await install({ clock })
  const { write, writeV1 } = installed
  await change(installed, { rate: { writeKBs: 1 } })
  // Five minutes' worth is 300 kB. The body that exceeds it passes, and is paid for afterwards.
  const body = `m f=1 1\n#${'x'.repeat(359_990)}\n`
  expect((await write(body)).status).toBe(204)
  const refused = await write('m f=2 2')
  expect(refused.status).toBe(429)
  expect(refused.json).toEqual({
    code: 'too many requests',
    message: "the organization's write limit of 1 KB per second is exceeded",
  })
  expect(refused.headers['retry-after']).toBe('61')
  // Telegraf's v1 output would drop what gets 429.
  const v1 = await writeV1('m f=2 2')
  expect([v1.status, v1.headers['retry-after']]).toEqual([503, '61'])
  clock.advance(61_000_000_000n)
  expect((await write('m f=2 2')).status).toBe(204)
  await change(installed, { rate: { writeKBs: 0 } })
  for (let i = 0; i < 3; i++) expect((await write(body)).status).toBe(204)
})

it('takes only so many writes of an organization at once', async () => {
  const installed = await install()
  const { url, token, write } = installed
  await change(installed, { rate: { concurrentWriteRequests: 1 } })
  const open = httpRequest(`${url}/api/v2/write?org=o&bucket=b`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-length': 8 },
  })
  const done = new Promise((resolve) => open.on('response', (r) => resolve(r.statusCode)))
  open.write('m')
  let answer = await write('m f=1 1')
  while (answer.status === 204) answer = await write('m f=1 1')
  expect([answer.status, answer.json.message]).toEqual([
    503,
    'more than 1 concurrent writes of the organization',
  ])
  expect(answer.headers['retry-after']).toBe('1')
  open.end(' f=1 1\n')
  expect(await done).toBe(204)
  expect((await write('m f=1 1')).status).toBe(204)
})

const year = { start: '2000-01-01T00:00:00Z', stop: '2001-01-01T00:00:00Z' }

const remove = ({ url, token }: Installation, body: object = year) =>
  send(`${url}/api/v2/delete?org=o&bucket=b`, {
    method: 'POST',
    token,
    body: JSON.stringify(body),
  })

it('slows down whoever deletes too often', async () => {
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const installed = await install({ clock })
  await change(installed, { rate: { deleteRequestsPerSecond: 2 } })
  // What is no delete does not count as one.
  expect((await remove(installed, {})).status).toBe(400)
  for (let i = 0; i < 2; i++) expect((await remove(installed)).status).toBe(204)
  const refused = await remove(installed)
  expect(refused.status).toBe(429)
  expect(refused.json).toEqual({
    code: 'too many requests',
    message: "the organization's delete limit of 2 requests per second is exceeded",
  })
  expect(refused.headers['retry-after']).toBe('1')
  clock.advance(500_000_000n)
  expect((await remove(installed)).status).toBe(204)
  expect((await remove(installed)).status).toBe(429)
  // Writes have limits of their own.
  expect((await installed.write('m f=1 1')).status).toBe(204)
  clock.advance(60_000_000_000n)
  for (let i = 0; i < 2; i++) expect((await remove(installed)).status).toBe(204)
  expect((await remove(installed)).status).toBe(429)
  await change(installed, { rate: { deleteRequestsPerSecond: 0 } })
  for (let i = 0; i < 5; i++) expect((await remove(installed)).status).toBe(204)
})

it('keeps what a refused delete would have taken', async () => {
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const installed = await install({ clock })
  await change(installed, { rate: { deleteRequestsPerSecond: 1 } })
  await installed.write('m f=1 1')
  expect((await remove(installed)).status).toBe(204)
  const all = { start: '1970-01-01T00:00:00Z', stop: '2001-01-01T00:00:00Z' }
  expect((await remove(installed, all)).status).toBe(429)
  expect(await installed.lines()).toEqual(['m f=1 1'])
})

it('takes only so many deletes of an organization at once', async () => {
  const installed = await install()
  await change(installed, { rate: { concurrentDeleteRequests: 1 } })
  const { store } = installed.server
  let finish = () => {}
  let first: Promise<Answer> | undefined
  const spy = vi.spyOn(store, 'delete')
  await new Promise<void>((started) => {
    spy.mockImplementationOnce(() => {
      started()
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    first = remove(installed)
  })
  const refused = await remove(installed)
  expect([refused.status, refused.json]).toEqual([
    503,
    { code: 'unavailable', message: 'more than 1 concurrent deletes of the organization' },
  ])
  expect(refused.headers['retry-after']).toBe('1')
  finish()
  expect((await first)?.status).toBe(204)
  // A delete that failed has left its place as well.
  spy.mockRejectedValueOnce(new UserError('invalid', 'no'))
  expect((await remove(installed)).status).toBe(400)
  expect((await remove(installed)).status).toBe(204)
})
