// `/api/v2/buckets` over HTTP: making, paging, finding, changing and deleting buckets, quotas, and
// what goes with a bucket when it is deleted.

import { expect, it } from 'vitest'
import { type Answer, type Installation, install, send, temporaryFolder } from './harness.js'

function caller(installed: Installation) {
  const { url } = installed
  return (method: string, path: string, body?: unknown, token = installed.token): Promise<Answer> =>
    send(`${url}/api/v2/${path}`, {
      method,
      token,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
}

async function setUp(options = {}) {
  const installed = await install(options)
  const call = caller(installed)
  const { orgId } = installed
  const make = (name: string, rest: object = {}) =>
    call('POST', 'buckets', { orgID: orgId, name, ...rest })
  return { ...installed, call, make }
}

const days = (count: number) => [{ type: 'expire', everySeconds: count * 86_400 }]

it('makes buckets and shows them whole', async () => {
  const { orgId, call, make } = await setUp()
  const { status, json } = await make('x', { description: 'd', rp: '0' })
  expect(status).toBe(201)
  const self = `/api/v2/buckets/${json.id}`
  expect(json).toEqual({
    id: json.id,
    orgID: orgId,
    type: 'user',
    name: 'x',
    description: 'd',
    schemaType: 'implicit',
    retentionRules: days(30),
    createdAt: json.createdAt,
    updatedAt: json.createdAt,
    labels: [],
    links: {
      labels: `${self}/labels`,
      members: `${self}/members`,
      org: `/api/v2/orgs/${orgId}`,
      owners: `${self}/owners`,
      self,
      write: `/api/v2/write?org=${orgId}&bucket=${json.id}`,
    },
  })
  expect(json.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  expect((await call('GET', `buckets/${json.id}`)).json).toEqual(json)
})

it.each([
  [undefined, 2_592_000],
  [null, 2_592_000],
  [[], 0],
  [[{}], 2_592_000],
  [[{ type: 'expire' }], 2_592_000],
  [[{ everySeconds: 0 }], 0],
  [[{ everySeconds: 3600, shardGroupDurationSeconds: 60 }], 3600],
])('reads retention rules %j as %d seconds', async (retentionRules, everySeconds) => {
  const { make } = await setUp()
  const { json } = await make('x', { retentionRules, schemaType: 'explicit' })
  expect(json.retentionRules).toMatchObject([{ type: 'expire', everySeconds }])
  expect(json.schemaType).toBe('explicit')
})

it('answers 422 to bodies that fail validation, and 400 to what is no JSON', async () => {
  const { call, orgId, make } = await setUp()
  const bad: [object | string, string][] = [
    [{ orgID: orgId }, "body must have required property 'name'"],
    [{ name: 'x' }, 'organization id must be provided'],
    [{ name: 1, orgID: orgId }, 'body/name must be string'],
    [[], 'body must be object'],
    [{ name: '', orgID: orgId }, 'name is empty'],
    [{ name: '_x', orgID: orgId }, 'Buckets may not start with underscore'],
    [{ name: 'a"b', orgID: orgId }, 'may not include quotation marks'],
    [{ name: 'x', orgID: orgId, schemaType: 'other' }, 'schemaType'],
    [{ name: 'x', orgID: orgId, retentionRules: [{ everySeconds: -1 }] }, 'cannot be negative'],
    [{ name: 'x', orgID: orgId, retentionRules: [{ everySeconds: 1.5 }] }, 'integer'],
    [{ name: 'x', orgID: orgId, retentionRules: [{ everySeconds: 1e10 }] }, 'up to 9223372036'],
    [{ name: 'x', orgID: orgId, retentionRules: [{ type: 'keep' }] }, 'retentionRules'],
    [{ name: 'x', orgID: orgId, retentionRules: [{}, {}] }, 'more than one retention rule'],
    [
      { name: 'x', orgID: orgId, retentionRules: [{ shardGroupDurationSeconds: -1 }] },
      'shard-group duration seconds cannot be negative',
    ],
  ]
  for (const [body, message] of bad) {
    const { status, json } = await call('POST', 'buckets', body)
    expect([body, status]).toEqual([body, 422])
    expect(json.code).toBe('unprocessable entity')
    expect(json.message).toContain(message)
  }
  const broken = await call('POST', 'buckets', '{"name":')
  expect(broken.status).toBe(400)
  expect(broken.json.message).toMatch(/^invalid json structure: /)
  await make('x')
  const again = await make('x')
  expect(again.status).toBe(422)
  expect(again.json).toEqual({ code: 'conflict', message: 'bucket with name x already exists' })
})

it('gives a name that two want at once to one of them', async () => {
  const { make } = await setUp()
  const answers = await Promise.all(Array.from({ length: 8 }, () => make('x')))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([201, ...Array(7).fill(422)])
  expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set([undefined, 'conflict']))
})

it('lists in pages, in order of creation', async () => {
  const { call, make, bucketId } = await setUp()
  for (let i = 0; i < 25; i++) await make(`n${i}`)
  const names = (answer: Answer) => answer.json.buckets.map((b: { name: string }) => b.name)
  const first = await call('GET', 'buckets')
  expect(names(first)).toHaveLength(20)
  expect(first.json.links).toEqual({
    self: '/api/v2/buckets?descending=false&limit=20&offset=0',
    next: '/api/v2/buckets?descending=false&limit=20&offset=20',
  })
  const rest = await call('GET', 'buckets?offset=20')
  expect(rest.json.links.prev).toBe('/api/v2/buckets?descending=false&limit=20&offset=0')
  expect(rest.json.links.next).toBeUndefined()
  const all = [...names(first), ...names(rest)]
  expect(all.slice(3)).toEqual(Array.from({ length: 25 }, (_, i) => `n${i}`))
  expect(all.slice(0, 3).sort()).toEqual(['_monitoring', '_tasks', 'b'])
  const backwards = await call('GET', 'buckets?descending=true&limit=2')
  expect(names(backwards)).toEqual(['n24', 'n23'])
  const last = backwards.json.buckets[1].id
  expect(names(await call('GET', `buckets?descending=true&limit=2&after=${last}`))).toEqual([
    'n22',
    'n21',
  ])
  expect(names(await call('GET', `buckets?after=${last}`))).toEqual(['n24'])
  expect(names(await call('GET', `buckets?id=${bucketId}`))).toEqual(['b'])
  expect(names(await call('GET', 'buckets?name=n3&org=o'))).toEqual(['n3'])
})

it('refuses bad pages and tells missing buckets', async () => {
  const { call, orgId } = await setUp()
  const refused: [string, number, string][] = [
    ['limit=0', 400, 'limit must be between 1 and 100'],
    ['limit=101', 400, 'limit must be between 1 and 100'],
    ['limit=x', 400, 'limit is invalid'],
    ['offset=-1', 400, 'offset is invalid'],
    ['descending=yes', 400, 'descending is invalid'],
    ['after=1', 400, 'id must have a length of 16 bytes'],
    ['id=1', 400, 'id must have a length of 16 bytes'],
    ['id=zzzzzzzzzzzzzzzz', 400, 'invalid ID'],
  ]
  for (const [query, status, message] of refused) {
    const answer = await call('GET', `buckets?${query}`)
    expect([query, answer.status, answer.json.message]).toEqual([query, status, message])
  }
  const nothing = ['name=none', `name=none&orgID=${orgId}`, 'id=0123456789abcdef']
  for (const query of nothing) {
    expect((await call('GET', `buckets?${query}`)).json.buckets).toEqual([])
  }
  expect((await call('GET', 'buckets/1')).status).toBe(400)
  const unknown = await call('GET', 'buckets/0123456789abcdef')
  expect(unknown.status).toBe(404)
  expect(unknown.json).toEqual({ code: 'not found', message: 'bucket not found' })
})

it('shows each token what it may read', async () => {
  const { call, make, addToken, orgId, bucketId } = await setUp()
  await make('x')
  const read = (type: 'buckets' | 'orgs' | 'tasks', rest = {}) =>
    ({ action: 'read', resource: { type, ...rest } }) as const
  const seen = async (token: string) => {
    const answer = await call('GET', 'buckets', undefined, token)
    return answer.json.buckets?.map((b: { name: string }) => b.name).sort() ?? answer.status
  }
  const orgs = read('orgs', { id: orgId })
  expect(await seen(await addToken([read('buckets', { orgID: orgId })]))).toEqual(['b', 'x'])
  expect(await seen(await addToken([read('buckets', { id: bucketId })]))).toEqual(['b'])
  expect(await seen(await addToken([orgs]))).toEqual(['_monitoring', '_tasks'])
  const both = await addToken([orgs, read('buckets', { id: bucketId })])
  expect(await seen(both)).toEqual(['_monitoring', '_tasks', 'b'])
  expect(await seen(await addToken([read('tasks')]))).toEqual([])
  const system = (await call('GET', 'buckets?name=_tasks')).json.buckets[0].id
  expect((await call('GET', `buckets/${system}`, undefined, both)).status).toBe(200)
  const reader = await addToken([read('buckets')])
  const refused = await call('GET', `buckets/${system}`, undefined, reader)
  expect(refused.status).toBe(401)
  expect(refused.json.message).toBe(`read:orgs/${orgId} is unauthorized`)
})

it('changes buckets', async () => {
  const { call, make, lines } = await setUp()
  const { json: made } = await make('x')
  await make('taken')
  const patch = (body: unknown) => call('PATCH', `buckets/${made.id}`, body)
  const changed = await patch({ name: 'y', description: 'd', retentionRules: days(0) })
  expect(changed.status).toBe(200)
  const expected = { ...made, name: 'y', description: 'd', retentionRules: days(0) }
  expect(changed.json).toEqual({ ...expected, updatedAt: changed.json.updatedAt })
  // The store heard of it: a point from 1970 stays.
  expect((await call('POST', 'write?org=o&bucket=y', 'm f=1 1')).status).toBe(204)
  expect(await lines('y')).toEqual(['m f=1 1'])
  const empty = await patch({ retentionRules: [] })
  expect([empty.status, empty.json.retentionRules]).toEqual([200, days(0)])
  expect((await patch({ retentionRules: [{}] })).json.retentionRules).toEqual(days(30))
  const refused: [unknown, number, string][] = [
    [{}, 403, 'forbidden'],
    [{ name: 'z' }, 403, 'forbidden'],
    ['{"name":', 400, 'invalid'],
    ['', 400, 'invalid'],
    [{ retentionRules: [{ everySeconds: 'x' }] }, 400, 'invalid'],
    [{ retentionRules: [{ everySeconds: -1 }] }, 422, 'unprocessable entity'],
    [{ name: '', retentionRules: [] }, 400, 'invalid'],
    [{ name: '_z', retentionRules: [] }, 400, 'invalid'],
    [{ name: 'taken', retentionRules: [] }, 422, 'conflict'],
  ]
  for (const [body, status, code] of refused) {
    const answer = await patch(body)
    expect([body, answer.status, answer.json.code]).toEqual([body, status, code])
  }
  expect((await call('GET', `buckets/${made.id}`)).json.name).toBe('y')
  expect((await call('PATCH', 'buckets/0123456789abcdef', {})).status).toBe(404)
})

it('guards system buckets', async () => {
  const { call } = await setUp()
  const { id } = (await call('GET', 'buckets?name=_tasks')).json.buckets[0]
  const renamed = await call('PATCH', `buckets/${id}`, { name: 'x', retentionRules: [] })
  expect([renamed.status, renamed.json.message]).toEqual([400, 'system buckets cannot be renamed'])
  const same = await call('PATCH', `buckets/${id}`, { name: '_tasks', retentionRules: days(1) })
  expect(same.json.retentionRules).toEqual(days(1))
  const deleted = await call('DELETE', `buckets/${id}`)
  expect([deleted.status, deleted.json.message]).toEqual([400, 'system buckets cannot be deleted'])
})

it('keeps to the quotas of the plan and of the organization', async () => {
  const { make, call, orgId, server } = await setUp({ plan: 'free' })
  const exceed = 'provided retention exceeds orgs maximum retention duration'
  const tooLong = await make('x', { retentionRules: days(31) })
  expect([tooLong.status, tooLong.json]).toEqual([403, { code: 'forbidden', message: exceed }])
  expect((await make('x', { retentionRules: days(0) })).status).toBe(403)
  const answers = await Promise.all([make('x'), make('y'), make('z')])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403])
  const refused = answers.find(({ status }) => status === 403)
  expect(refused?.json).toEqual({
    code: 'forbidden',
    message: 'creating bucket would exceed quota',
  })
  expect(refused?.headers['x-platform-error-code']).toBe('forbidden')
  const made = answers.find(({ status }) => status === 201)?.json
  const longer = await call('PATCH', `buckets/${made.id}`, { retentionRules: days(31) })
  expect([longer.status, longer.json]).toEqual([403, { code: 'forbidden', message: exceed }])
  const bucket = { maxBuckets: 3, maxRetentionDuration: 0 }
  await server.catalog.limits.change(orgId, { bucket })
  expect((await make('w', { retentionRules: days(400) })).status).toBe(201)
  expect((await make('v')).status).toBe(403)
})

