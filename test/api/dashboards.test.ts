// Dashboards, their cells and views over HTTP: every operation, filters and pages, and
// refusals.

import { expect, it } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import { caller, install } from './harness.js'

const path = '/api/v2/dashboards'
const absent = '0123456789abcdef'

it('creates, shows, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const body = { orgID: place.orgId, name: 'd', description: 'about' }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  const { id } = made.json
  const self = `${path}/${id}`
  expect(made.json).toMatchObject({
    ...body,
    cells: [],
    labels: [],
    meta: { createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) },
    links: {
      self,
      cells: `${self}/cells`,
      members: `${self}/members`,
      owners: `${self}/owners`,
      labels: `${self}/labels`,
      org: `/api/v2/orgs/${place.orgId}`,
    },
  })
  const changed = await call('PATCH', self, { name: 'e' })
  expect(changed.json).toMatchObject({ name: 'e', description: 'about' })
  expect((await call('GET', self)).json).toEqual(changed.json)
  const nothing = await call('PATCH', self, {})
  expect([nothing.status, nothing.json.message]).toEqual([
    400,
    'must update at least one attribute',
  ])
  expect((await call('DELETE', self)).status).toBe(204)
  for (const method of ['GET', 'DELETE']) {
    const gone = await call(method, self)
    expect([gone.status, gone.json.message]).toEqual([404, 'dashboard not found'])
  }
  expect((await call('POST', path, {})).status).toBe(400)
  expect((await call('GET', `${path}/xyz`)).json.message).toBe('id must have a length of 16 bytes')
})

