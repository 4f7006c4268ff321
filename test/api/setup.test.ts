// Set-up: once, all or nothing, with the token shown once and never stored.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { adminToken, send, start, temporaryFolder } from './harness.js'

const good = { username: 'u', password: 'password', org: 'o', bucket: 'b' }
const post = (url: string, body: unknown) =>
  send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(body) })

it('is allowed until it was done', async () => {
  const { url } = await start()
  expect((await send(`${url}/api/v2/setup`)).json).toEqual({ allowed: true })
  expect((await post(url, good)).status).toBe(201)
  expect((await send(`${url}/api/v2/setup`)).json).toEqual({ allowed: false })
  const again = await post(url, good)
  expect(again.status).toBe(422)
  expect(again.json).toEqual({
    code: 'conflict',
    message: 'onboarding has already been completed',
  })
})

it('answers with user, organization, bucket and token', async () => {
  const { url } = await start()
  const { json } = await post(url, { ...good, retentionPeriodSeconds: 3600 })
  expect(json.user).toMatchObject({ name: 'u', status: 'active' })
  expect(json.org).toMatchObject({ name: 'o', status: 'active' })
  expect(json.bucket).toMatchObject({
    name: 'b',
    type: 'user',
    schemaType: 'implicit',
    orgID: json.org.id,
    retentionRules: [{ type: 'expire', everySeconds: 3600 }],
  })
  expect(json.auth).toMatchObject({ status: 'active', org: 'o', user: 'u', userID: json.user.id })
  expect(json.auth.description).toBe("u's Token")
  expect(json.auth.token).toMatch(/^[A-Za-z0-9_-]{86}==$/)
  expect(json.auth.permissions).toContainEqual({ action: 'write', resource: { type: 'buckets' } })
  for (const resource of [json.user, json.org, json.bucket, json.auth]) {
    expect(resource.id).toMatch(/^[0-9a-f]{16}$/)
  }
  for (const resource of [json.org, json.bucket, json.auth]) {
    expect(resource.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  }
})

it('keeps a bucket for 30 days unless told otherwise', async () => {
  const seconds = async (body: object) => {
    const { url } = await start()
    return (await post(url, { ...good, ...body })).json.bucket.retentionRules[0].everySeconds
  }
  expect(await seconds({})).toBe(2_592_000)
  expect(await seconds({ retentionPeriodSeconds: 0 })).toBe(0)
  expect(await seconds({ retentionPeriodHrs: 2 })).toBe(7200)
})

it('takes the token of the request, then the one given at start', async () => {
  const first = await start({ adminToken })
  expect((await post(first.url, { ...good, token: 'mine' })).json.auth.token).toBe('mine')
  const second = await start({ adminToken })
  expect((await post(second.url, good)).json.auth.token).toBe(adminToken)
})

it.each([
  [{}, 422, 'onboarding failed: missing required fields [username,org,bucket]'],
  [{ username: 'u', org: '' }, 422, 'onboarding failed: missing required fields [org,bucket]'],
  [{ ...good, password: 'short' }, 400, 'passwords must be between 8 and 72 characters long'],
  [{ ...good, bucket: '_b' }, 400, 'bucket name _b is invalid'],
  [{ ...good, retentionPeriodSeconds: -1 }, 422, 'expiration seconds cannot be negative'],
  [{ ...good, token: 'a b' }, 400, 'a token is made of printable characters without spaces'],
  [{ ...good, username: 5 }, 400, 'body/username must be string'],
])('refuses %j and leaves nothing behind', async (body, status, message) => {
  const { url } = await start()
  const answer = await post(url, body)
  expect(answer.status).toBe(status)
  expect(answer.json.message).toContain(message)
  expect((await send(`${url}/api/v2/setup`)).json).toEqual({ allowed: true })
  expect((await post(url, good)).status).toBe(201)
})

it('refuses what is not JSON and takes any content type', async () => {
  const { url } = await start()
  const broken = await send(`${url}/api/v2/setup`, { method: 'POST', body: '{' })
  expect(broken.status).toBe(400)
  expect(broken.json).toMatchObject({ code: 'invalid' })
  expect(broken.json.message).toMatch(/^invalid json structure: /)
  const none = await send(`${url}/api/v2/setup`, { method: 'POST' })
  expect(none.status).toBe(400)
  const odd = await send(`${url}/api/v2/setup`, {
    method: 'POST',
    body: JSON.stringify(good),
    headers: { 'content-type': 'complete nonsense' },
  })
  expect(odd.status).toBe(201)
})

it('stores neither tokens nor passwords in clear text', async () => {
  const dataDir = temporaryFolder()
  const { url } = await start({ dataDir })
  const { json } = await post(url, { ...good, password: 'a-secret-password' })
  const files = readdirSync(dataDir).filter((name) => name.startsWith('catalog'))
  const bytes = files.map((name) => readFileSync(`${dataDir}/${name}`, 'latin1')).join('')
  expect(bytes).toContain(json.org.id)
  expect(bytes).not.toContain(json.auth.token)
  expect(bytes).not.toContain('a-secret-password')
})

it('lets an operator make further users with organizations of their own', async () => {
  const { url } = await start()
  const operator = (await post(url, good)).json
  const more = (token: string | undefined, body: object) =>
    send(`${url}/api/v2/setup/user`, {
      method: 'POST',
      body: JSON.stringify({ username: 'u2', org: 'o2', bucket: 'b', ...body }),
      ...(token === undefined ? {} : { token }),
    })
  expect((await more(undefined, {})).status).toBe(401)
  const made = await more(operator.auth.token, {})
  expect(made.status).toBe(201)
  expect(made.json.user.name).toBe('u2')
  const { token } = made.json.auth
  const status = async (orgId: string) =>
    (await send(`${url}/api/v2/orgs/${orgId}`, { token })).status
  expect(await status(made.json.org.id)).toBe(200)
  expect(await status(operator.org.id)).toBe(401)
  expect((await more(token, { username: 'u3', org: 'o3' })).status).toBe(401)
  const again = await more(operator.auth.token, { username: 'u3' })
  expect([again.status, again.json.message]).toEqual([
    422,
    'organization with name o2 already exists',
  ])
  const { users } = (await send(`${url}/api/v2/users`, { token: operator.auth.token })).json
  expect(users.map((user: { name: string }) => user.name)).toEqual(['u', 'u2'])
})

it('makes the first user owner of the organization', async () => {
  const { url } = await start()
  const { auth, org, user } = (await post(url, good)).json
  const owners = await send(`${url}/api/v2/orgs/${org.id}/owners`, { token: auth.token })
  expect(owners.json.users).toMatchObject([{ id: user.id, role: 'owner' }])
})