it('deletes a bucket at once, and its points soon after', async () => {
  const { call, make, bucketId, orgId, server, write, lines } = await setUp()
  const label = (await call('POST', 'labels', { orgID: orgId, name: 'l' })).json.label
  await call('POST', `buckets/${bucketId}/labels`, { labelID: label.id })
  const mapping = { bucketID: bucketId, database: 'd', retention_policy: 'r' }
  await call('POST', 'dbrps', mapping)
  await write('m f=1 1')
  const deleted = await call('DELETE', `buckets/${bucketId}`)
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect((await call('GET', `buckets/${bucketId}`)).status).toBe(404)
  expect((await call('DELETE', `buckets/${bucketId}`)).status).toBe(404)
  expect((await write('m f=1 1')).status).toBe(404)
  expect((await call('GET', 'dbrps?db=d')).json.content).toEqual([])
  expect(await server.catalog.labels.ofResource(bucketId)).toEqual([])
  const again = await make('b', { retentionRules: days(0) })
  expect(again.status).toBe(201)
  expect(again.json.id).not.toBe(bucketId)
  expect(await lines()).toEqual([])
  await expect.poll(() => server.catalog.buckets.awaitingDrop()).toEqual([])
  expect(await server.store.cardinality({ bucket: bucketId })).toBe(0)
})

