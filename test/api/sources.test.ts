// Sources over HTTP: every operation, this server as a source, credentials that stay inside, and
// who gets in.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

const path = '/api/v2/sources'

it('creates, shows, lists, changes and deletes', async () => {
  const { server, ...place } = await install()
  const call = caller({ server, ...place })
  const body = { name: 's', type: 'v1', url: 'http://example.com', username: 'u' }
  const made = await call('POST', path, { ...body, password: 'pass-word' })
  expect(made.status).toBe(201)
  expect(made.text).not.toContain('pass-word')
  const { id } = made.json
  const self = `${path}/${id}`
  expect(made.json).toMatchObject({
    ...body,
    orgID: place.orgId,
    default: false,
    languages: ['influxql'],
    links: { self, query: `${self}/query`, health: `${self}/health`, buckets: `${self}/buckets` },
  })
  expect(await server.catalog.secrets.get(place.orgId, `${id}-password`)).toBe('pass-word')
  expect((await call('GET', self)).json).toEqual(made.json)
  const list = (await call('GET', `${path}?org=o`)).json.sources
  expect(list).toMatchObject([{ type: 'self', default: true }, { id }])
  const changed = await call('PATCH', self, { name: 't', type: 'v2' })
  expect(changed.json).toMatchObject({ name: 't', type: 'v2', url: body.url })
  for (const [below, what] of [
    ['health', 'the health'],
    ['buckets', 'the list of buckets'],
  ]) {
    const message = `${what} of the source is unknown: this server does not connect to others`
    const answer = await call('GET', `${self}/${below}`)
    expect([answer.status, answer.json.message]).toEqual([422, message])
  }
  expect((await call('POST', path, { ...body, type: 'x' })).status).toBe(400)
  expect((await call('POST', path, {})).status).toBe(400)
  expect((await call('DELETE', self)).status).toBe(204)
  expect((await call('GET', self)).json.message).toBe('source not found')
  expect(await server.catalog.secrets.keys(place.orgId)).toEqual([])
})

it('is a source itself', async () => {
  const place = await install()
  const call = caller(place)
  const [own] = (await call('GET', path)).json.sources
  expect((await call('GET', own.links.self)).json).toEqual(own)
  expect((await call('GET', own.links.health)).json.status).toBe('pass')
  const { buckets } = (await call('GET', own.links.buckets)).json
  expect(buckets.map((bucket: { name: string }) => bucket.name)).toContain('b')
  expect((await call('DELETE', own.links.self)).status).toBe(403)
  expect((await call('PATCH', own.links.self, { name: 'x' })).status).toBe(403)
})
