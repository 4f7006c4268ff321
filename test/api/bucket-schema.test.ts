// `GET /api/v2/buckets/{id}/schema`: what lies in a bucket, in pages, for whoever may read it.

import { expect, it } from 'vitest'
import { install, send } from './harness.js'

async function prepared() {
  const { url, token, addToken } = await install()
  const orgID = (await send(`${url}/api/v2/orgs`, { token })).json.orgs[0].id
  const created = await send(`${url}/api/v2/buckets`, {
    method: 'POST',
    token,
    body: JSON.stringify({ orgID, name: 'points', retentionRules: [] }),
  })
  const { id } = created.json
  const lines = [
    ...Array.from(
      { length: 150 },
      (_, i) => `cpu,host=h${String(i).padStart(3, '0')} load=1,user=2i 1000`,
    ),
    'cpu,host=h000 load=2 2000',
    ...Array.from({ length: 3 }, (_, i) => `Disk${i} free=1 1000`),
  ]
  const write = `${url}/api/v2/write?orgID=${orgID}&bucket=points`
  expect((await send(write, { method: 'POST', token, body: lines.join('\n') })).status).toBe(204)
  const ask = (query: string, by = token) =>
    send(`${url}/api/v2/buckets/${id}/schema${query}`, { token: by })
  return { ask, addToken, id, orgID }
}

it('lists measurements, searched and in pages', async () => {
  const { ask } = await prepared()
  expect((await ask('')).json).toEqual({
    measurements: ['Disk0', 'Disk1', 'Disk2', 'cpu'],
    total: 4,
    hasMore: false,
  })
  expect((await ask('?search=disk&limit=2')).json).toEqual({
    measurements: ['Disk0', 'Disk1'],
    total: 3,
    hasMore: true,
  })
  expect((await ask('?search=disk&limit=2&offset=2')).json).toEqual({
    measurements: ['Disk2'],
    total: 3,
    hasMore: false,
  })
  expect((await ask('?counts=true&offset=2')).json).toEqual({
    measurements: ['Disk2', 'cpu'],
    seriesCounts: [1, 150],
    total: 4,
    hasMore: false,
  })
})

it('tells what a measurement is made of, and values of its tags', async () => {
  const { ask } = await prepared()
  expect((await ask('?measurement=cpu')).json).toMatchObject({
    measurement: 'cpu',
    seriesCount: 150,
    fields: [
      { name: 'load', type: 'float' },
      { name: 'user', type: 'integer' },
    ],
    tagKeys: ['host'],
    first: '1970-01-01T00:00:00.000001000Z',
  })
  const first = (await ask('?measurement=cpu&tag=host')).json
  expect([first.values.length, first.total, first.hasMore]).toEqual([100, 150, true])
  const found = (await ask('?measurement=cpu&tag=host&search=H01&limit=3')).json
  expect(found).toEqual({ values: ['h010', 'h011', 'h012'], total: 10, hasMore: true })
})

it('tells how much there is in all', async () => {
  const { ask } = await prepared()
  expect((await ask('?figures=true')).json).toMatchObject({
    seriesCount: 153,
    rowCountMax: 154,
    last: '1970-01-01T00:00:00.000002000Z',
  })
  expect((await ask('?measurement=cpu')).json.storedBytes).toBeTypeOf('number')
})

it('refuses what cannot be meant, and those who may not', async () => {
  const { ask, addToken, orgID } = await prepared()
  expect((await ask('?measurement=none')).status).toBe(404)
  expect((await ask('?tag=host')).status).toBe(400)
  for (const bad of ['limit=-1', 'limit=1001', 'offset=x']) {
    expect((await ask(`?${bad}`)).status, bad).toBe(400)
  }
  const other = await addToken([{ action: 'read', resource: { type: 'tasks', orgID } }])
  expect((await ask('', other)).status).toBe(401)
})