it('drops at the next start what it could not drop before', async () => {
  const dataDir = temporaryFolder()
  const { server, bucketId, write } = await setUp({ dataDir })
  await write('m f=1 1')
  // As after a crash between the catalog's commit and the store's drop.
  const dropBucket = server.store.dropBucket
  server.store.dropBucket = () => Promise.reject(new Error('no'))
  await server.catalog.inTransaction((inside) => inside.buckets.delete(bucketId))
  expect(await server.catalog.buckets.awaitingDrop()).toEqual([bucketId])
  server.store.dropBucket = dropBucket
  await server.close()
  const { startServer } = await import('../../src/index.js')
  const next = await startServer({ dataDir, jobs: 'inline' })
  try {
    await expect.poll(() => next.catalog.buckets.awaitingDrop()).toEqual([])
    expect(await next.store.cardinality({ bucket: bucketId })).toBe(0)
  } finally {
    await next.close()
  }
})

it('takes back points that came to a bucket while it was deleted', async () => {
  const { server, bucketId, write } = await setUp()
  const { store, catalog } = server
  const writeToStore = store.write.bind(store)
  store.write = async (bucket, batch) => {
    await catalog.inTransaction((inside) => inside.buckets.delete(bucket))
    await expect.poll(() => catalog.buckets.awaitingDrop()).toEqual([])
    return writeToStore(bucket, batch)
  }
  const late = await write('m f=1 1')
  expect([late.status, late.json.message]).toEqual([404, 'bucket "b" not found'])
  expect(await store.cardinality({ bucket: bucketId })).toBe(0)
})