it('lists in pages, by id, by owner and in order', async () => {
  const place = await install()
  const call = caller(place)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.push((await call('POST', path, { name })).json.id)
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?${query}`)
    return json.dashboards.map((dashboard: { name: string }) => dashboard.name).join('')
  }
  expect(await names('')).toBe('abc')
  expect(await names('limit=2')).toBe('ab')
  expect(await names('limit=2&offset=2')).toBe('c')
  expect(await names(`after=${ids[0]}`)).toBe('bc')
  expect(await names('limit=-1&descending=true')).toBe('cba')
  expect(await names(`id=${ids[2]}&id=${ids[0]}`)).toBe('ac')
  expect(await names('sortBy=CreatedAt&descending=true')).toBe('cba')
  await call('PATCH', `${path}/${ids[0]}`, { description: 'x' })
  expect(await names('sortBy=UpdatedAt')).toBe('bca')
  const { userId } = (await place.server.catalog.tokens.findByHash(hashToken(place.token))) ?? {
    userId: '',
  }
  expect(await names(`owner=${userId}`)).toBe('abc')
  expect(await names(`owner=${absent}`)).toBe('')
  const { json } = await call('GET', `${path}?limit=1&offset=1&org=o`)
  expect(json.links).toEqual({
    self: `${path}?descending=false&limit=1&offset=1&org=o`,
    next: `${path}?descending=false&limit=1&offset=2&org=o`,
    prev: `${path}?descending=false&limit=1&offset=0&org=o`,
  })
  for (const bad of ['limit=101', 'limit=0', 'offset=x', 'descending=yes', 'sortBy=x', 'id=x']) {
    expect([bad, (await call('GET', `${path}?${bad}`)).status]).toEqual([bad, 400])
  }
})

it('has cells that are added, placed, replaced and dropped', async () => {
  const call = caller(await install())
  const { id } = (await call('POST', path, { name: 'd' })).json
  const cells = `${path}/${id}/cells`
  const empty = await call('POST', cells)
  expect([empty.status, empty.json.message]).toEqual([400, 'req body is empty'])
  const one = await call('POST', cells, { name: 'one', x: 1, y: 2, w: 3, h: 4 })
  expect(one.status).toBe(201)
  const oneId = one.json.id
  expect(one.json).toEqual({
    id: oneId,
    x: 1,
    y: 2,
    w: 3,
    h: 4,
    viewID: oneId,
    links: { self: `${cells}/${oneId}`, view: `${cells}/${oneId}/view` },
  })
  const moved = await call('PATCH', `${cells}/${oneId}`, { x: 7 })
  expect(moved.json).toMatchObject({ x: 7, y: 2 })
  const two = await call('POST', cells, { usingView: oneId })
  expect((await call('GET', `${cells}/${two.json.id}/view`)).json.name).toBe('one')
  expect((await call('POST', cells, { usingView: absent })).status).toBe(404)

  const replaced = await call('PUT', cells, [{ id: two.json.id, w: 5 }])
  expect(replaced.status).toBe(201)
  expect(replaced.json.cells).toMatchObject([{ id: two.json.id, w: 5 }])
  const missing = await call('PUT', cells, [{ w: 5 }])
  expect([missing.status, missing.json.message]).toEqual([400, 'cannot provide empty cell id'])
  const unknown = await call('PUT', cells, [{ id: oneId }])
  expect([unknown.status, unknown.json.message]).toEqual([
    422,
    'cannot replace cells that were not already present',
  ])
  const lost = await call('PATCH', `${cells}/${oneId}`, { x: 1 })
  expect([lost.status, lost.json.message]).toEqual([404, 'cell not found'])
  expect((await call('DELETE', `${cells}/${two.json.id}`)).status).toBe(204)
  expect((await call('DELETE', `${cells}/${two.json.id}`)).status).toBe(404)
  expect((await call('GET', `${path}/${id}`)).json.cells).toEqual([])
})

it('loses no cell of many that are added at once', async () => {
  const call = caller(await install())
  const { id } = (await call('POST', path, { name: 'd' })).json
  const adding = Array.from({ length: 10 }, (_, x) => call('POST', `${path}/${id}/cells`, { x }))
  await Promise.all(adding)
  expect((await call('GET', `${path}/${id}`)).json.cells).toHaveLength(10)
})

it('has a view for each cell', async () => {
  const call = caller(await install())
  const properties = { shape: 'chronograf-v2', type: 'markdown', note: '# Hi' }
  const { id } = (await call('POST', path, { name: 'd' })).json
  const cell = (await call('POST', `${path}/${id}/cells`, { name: 'v' })).json
  const { view } = cell.links
  const first = await call('GET', view)
  expect(first.json).toEqual({
    id: cell.id,
    name: 'v',
    properties: { shape: 'empty' },
    links: { self: view },
  })
  const changed = await call('PATCH', view, { name: 'w', properties })
  expect(changed.json).toMatchObject({ name: 'w', properties })
  const bad = await call('PATCH', view, { properties: { type: 'pie' } })
  expect([bad.status, bad.json.message]).toEqual([400, 'unknown view type "pie"'])
  const plain = (await call('GET', `${path}/${id}`)).json.cells[0]
  expect(plain).not.toHaveProperty('properties')
  const whole = (await call('GET', `${path}/${id}?include=properties`)).json.cells[0]
  expect(whole).toMatchObject({ name: 'w', properties })
  const lost = await call('GET', `${path}/${id}/cells/${absent}/view`)
  expect([lost.status, lost.json.message]).toEqual([404, 'view not found'])
  const other = { x: 1, name: 'other', properties }
  const patched = await call('PATCH', `${path}/${id}`, { cells: [{ id: cell.id }, other] })
  expect(patched.json.cells).toHaveLength(2)
  const both = (await call('GET', `${path}/${id}?include=properties`)).json.cells
  expect(both).toMatchObject([{ id: cell.id, name: 'w', properties }, other])
})

it('has labels, members and owners', async () => {
  const place = await install()
  const call = caller(place)
  const { id } = (await call('POST', path, { name: 'd' })).json
  const user = await place.server.catalog.users.create({ name: 'm', passwordHash: undefined })
  expect((await call('POST', `${path}/${id}/members`, { id: user.id })).status).toBe(201)
  expect((await call('GET', `${path}/${id}/members`)).json.users).toMatchObject([{ name: 'm' }])
  expect((await call('DELETE', `${path}/${id}/members/${user.id}`)).status).toBe(204)
  expect((await call('POST', `${path}/${id}/owners`, { id: user.id })).status).toBe(201)
  const owned = await call('GET', `${path}?owner=${user.id}`)
  expect(owned.json.dashboards).toHaveLength(1)
  expect((await call('GET', `${path}/${id}/labels`)).json.labels).toEqual([])
})
