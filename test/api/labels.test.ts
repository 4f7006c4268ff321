// `/api/v2/labels` over HTTP: making, listing, changing and deleting labels.

import { expect, it } from 'vitest'
import { type Answer, install, send } from './harness.js'

async function setUp() {
  const installed = await install()
  const { url, orgId } = installed
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
  const make = (name: string, properties?: Record<string, string>) =>
    call('POST', 'labels', { orgID: orgId, name, properties })
  return { ...installed, call, make }
}

it('makes, lists, changes and deletes labels', async () => {
  const { call, make, orgId } = await setUp()
  const made = await make(' l ', { color: 'ff0000', description: 'd' })
  const { id } = made.json.label
  const label = { id, orgID: orgId, name: 'l', properties: { color: 'ff0000', description: 'd' } }
  const links = { self: `/api/v2/labels/${id}` }
  expect([made.status, made.json]).toEqual([201, { label, links }])
  expect((await call('GET', `labels/${id}`)).json).toEqual({ label, links })
  const other = (await make('other')).json.label
  expect(other).not.toHaveProperty('properties')
  for (const query of ['', `?orgID=${orgId}`, '?org=o']) {
    const { json } = await call('GET', `labels${query}`)
    expect(json).toEqual({ labels: [label, other], links: { self: '/api/v2/labels' } })
  }
  const changed = await call('PATCH', `labels/${id}`, {
    name: 'k',
    properties: { color: '', size: 'x' },
  })
  expect(changed.status).toBe(200)
  expect(changed.json.label).toEqual({
    ...label,
    name: 'k',
    properties: { description: 'd', size: 'x' },
  })
  expect((await call('PATCH', `labels/${id}`, {})).json).toEqual(changed.json)
  expect((await call('DELETE', `labels/${id}`)).status).toBe(204)
  expect((await call('GET', `labels/${id}`)).status).toBe(404)
})

it('refuses what is no label', async () => {
  const { call, make, orgId } = await setUp()
  const { id } = (await make('l')).json.label
  await make('taken')
  const unknown = 'labels/0123456789abcdef'
  const refused: [Promise<Answer>, number, string][] = [
    [call('POST', 'labels', { orgID: orgId }), 400, 'label name is required'],
    [make(' '), 400, 'label name is required'],
    [call('POST', 'labels', { name: 'x' }), 400, 'orgID is required'],
    [call('POST', 'labels', { name: 'x', orgID: '1' }), 400, 'id must have a length of 16 bytes'],
    [call('POST', 'labels', { name: 'x', orgID: orgId, properties: { a: 1 } }), 400, 'properties'],
    [make('L '), 422, 'label with name L already exists'],
    [call('PATCH', `labels/${id}`, { name: 'Taken' }), 422, 'already exists'],
    [call('PATCH', `labels/${id}`, { name: '' }), 400, 'label name is required'],
    [call('GET', unknown), 404, 'label not found'],
    [call('PATCH', unknown, {}), 404, 'label not found'],
    [call('DELETE', unknown), 404, 'label not found'],
    [call('GET', 'labels/1'), 400, 'id must have a length of 16 bytes'],
    [call('GET', 'labels?orgID=0123456789abcdef'), 404, 'organization not found'],
  ]
  for (const [answering, status, message] of refused) {
    const answer = await answering
    expect([answer.status, answer.json.message]).toEqual([status, expect.stringContaining(message)])
  }
  const twice = await Promise.all([make('same'), make('SAME')])
  expect(twice.map(({ status }) => status).sort()).toEqual([201, 422])
})

it('takes a deleted label off every resource', async () => {
  const { call, make, bucketId } = await setUp()
  const { label } = (await make('l')).json
  const kept = (await make('k')).json.label
  for (const { id } of [label, kept]) {
    await call('POST', `buckets/${bucketId}/labels`, { labelID: id })
  }
  expect((await call('GET', `buckets/${bucketId}`)).json.labels).toEqual([kept, label])
  await call('DELETE', `labels/${label.id}`)
  expect((await call('GET', `buckets/${bucketId}`)).json.labels).toEqual([kept])
})

it('shows a token the labels that it may read', async () => {
  const { call, make, addToken, orgId } = await setUp()
  const { id } = (await make('a')).json.label
  await make('b')
  const seen = async (resource: { id?: string; orgID?: string }) => {
    const token = await addToken([{ action: 'read', resource: { type: 'labels', ...resource } }])
    const { json } = await call('GET', 'labels', undefined, token)
    return json.labels.map((label: { name: string }) => label.name)
  }
  expect(await seen({ orgID: orgId })).toEqual(['a', 'b'])
  expect(await seen({ id })).toEqual(['a'])
})