it('lets an operator manage the buckets of every organization', async () => {
  const { call, server, addToken } = await setUp()
  const other = await server.catalog.inTransaction((c) => c.organizations.create({ name: 'other' }))
  const made = await call('POST', 'buckets', { orgID: other.id, name: 'x' })
  expect([made.status, made.json.orgID]).toEqual([201, other.id])
  const path = `buckets/${made.json.id}`
  const named = await call('GET', 'buckets?org=other&name=x')
  expect(named.json.buckets[0].id).toBe(made.json.id)
  expect((await call('GET', path)).status).toBe(200)
  const mapping = { bucketID: made.json.id, database: 'd', retention_policy: 'r' }
  expect((await call('POST', 'dbrps', { ...mapping, org: 'other' })).status).toBe(201)
  // Permissions that name no organization are good for the token's own only.
  const resource = { type: 'buckets' } as const
  const bound = await addToken([
    { action: 'read', resource },
    { action: 'write', resource },
  ])
  expect((await call('GET', path, undefined, bound)).status).toBe(401)
  expect((await call('GET', `${path}/labels`, undefined, bound)).status).toBe(401)
  // A list does not use the organization that is named: it is the token's own.
  const own = (await call('GET', 'buckets?org=other', undefined, bound)).json.buckets
  expect(own.map(({ name }: { name: string }) => name)).toEqual(['b'])
  expect((await call('DELETE', path)).status).toBe(204)
})

