// `GET /api/v2/buckets` answers from what it remembers, and nobody can tell: every kind of change is
// seen at once, and a list shows what its reader may see, whoever asked before.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { type Installation, install, send } from './harness.js'

function caller({ url, token: own }: Installation) {
  return (method: string, path: string, body?: unknown, token = own) =>
    send(`${url}/api/v2/${path}`, {
      method,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

async function setUp() {
  const installed = await install()
  const call = caller(installed)
  const list = async (query = '', token = installed.token) => {
    const { json } = await call('GET', `buckets?org=o${query}`, undefined, token)
    return json.buckets as { name: string; description: string; labels: { name: string }[] }[]
  }
  const names = async (query = '', token = installed.token) =>
    (await list(query, token)).map(({ name }) => name)
  return { ...installed, call, list, names }
}

it('shows buckets that came, changed and went', async () => {
  const { call, list, names, orgId } = await setUp()
  expect(await names()).toEqual(['_tasks', '_monitoring', 'b'])
  const { json } = await call('POST', 'buckets', { orgID: orgId, name: 'x' })
  expect(await names()).toEqual(['_tasks', '_monitoring', 'b', 'x'])
  const retentionRules = json.retentionRules
  await call('PATCH', `buckets/${json.id}`, { name: 'y', description: 'new', retentionRules })
  expect((await list()).at(-1)).toMatchObject({ name: 'y', description: 'new' })
  await call('DELETE', `buckets/${json.id}`)
  expect(await names()).toEqual(['_tasks', '_monitoring', 'b'])
})

it('shows labels that came, changed and went', async () => {
  const { call, list, orgId, bucketId } = await setUp()
  const labels = async () => (await list('&name=b'))[0].labels.map(({ name }) => name)
  expect(await labels()).toEqual([])
  const { label } = (await call('POST', 'labels', { orgID: orgId, name: 'l' })).json
  await call('POST', `buckets/${bucketId}/labels`, { labelID: label.id })
  expect(await labels()).toEqual(['l'])
  await call('PATCH', `labels/${label.id}`, { name: 'm' })
  expect(await labels()).toEqual(['m'])
  await call('DELETE', `buckets/${bucketId}/labels/${label.id}`)
  expect(await labels()).toEqual([])
  await call('POST', `buckets/${bucketId}/labels`, { labelID: label.id })
  expect(await labels()).toEqual(['m'])
  await call('DELETE', `labels/${label.id}`)
  expect(await labels()).toEqual([])
})

it('keeps pages, filters and readers apart', async () => {
  const { call, names, addToken, orgId, bucketId } = await setUp()
  const { json } = await call('POST', 'buckets', { orgID: orgId, name: 'x' })
  const reading = (id?: string): Permission => ({
    action: 'read',
    resource: { type: 'buckets', orgID: orgId, ...(id === undefined ? {} : { id }) },
  })
  const all = await addToken([reading()])
  const first = await addToken([reading(bucketId)])
  const second = await addToken([reading(json.id)])
  // Twice: made, and remembered.
  for (let round = 0; round < 2; round++) {
    expect(await names()).toEqual(['_tasks', '_monitoring', 'b', 'x'])
    expect(await names('&limit=2')).toEqual(['_tasks', '_monitoring'])
    expect(await names('&limit=2&offset=1')).toEqual(['_monitoring', 'b'])
    expect(await names('&descending=true')).toEqual(['x', 'b', '_monitoring', '_tasks'])
    expect(await names('&name=x')).toEqual(['x'])
    expect(await names('', all)).toEqual(['b', 'x'])
    expect(await names('', first)).toEqual(['b'])
    expect(await names('', second)).toEqual(['x'])
    const other = await call('GET', 'buckets?org=o&name=none')
    expect([other.status, other.json.buckets]).toEqual([200, []])
  }
})

it('refuses whom it let in before', async () => {
  const { call, server, addToken, orgId } = await setUp()
  const resource = { type: 'buckets', orgID: orgId } as const
  const token = await addToken([{ action: 'read', resource }])
  const status = async () => (await call('GET', 'buckets?org=o', undefined, token)).status
  expect(await status()).toBe(200)
  const [made] = (await server.catalog.tokens.list({ orgId })).slice(-1)
  await call('PATCH', `authorizations/${made.id}`, { status: 'inactive' })
  expect(await status()).toBe(401)
  await call('PATCH', `authorizations/${made.id}`, { status: 'active' })
  expect(await status()).toBe(200)
  await call('DELETE', `authorizations/${made.id}`)
  expect(await status()).toBe(401)
})

it('knows an organization by its name of today', async () => {
  const { call, orgId, addToken, bucketId } = await setUp()
  const { json } = await call('POST', 'orgs', { name: 'second' })
  await call('POST', 'buckets', { orgID: json.id, name: 'there' })
  const lists = async (query: string, token?: string) => {
    const { json: list } = await call('GET', `buckets?${query}`, undefined, token)
    return list.buckets
      .map(({ name }: { name: string }) => name)
      .sort()
      .join(' ')
  }
  const [own, theirs] = ['_monitoring _tasks b', '_monitoring _tasks there']
  const all = '_monitoring _monitoring _tasks _tasks b there'
  // Whoever runs the installation sees all, or those of one that is named.
  expect([await lists('org=o'), await lists('org=second')]).toEqual([own, theirs])
  expect([await lists(''), await lists('org=p')]).toEqual([all, all])
  expect(await lists('orgID=x')).toBe(all)
  expect([await lists('name=there'), await lists('name=there&org=o')]).toEqual(['there', ''])
  await call('PATCH', `orgs/${orgId}`, { name: 'p' })
  expect([await lists('org=o'), await lists('org=p')]).toEqual([all, own])
  expect(await lists(`orgID=${orgId}`)).toBe(own)
  // For everybody else it is the token's own, whatever is named.
  const token = await addToken([{ action: 'read', resource: { type: 'buckets', id: bucketId } }])
  for (const query of ['', 'org=second', `orgID=${json.id}`, 'org=none', 'orgID=x']) {
    expect(await lists(query, token)).toBe('b')
  }
  await call('DELETE', `orgs/${json.id}`)
  expect([await lists('org=second'), await lists('')]).toEqual([own, own])
})

it('is empty for whoever may see none', async () => {
  const { names, addToken } = await setUp()
  const token = await addToken([{ action: 'read', resource: { type: 'scrapers' } }])
  expect(await names('', token)).toEqual([])
})

it('keeps the shard duration that was asked for', async () => {
  const { call, list, orgId } = await setUp()
  const rule = { type: 'expire', everySeconds: 86_400, shardGroupDurationSeconds: 3600 }
  const { json } = await call('POST', 'buckets', {
    orgID: orgId,
    name: 'x',
    retentionRules: [rule],
  })
  expect(json.retentionRules).toEqual([rule])
  const rules = async () => (await list('&name=x')) as unknown as (typeof json)[]
  expect((await rules())[0].retentionRules).toEqual([rule])
  const other = { ...rule, shardGroupDurationSeconds: 7200 }
  const changed = await call('PATCH', `buckets/${json.id}`, { retentionRules: [other] })
  expect(changed.json.retentionRules).toEqual([other])
  expect((await rules())[0].retentionRules).toEqual([other])
  const shorter = { type: 'expire', everySeconds: 7200 }
  const kept = await call('PATCH', `buckets/${json.id}`, { retentionRules: [shorter] })
  expect(kept.json.retentionRules).toEqual([{ ...shorter, shardGroupDurationSeconds: 7200 }])
})
