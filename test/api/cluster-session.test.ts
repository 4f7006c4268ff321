// Signing in to a cluster with a token: the cookie carries it, is good below `/api/` only, and ends with the token.

import { expect, it } from 'vitest'
import { adminToken, send, start } from './harness.js'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

it('takes a token once and a cookie from then on', async () => {
  const { url } = await start({ variant: 'cluster', adminToken })
  const signIn = (headers: Record<string, string>) =>
    send(`${url}/api/v2/signin`, { method: 'POST', headers })
  expect((await signIn({})).status).toBe(401)
  expect((await signIn(bearer('wrong'))).status).toBe(401)
  const evil = { ...bearer(adminToken), 'sec-fetch-site': 'cross-site' }
  expect((await signIn(evil)).status).toBe(403)
  const answer = await signIn(bearer(adminToken))
  expect(answer.status).toBe(204)
  const [set] = answer.headers['set-cookie'] ?? []
  expect(set).toMatch(/; Path=\/api\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/)
  const headers = { cookie: set.split(';', 1)[0] }
  const me = await send(`${url}/api/v2/me`, { headers })
  expect(me.json).toMatchObject({ name: 'admin' })
  const make = (extra: Record<string, string> = {}) =>
    send(`${url}/api/v3/configure/database`, {
      method: 'POST',
      headers: { ...headers, ...extra },
      body: JSON.stringify({ db: 'd' }),
    })
  expect((await make({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await make()).status).toBe(201)
  const query = `db=d&q=${encodeURIComponent('SHOW MEASUREMENTS')}`
  expect((await send(`${url}/api/v3/query_influxql?${query}`, { headers })).status).toBe(200)
  // Paths of v1 know no cookies.
  expect((await send(`${url}/query?${query}`, { headers })).status).toBe(401)
  const out = await send(`${url}/api/v2/signout`, { method: 'POST', headers })
  expect(out.headers['set-cookie']?.[0]).toMatch(
    /^influxdb-oss-session=; .*Expires=Thu, 01 Jan 1970/,
  )
})

it('shows a token for databases its own, and ends with it', async () => {
  const { url } = await start({ variant: 'cluster', adminToken })
  const admin = (method: string, path: string, body?: object) =>
    send(`${url}${path}`, {
      method,
      headers: bearer(adminToken),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  for (const db of ['mine', 'other']) await admin('POST', '/api/v3/configure/database', { db })
  const permissions = [{ resource_type: 'db', resource_names: ['mine'], actions: ['read'] }]
  const made = await admin('POST', '/api/v3/configure/token', { token_name: 't', permissions })
  const { token, id } = made.json
  const signedIn = await send(`${url}/api/v2/signin`, { method: 'POST', headers: bearer(token) })
  const headers = { cookie: signedIn.headers['set-cookie']![0].split(';', 1)[0] }
  const get = (path: string) => send(`${url}${path}`, { headers })
  expect((await get('/api/v2/me')).json.name).toBe('database token')
  const { buckets } = (await get('/api/v2/buckets')).json
  expect(buckets.map(({ name }: { name: string }) => name)).toEqual(['mine'])
  expect((await get(`/api/v2/buckets/${buckets[0].id}/schema`)).json).toMatchObject({
    measurements: [],
  })
  const all = (await admin('GET', '/api/v2/buckets')).json.buckets
  const other = all.find(({ name }: { name: string }) => name === 'other')
  expect((await get(`/api/v2/buckets/${other.id}/schema`)).status).toBe(401)
  expect((await get('/api/v3/configure/database')).status).toBe(401)
  expect((await get('/api/v2/queries')).json.queries).toEqual([])
  expect((await admin('DELETE', `/api/v3/configure/token?id=${id}`)).status).toBe(200)
  expect((await get('/api/v2/me')).status).toBe(401)
})