it('has labels, members and owners', async () => {
  const { call, bucketId, orgId, server } = await setUp()
  const { label } = (await call('POST', 'labels', { orgID: orgId, name: 'l' })).json
  const labels = `buckets/${bucketId}/labels`
  const attached = await call('POST', labels, { labelID: label.id })
  expect([attached.status, attached.json.label]).toEqual([201, label])
  const twice = await call('POST', labels, { labelID: label.id })
  expect([twice.status, twice.json.code]).toEqual([422, 'conflict'])
  expect((await call('POST', labels, {})).json.message).toBe('label id is required')
  expect((await call('GET', labels)).json.labels).toEqual([label])
  expect((await call('GET', `buckets/${bucketId}`)).json.labels).toEqual([label])
  expect((await call('GET', 'buckets?name=b')).json.buckets[0].labels).toEqual([label])
  expect((await call('DELETE', `${labels}/${label.id}`)).status).toBe(204)
  expect((await call('DELETE', `${labels}/${label.id}`)).status).toBe(404)

  const user = await server.catalog.users.create({ name: 'v', passwordHash: undefined })
  for (const role of ['member', 'owner']) {
    const path = `buckets/${bucketId}/${role}s`
    const added = await call('POST', path, { id: user.id })
    expect([added.status, added.json.role, added.json.name]).toEqual([201, role, 'v'])
    expect((await call('GET', path)).json.users).toEqual([added.json])
    expect((await call('POST', path, { id: 'x' })).status).toBe(400)
    expect((await call('POST', path, {})).status).toBe(400)
    expect((await call('DELETE', `${path}/${user.id}`)).status).toBe(204)
  }
})
