// Invokable scripts over HTTP: every operation but invoking, and the parameters that a script
// takes.

import { expect, it } from 'vitest'
import { caller, install } from './harness.js'

const path = '/api/v2/scripts'
const absent = '0123456789abcdef'
const good = {
  name: 's',
  description: 'd',
  script: 'from(bucket: params.bucket) |> range(start: params["start"]) // params.no',
  language: 'flux',
}

it('creates, shows, lists, changes and deletes', async () => {
  const place = await install()
  const call = caller(place)
  const made = await call('POST', path, good)
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ ...good, orgID: place.orgId })
  const self = `${path}/${made.json.id}`
  expect((await call('GET', self)).json).toEqual(made.json)
  expect((await call('PATCH', self)).json).toEqual(made.json)
  const changed = await call('PATCH', self, { description: 'e', name: 'ignored' })
  expect(changed.json).toMatchObject({ ...good, description: 'e' })
  expect((await call('GET', path)).json).toEqual({
    scripts: [changed.json],
    links: { self: path },
  })
  expect((await call('DELETE', self)).status).toBe(204)
  expect((await call('DELETE', self)).status).toBe(204)
  const gone = await call('GET', self)
  const message = `script "${made.json.id}" not found`
  expect([gone.status, gone.json]).toEqual([404, { code: 'not found', message }])
})

it('lists by name and in pages', async () => {
  const call = caller(await install())
  for (const name of ['a', 'b', 'c']) await call('POST', path, { ...good, name })
  const names = async (query: string) => {
    const { json } = await call('GET', `${path}?${query}`)
    return json.scripts.map((script: { name: string }) => script.name).join('')
  }
  expect(await names('name=b')).toBe('b')
  expect(await names('limit=2')).toBe('ab')
  expect(await names('limit=2&offset=2')).toBe('c')
  expect(await names('limit=0')).toBe('abc')
  expect((await call('GET', `${path}?limit=501`)).status).toBe(400)
})

it('keeps names unique and languages known', async () => {
  const call = caller(await install())
  await call('POST', path, good)
  const again = await call('POST', path, good)
  expect([again.status, again.json]).toEqual([
    422,
    { code: 'conflict', message: 'uniqueness violation' },
  ])
  expect((await call('POST', path, { ...good, name: 't', language: 'basic' })).status).toBe(400)
  expect((await call('POST', path, { ...good, name: '' })).status).toBe(400)
  expect((await call('POST', path, { name: 't' })).status).toBe(400)
})

it('tells its parameters and is not invoked yet', async () => {
  const call = caller(await install())
  const { id } = (await call('POST', path, good)).json
  const { json } = await call('GET', `${path}/${id}/params`)
  expect(json).toEqual({ params: { bucket: 'any', start: 'any' } })
  const invoked = await call('POST', `${path}/${id}/invoke`, { params: { bucket: 'b' } })
  expect([invoked.status, invoked.json.code]).toEqual([501, 'not implemented'])
  expect((await call('POST', `${path}/${absent}/invoke`, {})).status).toBe(404)
})
