// What the interface says about itself: its top-level routes, permission types, flags and, to
// operators, its configuration.

import { expect, it } from 'vitest'
import { install, send } from './harness.js'

it('lists the top-level routes that it serves, and no others', async () => {
  const { url, token } = await install()
  const listed = (await send(`${url}/api/v2`, { token })).json
  expect((await send(`${url}/api/v2/`, { token })).json).toEqual(listed)
  const { system, query = {}, ...named } = listed
  const paths: string[] = [named, system, query].flatMap((group) => Object.values(group))
  for (const path of paths) {
    // A path that is known, with a method that it does not have.
    const answer = await send(`${url}${path}`, { token, method: 'PROPFIND' })
    expect([path, answer.status]).toEqual([path, 405])
  }
  const served = Object.keys((await send(`${url}/api/v2/swagger.json`)).json.paths)
  const isTopLevel = (path: string) => /^\/api\/v2\/[\w.]+$/.test(path)
  const topLevel = served.filter(isTopLevel)
  expect(paths.filter(isTopLevel).sort()).toEqual(topLevel.sort())
  expect(topLevel.length).toBeGreaterThan(25)
  expect(listed).toMatchObject({
    buckets: '/api/v2/buckets',
    swagger: '/api/v2/swagger.json',
    system: { health: '/health', metrics: '/metrics', ready: '/ready' },
  })
})

it('lists permission types and flags', async () => {
  const { url, token } = await install()
  const get = async (path: string) => (await send(`${url}/api/v2${path}`, { token })).json
  const types = await get('/resources')
  expect(types).toHaveLength(26)
  expect(types).toContain('dbrp')
  expect(await get('/flags')).toEqual({})
})

it('shows the configuration to operators, without secrets', async () => {
  const adminToken = 'very-secret-token'
  const { url, token, addToken, orgId } = await install({ adminToken, maxBodyBytes: 1000 })
  for (const operator of [token, adminToken]) {
    const { status, json, text } = await send(`${url}/api/v2/config`, { token: operator })
    expect(status).toBe(200)
    expect(json.config).toMatchObject({ variant: 'managed', 'http-address': '127.0.0.1:0' })
    expect(Object.values(json.config)).toContain(1000)
    expect(text).not.toContain(adminToken)
  }
  const member = await addToken([{ action: 'read', resource: { type: 'instance', orgID: orgId } }])
  const refused = await send(`${url}/api/v2/config`, { token: member })
  expect(refused.status).toBe(401)
  expect(refused.json.message).toBe('access to /api/v2/config requires operator permissions')
})
