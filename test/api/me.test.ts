// `/api/v2/me`: the user behind a token, a token without one, and the own password.

import { expect, it } from 'vitest'
import { install, send } from './harness.js'

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

it('shows the user of the token', async () => {
  const { url, token, orgId, addToken } = await install()
  const { status, json } = await send(`${url}/api/v2/me`, { token })
  expect(status).toBe(200)
  expect(json).toMatchObject({ name: 'u', status: 'active', links: { self: expect.any(String) } })
  expect(json.orgs).toEqual([{ id: orgId, name: 'o' }])
  const lonely = await addToken([{ action: 'read', resource: { type: 'buckets' } }])
  const none = await send(`${url}/api/v2/me`, { token: lonely })
  expect([none.status, none.json.message]).toEqual([404, 'user not found'])
  expect((await send(`${url}/api/v2/me`)).status).toBe(401)
})

it('changes the own password with a token or with the old one', async () => {
  const { url, token } = await install()
  const change = (headers: Record<string, string>, password: string) =>
    send(`${url}/api/v2/me/password`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ password }),
    })
  expect((await change({}, 'first password')).status).toBe(401)
  expect((await change({ authorization: `Token ${token}` }, 'first password')).status).toBe(204)
  expect((await change(basic('u', 'wrong'), 'second password')).status).toBe(403)
  expect((await change(basic('u', 'first password'), 'second password')).status).toBe(204)
  const signIn = (password: string) =>
    send(`${url}/api/v2/signin`, { method: 'POST', headers: basic('u', password) })
  expect((await signIn('first password')).status).toBe(401)
  expect((await signIn('second password')).status).toBe(204)
})
