// Variables over HTTP: every operation, the rules of names and arguments, labels, and what a
// permission for one of them shows.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

const constant = { type: 'constant', values: ['a', 'b'] }

it('creates, shows, lists, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const body = { orgID: place.orgId, name: ' host ', description: 'd', arguments: constant }
  const made = await call('POST', '/api/v2/variables', body)
  expect(made.status).toBe(201)
  const { id } = made.json
  expect(made.json).toMatchObject({
    orgID: place.orgId,
    name: 'host',
    description: 'd',
    selected: [],
    arguments: constant,
    labels: [],
    links: {
      self: `/api/v2/variables/${id}`,
      labels: `/api/v2/variables/${id}/labels`,
      org: `/api/v2/orgs/${place.orgId}`,
    },
  })
  expect((await call('GET', `/api/v2/variables/${id}`)).json).toEqual(made.json)
  const list = await call('GET', '/api/v2/variables?org=o')
  expect(list.json).toEqual({ variables: [made.json], links: { self: '/api/v2/variables' } })

  const patched = await call('PATCH', `/api/v2/variables/${id}`, { selected: ['b'] })
  expect(patched.json).toMatchObject({ name: 'host', description: 'd', selected: ['b'] })
  const map = { type: 'map', values: { a: '1' } }
  const put = await call('PUT', `/api/v2/variables/${id}`, { name: 'h', arguments: map })
  expect(put.json).toMatchObject({ name: 'h', description: '', selected: [], arguments: map })
  expect(put.json.createdAt).toBe(made.json.createdAt)

  expect((await call('DELETE', `/api/v2/variables/${id}`)).status).toBe(204)
  const gone = await call('GET', `/api/v2/variables/${id}`)
  expect([gone.status, gone.json]).toEqual([
    404,
    { code: 'not found', message: 'variable not found' },
  ])
})

it.each([
  [{ arguments: constant }, 'missing variable name'],
  [{ name: '1st', arguments: constant }, 'variable name must start with a letter'],
  [{ name: 'Import', arguments: constant }, '"Import" is a protected variable name'],
  [{ name: 'v' }, 'invalid arguments type'],
  [{ name: 'v', arguments: { type: 'x' } }, 'invalid arguments type'],
  [{ name: 'v', arguments: { type: 'constant', values: {} } }, 'a list of strings'],
  [{ name: 'v', arguments: { type: 'map', values: ['a'] } }, 'an object of strings'],
  [{ name: 'v', arguments: { type: 'query', values: { query: 'q' } } }, 'flux, influxql or sql'],
  [
    { name: 'v', arguments: { type: 'query', values: { query: 'q', language: 'lua' } } },
    'flux, influxql or sql',
  ],
  [{ name: 5 }, 'body/name must be string'],
])('refuses %j', async (body, message) => {
  const call = caller(await install())
  const answer = await call('POST', '/api/v2/variables', body)
  expect(answer.status).toBe(400)
  expect(answer.json.message).toContain(message)
})

it('keeps names unique whatever their case', async () => {
  const call = caller(await install())
  const query = { type: 'query', values: { query: 'buckets()', language: 'flux' } }
  const first = await call('POST', '/api/v2/variables', { name: 'a', arguments: query })
  const second = await call('POST', '/api/v2/variables', { name: 'b', arguments: query })
  const again = await call('POST', '/api/v2/variables', { name: 'A', arguments: query })
  expect([again.status, again.json.code]).toEqual([422, 'conflict'])
  const renamed = await call('PATCH', `/api/v2/variables/${second.json.id}`, { name: 'A' })
  expect(renamed.status).toBe(422)
  const same = await call('PATCH', `/api/v2/variables/${first.json.id}`, { name: 'A' })
  expect(same.json.name).toBe('A')
  const nothing = await call('PATCH', `/api/v2/variables/${first.json.id}`, {})
  expect([nothing.status, nothing.json.message]).toEqual([400, 'no fields supplied in update'])
})

it('wears labels', async () => {
  const place = await install()
  const call = caller(place)
  const made = await call('POST', '/api/v2/variables', { name: 'a', arguments: constant })
  const label = await place.server.catalog.labels.create(place.orgId, 'l', {})
  const path = `/api/v2/variables/${made.json.id}/labels`
  expect((await call('POST', path, { labelID: label.id })).status).toBe(201)
  const shown = await call('GET', `/api/v2/variables/${made.json.id}`)
  expect(shown.json.labels).toMatchObject([{ id: label.id, name: 'l' }])
  expect((await call('GET', '/api/v2/variables')).json.variables[0].labels).toHaveLength(1)
  expect((await call('DELETE', `${path}/${label.id}`)).status).toBe(204)
  expect((await call('GET', path)).json.labels).toEqual([])
})

it('shows only what a token for one record may see', async () => {
  const place = await install()
  const { variables } = place.server.catalog
  const one = await variables.create(place.orgId, { name: 'one', arguments: constant })
  await variables.create(place.orgId, { name: 'two', arguments: constant })
  const resource = { type: 'variables', id: one.id } as const
  const token = await place.addToken([{ action: 'read', resource }])
  const list = await caller({ ...place, token })('GET', '/api/v2/variables')
  expect(list.json.variables.map((v: { name: string }) => v.name)).toEqual(['one'])
})

it('asks in SQL too, of a bucket, and keeps both through a template', async () => {
  const place = await install()
  const call = caller(place)
  const values = { query: 'SHOW TABLES', language: 'sql', bucket: 'b' }
  const query = { type: 'query', values }
  const made = await call('POST', '/api/v2/variables', { name: 'a', arguments: query })
  expect([made.status, made.json.arguments]).toEqual([201, query])
  const resources = [{ kind: 'Variable', id: made.json.id }]
  const { json: contents } = await call('POST', '/api/v2/templates/export', { resources })
  await call('DELETE', `/api/v2/variables/${made.json.id}`)
  const applied = await call('POST', '/api/v2/templates/apply', {
    orgID: place.orgId,
    template: { contents },
  })
  expect(applied.status).toBe(201)
  const { json } = await call('GET', '/api/v2/variables')
  expect(json.variables[0].arguments).toEqual(query)
})
