// `/api/v2/dbrps` over HTTP: mappings, their defaults, and the virtual mappings of buckets that
// nobody mapped. That v1 writes follow them is shown in `write-v1.test.ts`.

import { expect, it } from 'vitest'
import { type Answer, install, send } from './harness.js'

interface Mapping {
  readonly id: string
  readonly database: string
  readonly retention_policy: string
  readonly default: boolean
  readonly virtual: boolean
}

async function setUp() {
  const installed = await install()
  const { url, orgId, bucketId } = installed
  const call = (
    method: string,
    path: string,
    body?: unknown,
    token = installed.token,
  ): Promise<Answer> =>
    send(`${url}/api/v2/${path}`, {
      method,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const map = (database: string, retention_policy: string, rest: object = {}) =>
    call('POST', 'dbrps', { orgID: orgId, bucketID: bucketId, database, retention_policy, ...rest })
  const list = async (query: string): Promise<Mapping[]> =>
    (await call('GET', `dbrps?${query}`)).json.content
  const defaults = async (database: string) =>
    (await list(`db=${database}`)).filter((m) => m.default).map((m) => m.retention_policy)
  return { ...installed, call, map, list, defaults }
}

it('makes and shows mappings', async () => {
  const { call, map, list, orgId, bucketId } = await setUp()
  const made = await map('d', 'r')
  expect(made.status).toBe(201)
  expect(made.json).toEqual({
    id: made.json.id,
    orgID: orgId,
    bucketID: bucketId,
    database: 'd',
    retention_policy: 'r',
    default: true,
    virtual: false,
    links: { self: `/api/v2/dbrps/${made.json.id}` },
  })
  expect((await call('GET', `dbrps/${made.json.id}`)).json).toEqual({ content: made.json })
  expect((await call('GET', `dbrps/${made.json.id}?org=o`)).status).toBe(200)
  await map('d', 's')
  const ids = async (query: string) => (await list(query)).map((m) => m.retention_policy).sort()
  expect(await ids('db=d')).toEqual(['r', 's'])
  expect(await ids(`bucketID=${bucketId}&rp=s`)).toEqual(['s'])
  expect(await ids('db=d&default=true')).toEqual(['r'])
  expect(await ids('db=d&default=false')).toEqual(['s'])
  expect(await ids(`id=${made.json.id}&orgID=${orgId}`)).toEqual(['r'])
  expect(await ids('db=none')).toEqual([])
})

it('refuses what is no mapping', async () => {
  const { call, map } = await setUp()
  const refused: [Promise<Answer>, number, string][] = [
    [call('POST', 'dbrps', { database: 'd' }), 400, 'bucketID'],
    [map('d', 'r', { bucketID: 'x' }), 400, 'invalid bucket ID "x"'],
    [map('d', 'r', { bucketID: '0123456789abcdef' }), 404, 'not found'],
    [map('', 'r'), 400, 'DBRP provided is invalid'],
    [map('a/b', 'r'), 400, 'DBRP provided is invalid'],
    [map('d', '..'), 400, 'DBRP provided is invalid'],
    [call('GET', 'dbrps?default=yes'), 400, 'invalid default parameter'],
    [call('GET', 'dbrps?bucketID=1'), 400, 'invalid bucket ID "1"'],
    [call('GET', 'dbrps?id=1'), 400, 'invalid DBRP ID "1"'],
    [call('GET', 'dbrps?org=none'), 404, 'organization name "none" not found'],
    [call('GET', 'dbrps/1'), 400, 'invalid DBRP ID "1"'],
    [call('GET', 'dbrps/0123456789abcdef'), 404, 'unable to find DBRP'],
    [call('PATCH', 'dbrps/0123456789abcdef', {}), 404, 'unable to find DBRP'],
  ]
  for (const [answering, status, message] of refused) {
    const answer = await answering
    expect([answer.status, answer.json.message]).toEqual([status, expect.stringContaining(message)])
  }
  expect((await call('DELETE', 'dbrps/0123456789abcdef')).status).toBe(204)
  const twice = await Promise.all([map('d', 'r'), map('d', 'r')])
  expect(twice.map(({ status }) => status).sort()).toEqual([201, 422])
})

it('has one default per database and hands it on', async () => {
  const { call, map, defaults } = await setUp()
  const first = (await map('d', 'a', { default: false })).json
  expect(first.default).toBe(true)
  const second = (await map('d', 'b')).json
  expect(second.default).toBe(false)
  expect((await map('d', 'c', { default: true })).json.default).toBe(true)
  expect(await defaults('d')).toEqual(['c'])
  const patch = (id: string, body: object) => call('PATCH', `dbrps/${id}`, body)
  const moved = await patch(second.id, { default: true })
  expect([moved.status, moved.json.content.default]).toEqual([200, true])
  expect(await defaults('d')).toEqual(['b'])
  expect((await patch(second.id, { default: false })).json.content.default).toBe(false)
  expect(await defaults('d')).toEqual(['a'])
  const renamed = await patch(first.id, { retention_policy: 'z' })
  expect(renamed.json.content).toEqual({ ...first, retention_policy: 'z' })
  expect((await patch(first.id, { retention_policy: 'b' })).status).toBe(422)
  expect((await patch(first.id, { retention_policy: '' })).status).toBe(400)
  expect((await call('DELETE', `dbrps/${first.id}`)).status).toBe(204)
  expect(await defaults('d')).toEqual(['b'])
  const only = (await map('other', 'a')).json
  expect((await patch(only.id, { default: false })).json.content.default).toBe(false)
  expect(await defaults('other')).toEqual([])
})

it('shows virtual mappings of buckets that nobody mapped', async () => {
  const { call, map, list, orgId, bucketId } = await setUp()
  const make = async (name: string) =>
    (await call('POST', 'buckets', { orgID: orgId, name })).json.id as string
  const slashed = await make('db/week')
  const plain = await make('db')
  const shown = async (query = '') =>
    (await list(query)).map((m) => [m.database, m.retention_policy, m.default, m.virtual])
  expect(await shown()).toEqual([
    ['_monitoring', 'autogen', true, true],
    ['_tasks', 'autogen', true, true],
    ['b', 'autogen', true, true],
    ['db', 'autogen', true, true],
    ['db', 'week', false, true],
  ])
  const virtual = await call('GET', `dbrps/${slashed}`)
  expect(virtual.json.content).toMatchObject({ id: slashed, bucketID: slashed, virtual: true })
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { default: true } : undefined
    const { status, json } = await call(method, `dbrps/${slashed}`, body)
    expect([status, json.code]).toEqual([400, 'invalid'])
  }
  // A mapping of its own hides the bucket's virtual one; one with a default takes that from it.
  await map('db', 'year')
  expect(await shown('db=db')).toEqual([
    ['db', 'year', true, false],
    ['db', 'autogen', false, true],
    ['db', 'week', false, true],
  ])
  expect(await shown(`bucketID=${bucketId}`)).toEqual([['db', 'year', true, false]])
  await map('db', 'autogen')
  expect(await shown(`bucketID=${plain}`)).toEqual([])
})

it('shows mappings of readable buckets, and lets writers change them', async () => {
  const { call, map, bucketId, addToken } = await setUp()
  const { id } = (await map('d', 'r')).json
  const resource = { type: 'buckets', id: bucketId } as const
  const reader = await addToken([{ action: 'read', resource }])
  const writer = await addToken([{ action: 'write', resource }])
  const content = (await call('GET', 'dbrps', undefined, reader)).json.content
  expect(content.map((m: Mapping) => m.id)).toEqual([id])
  expect((await call('GET', 'dbrps', undefined, writer)).json.content).toEqual([])
  expect((await call('GET', `dbrps/${id}`, undefined, writer)).status).toBe(401)
  expect((await call('PATCH', `dbrps/${id}`, {}, reader)).status).toBe(401)
  expect((await call('DELETE', `dbrps/${id}`, undefined, reader)).status).toBe(401)
  expect((await call('PATCH', `dbrps/${id}`, {}, writer)).status).toBe(200)
  expect((await call('DELETE', `dbrps/${id}`, undefined, writer)).status).toBe(204)
})
