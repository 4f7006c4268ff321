// Tokens of v3 in the managed variant: authorizations of v2, made, listed and revoked through v3's endpoints.

import { expect, it } from 'vitest'
import { caller, type Installation, install, send } from './harness.js'

const path = '/api/v3/configure/token'

const as = (here: Installation, token: string) => caller({ ...here, token })

it('named admin tokens may do everything, and are authorizations', async () => {
  const here = await install()
  const call = caller(here)
  const made = await call('POST', `${path}/named_admin`, { token_name: 'second' })
  expect([made.status, made.json]).toEqual([
    201,
    {
      id: expect.any(String),
      name: 'second',
      permissions: [{ resource_type: '*', resource_names: ['*'], actions: ['*'] }],
      created_at: expect.any(String),
      expiry: null,
      revoked_at: null,
      token: expect.stringMatching(/^[\w-]{86}==$/),
    },
  ])
  const second = as(here, made.json.token)
  const { authorizations } = (await call('GET', '/api/v2/authorizations')).json
  const listed = authorizations.find((one: { id: string }) => one.id === made.json.id)
  expect(listed).toMatchObject({ description: 'second', status: 'active', user: 'u' })
  expect((await second('POST', '/api/v2/orgs', { name: 'another' })).status).toBe(201)
  for (const name of ['second', '_admin', 'first token', "u's Token"]) {
    const again = await second('POST', `${path}/named_admin`, { token_name: name })
    expect([name, again.status]).toEqual([name, 409])
  }
  expect((await call('POST', `${path}/admin`)).status).toBe(409)
  const ending = { token_name: 'third', expiry_secs: 60 }
  expect((await call('POST', `${path}/named_admin`, ending)).status).toBe(400)
  const names = (await call('GET', path)).json.map((one: { name: string }) => one.name)
  expect(names).toEqual(["u's Token", 'second'])
  expect((await call('DELETE', `${path}?token_name=second`)).status).toBe(200)
  expect((await second('GET', path)).status).toBe(401)
})

it('the first token can be made anew, and no other', async () => {
  const here = await install()
  await caller(here)('POST', `${path}/named_admin`, { token_name: 'other' })
  const made = await caller(here)('POST', `${path}/admin/regenerate`)
  expect([made.status, made.json.name]).toEqual([201, "u's Token"])
  expect((await caller(here)('GET', path)).status).toBe(401)
  const fresh = as(here, made.json.token)
  const again = await fresh('POST', `${path}/admin/regenerate`)
  expect(again.status).toBe(201)
  expect((await fresh('GET', path)).status).toBe(401)
  const listed = (await as(here, again.json.token)('GET', path)).json
  expect(listed.map((one: { name: string }) => one.name)).toEqual(['other', "u's Token"])
})

it('tokens for databases are good for their buckets alone', async () => {
  const here = await install()
  const call = caller(here)
  await call('POST', '/api/v3/configure/database', { db: 'd' })
  const give = (names: string[], actions: string[], more: object = {}) =>
    call('POST', path, {
      permissions: [{ resource_type: 'db', resource_names: names, actions }],
      ...more,
    })
  const made = await give(['d'], ['write'], { token_name: 'writer' })
  expect([made.status, made.json.permissions]).toEqual([
    201,
    [{ resource_type: 'db', resource_names: ['d'], actions: ['write'] }],
  ])
  const write = (db: string, token: string) =>
    send(`${here.url}/api/v3/write_lp?db=${db}`, { method: 'POST', token, body: 'm f=1' })
  const { token } = made.json
  expect((await write('d', token)).status).toBe(204)
  expect((await write('b', token)).status).toBe(401)
  expect((await send(`${here.url}/query?db=d&q=select+f+from+m`, { token })).status).not.toBe(200)
  expect((await as(here, token)('GET', path)).status).toBe(401)
  const every = (await give(['*'], ['read', 'write'])).json.token
  expect((await write('b', every)).status).toBe(204)
  expect((await give(['none'], ['read'])).status).toBe(404)
  expect((await give(['d'], ['read'], { token_name: 'writer' })).status).toBe(409)
  expect((await give(['d'], ['read'], { expiry_secs: 60 })).status).toBe(400)
  expect((await call('DELETE', `${path}?id=${made.json.id}`)).status).toBe(200)
  expect((await write('d', token)).status).toBe(401)
  expect((await call('DELETE', `${path}?id=${made.json.id}`)).status).toBe(404)
  expect((await call('DELETE', path)).status).toBe(400)
})
