// Organizations: making, finding, changing and deleting them with everything in them, members and
// owners, and what they used.

import { expect, it } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import { type Answer, type Installation, install, send } from './harness.js'

function caller({ url, token }: Installation) {
  return (method: string, path: string, body?: unknown, as: string = token): Promise<Answer> =>
    send(`${url}${path}`, {
      method,
      token: as,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

it('makes, shows, changes an organization', async () => {
  const call = caller(await install())
  const made = await call('POST', '/api/v2/orgs', { name: 'a b', description: 'd' })
  expect(made.status).toBe(201)
  const { id } = made.json
  expect(made.json).toMatchObject({ name: 'a b', description: 'd', status: 'active' })
  const self = `/api/v2/orgs/${id}`
  expect(made.json.links).toEqual({
    self,
    buckets: '/api/v2/buckets?org=a%20b',
    dashboards: '/api/v2/dashboards?org=a%20b',
    labels: `${self}/labels`,
    logs: `${self}/logs`,
    members: `${self}/members`,
    owners: `${self}/owners`,
    secrets: `${self}/secrets`,
    tasks: '/api/v2/tasks?org=a%20b',
  })
  expect((await call('GET', self)).json).toEqual(made.json)
  const changed = await call('PATCH', self, { name: 'c' })
  expect([changed.status, changed.json.name, changed.json.description]).toEqual([200, 'c', 'd'])
  const taken = await call('PATCH', self, { name: 'o' })
  expect([taken.status, taken.json]).toEqual([
    422,
    { code: 'conflict', message: 'organization with name o already exists' },
  ])
  expect((await call('POST', '/api/v2/orgs', { name: 'c' })).status).toBe(422)
  expect((await call('POST', '/api/v2/orgs', {})).status).toBe(400)
  const unknown = await call('GET', '/api/v2/orgs/aaaaaaaaaaaaaaaa')
  expect([unknown.status, unknown.json.message]).toEqual([404, 'organization not found'])
})

it('makes the caller its owner and gives it system buckets', async () => {
  const installed = await install()
  const call = caller(installed)
  const me = (await call('GET', '/api/v2/me')).json
  const { id } = (await call('POST', '/api/v2/orgs', { name: 'new' })).json
  const owners = await call('GET', `/api/v2/orgs/${id}/owners`)
  expect(owners.json).toEqual({
    links: { self: `/api/v2/orgs/${id}/owners` },
    users: [
      {
        role: 'owner',
        links: { self: `/api/v2/users/${me.id}` },
        id: me.id,
        name: 'u',
        status: 'active',
      },
    ],
  })
  const buckets = (await installed.server.catalog.buckets.all()).filter((b) => b.orgId === id)
  expect(buckets.map(({ name }) => name).sort()).toEqual(['_monitoring', '_tasks'])
})

it('adds and removes members', async () => {
  const { orgId, ...installed } = await install()
  const call = caller({ orgId, ...installed })
  const { id } = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  const members = `/api/v2/orgs/${orgId}/members`
  const added = await call('POST', members, { id })
  expect([added.status, added.json.role, added.json.name]).toEqual([201, 'member', 'ada'])
  expect((await call('GET', members)).json.users).toHaveLength(1)
  expect((await call('POST', members, {})).json.message).toBe('user id missing or invalid')
  expect((await call('DELETE', `${members}/${id}`)).status).toBe(204)
  expect((await call('DELETE', `${members}/${id}`)).json).toEqual({
    code: 'not found',
    message: 'user to resource mapping not found',
  })
})

it('lists what the caller may see, by name, id and user', async () => {
  const installed = await install()
  const call = caller(installed)
  const other = (await call('POST', '/api/v2/orgs', { name: 'other' })).json
  const ada = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  await call('POST', `/api/v2/orgs/${other.id}/members`, { id: ada.id })
  const names = (answer: Answer) => answer.json.orgs.map((org: { name: string }) => org.name)
  const list = (query: string, as?: string) => call('GET', `/api/v2/orgs${query}`, undefined, as)
  expect(names(await list(''))).toEqual(['o', 'other'])
  expect(names(await list('?descending=true&limit=1'))).toEqual(['other'])
  expect(names(await list('?org=other'))).toEqual(['other'])
  expect(names(await list(`?orgID=${other.id}`))).toEqual(['other'])
  expect(names(await list(`?userID=${ada.id}`))).toEqual(['other'])
  const missing = await list('?org=nowhere')
  expect([missing.status, missing.json.message]).toEqual([
    404,
    'organization name "nowhere" not found',
  ])
  const reader = await installed.addToken([{ action: 'read', resource: { type: 'orgs' } }])
  expect(names(await list('', reader))).toEqual(['o'])
  expect((await list('?org=other', reader)).status).toBe(404)
  expect((await list(`?orgID=${other.id}`, reader)).status).toBe(404)
})

it('deletes everything in it', async () => {
  const installed = await install()
  const call = caller(installed)
  const { server, write, lines } = installed
  const { catalog } = server
  const { id } = (await call('POST', '/api/v2/orgs', { name: 'doomed' })).json
  const bucket = await catalog.buckets.create({ orgId: id, name: 'b2', retentionSeconds: 0 })
  const label = await catalog.labels.create(id, 'l', {})
  await catalog.labels.attach(bucket.id, label.id)
  const dbrp = { orgId: id, bucketId: bucket.id, database: 'd', retentionPolicy: 'r' }
  await catalog.dbrps.create({ ...dbrp, isDefault: true })
  await catalog.secrets.put(id, { key: 'value' })
  await catalog.limits.change(id, { bucket: { maxBuckets: 9 } })
  const token = await installed.addToken([{ action: 'write', resource: { type: 'buckets' } }], id)
  const target = { query: '', token }
  expect((await write('m f=1 1')).status).toBe(204)
  const url = `${installed.url}/api/v2/write?org=doomed&bucket=b2`
  expect((await send(url, { method: 'POST', body: 'm f=1 1', token })).status).toBe(204)
  expect((await call('DELETE', `/api/v2/orgs/${id}`)).status).toBe(204)
  expect((await call('GET', `/api/v2/orgs/${id}`)).status).toBe(404)
  expect((await write('m f=1 1', target)).status).toBe(401)
  expect(await catalog.tokens.findByHash(hashToken(token))).toBeUndefined()
  expect((await catalog.buckets.all()).some(({ orgId }) => orgId === id)).toBe(false)
  expect(await catalog.labels.records.findById(label.id)).toBeUndefined()
  expect(await catalog.dbrps.list(id)).toEqual([])
  expect(await catalog.secrets.keys(id)).toEqual([])
  expect(await catalog.memberships.ofResource(id)).toEqual([])
  expect((await catalog.limits.of(id)).bucket.maxBuckets).toBe(0)
  expect(await lines()).toEqual(['m f=1 1'])
})

it('tells what was written, by bucket', async () => {
  const installed = await install()
  const call = caller(installed)
  const { orgId, bucketId, write } = installed
  await write('m f=1 1')
  await write('m f=2 2')
  const answer = await call('GET', `/api/v2/orgs/${orgId}/usage?start=1`)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  const rows = answer.text.split('\r\n')
  expect(rows[3]).toBe(
    ',result,table,_start,_stop,_time,_value,_field,_measurement,bucket_id,org_id',
  )
  expect(rows[4]).toMatch(
    new RegExp(`^,,0,1970-.*,2,write_requests,http_request,${bucketId},${orgId}$`),
  )
  expect(rows[5]).toMatch(new RegExp(`^,,1,1970-.*,14,write_bytes,http_request,${bucketId}`))
  const raw = await call('GET', `/api/v2/orgs/${orgId}/usage?start=1&raw=true`)
  expect(raw.text).toContain('write_requests')
  const before = await call('GET', `/api/v2/orgs/${orgId}/usage?start=1&stop=2`)
  expect(before.text).not.toContain('write_requests')
  const recent = await call('GET', `/api/v2/orgs/${orgId}/usage/recent`)
  const [counted, ...others] = recent.json.buckets
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  expect([counted.bucketID, others]).toEqual([bucketId, []])
  expect([sum(counted.writeRequests), sum(counted.writeBytes)]).toEqual([2, 14])
  for (const query of ['', '?start=x', '?start=2&stop=1', '?start=1&raw=perhaps']) {
    expect((await call('GET', `/api/v2/orgs/${orgId}/usage${query}`)).status).toBe(400)
  }
})
