// Stacks over HTTP: every operation, what an uninstalled stack leaves behind, and who gets in.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

const path = '/api/v2/stacks'
const label = (name: string) => ({
  apiVersion: 'influxdata.com/v2alpha1',
  kind: 'Label',
  metadata: { name },
  spec: {},
})

it('creates, shows, lists, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const body = { orgID: place.orgId, name: 's', description: 'd', urls: ['http://example.com'] }
  const made = await call('POST', path, body)
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ ...body, events: [{ eventType: 'create', name: 's' }] })
  const { id } = made.json
  expect((await call('GET', `${path}/${id}`)).json).toEqual(made.json)
  const changed = await call('PATCH', `${path}/${id}`, { name: 't', templateURLs: [] })
  expect(changed.json).toMatchObject({ name: 't', description: 'd', urls: [] })
  expect(changed.json.events).toHaveLength(2)
  await call('POST', path, { name: 'other' })
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?orgID=${place.orgId}&${query}`)
    return json.stacks.map((stack: { name: string }) => stack.name)
  }
  expect(await names('')).toEqual(['t', 'other'])
  expect(await names('name=other')).toEqual(['other'])
  expect(await names(`stackID=${id}&name=other`)).toEqual(['t', 'other'])
  const bad = await call('GET', `${path}?orgID=x`)
  expect([bad.status, bad.json.message]).toEqual([400, 'organization id["x"] is invalid'])
  expect((await call('DELETE', `${path}/${id}?orgID=${place.orgId}`)).status).toBe(204)
  expect((await call('DELETE', `${path}/${id}?orgID=${place.orgId}`)).status).toBe(204)
  expect((await call('GET', `${path}/${id}`)).status).toBe(404)
})

it('takes its resources with it', async () => {
  const place = await install()
  const call = caller(place)
  const apply = async (name: string) => {
    const template = { contents: [label(name)] }
    return (await call('POST', '/api/v2/templates/apply', { template })).json.stackID
  }
  const labels = async () => {
    const found = await place.server.catalog.labels.records.list({ orgId: place.orgId })
    return found.map(({ name }) => name)
  }
  const [one, two] = [await apply('one'), await apply('two')]
  const uninstalled = await call('POST', `${path}/${one}/uninstall?orgID=${place.orgId}`)
  expect(uninstalled.json).toMatchObject({ eventType: 'uninstall', resources: [] })
  expect(await labels()).toEqual(['two'])
  const permissions = [{ action: 'write', resource: { type: 'orgs' } }] as const
  const token = await place.addToken(permissions)
  expect((await caller({ ...place, token })('DELETE', `${path}/${two}`)).status).toBe(401)
  expect((await call('DELETE', `${path}/${two}`)).status).toBe(204)
  expect(await labels()).toEqual([])
})

it('is refused where stacks are not enabled', async () => {
  const place = await install()
  const call = caller(place)
  await place.server.catalog.limits.change(place.orgId, { stack: { enabled: false } })
  expect((await call('POST', path, { name: 's' })).status).toBe(403)
  expect((await call('POST', '/api/v2/templates/apply', {})).status).toBe(403)
})
