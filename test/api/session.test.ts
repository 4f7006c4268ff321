// Sessions: signing in and out, what a user may do by their roles, how long a session lives, and
// requests that other sites' pages make.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { ManualClock } from '../../src/platform/clock.js'
import { type Answer, send, start, temporaryFolder } from './harness.js'

const password = 'the password'
const basic = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

async function prepare(options: ServerOptions = {}) {
  const server = await start(options)
  const { url } = server
  const body = JSON.stringify({ username: 'u', password, org: 'o', bucket: 'b' })
  const { auth, org } = (await send(`${url}/api/v2/setup`, { method: 'POST', body })).json
  const call = (
    method: string,
    path: string,
    headers: Record<string, string>,
    json?: unknown,
  ): Promise<Answer> =>
    send(url + path, {
      method,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
  const signIn = async (user = 'u', headers: Record<string, string> = {}) =>
    call('POST', '/api/v2/signin', { ...basic(user), ...headers })
  const cookieOf = (answer: Answer) => ({
    cookie: (answer.headers['set-cookie']?.[0] ?? '').split(';', 1)[0],
  })
  const addUser = async (name: string) => {
    const operator = { authorization: `Token ${auth.token}` }
    const { id } = (await call('POST', '/api/v2/users', operator, { name })).json
    await call('POST', `/api/v2/users/${id}/password`, operator, { password })
    return id as string
  }
  const operator = { authorization: `Token ${auth.token}` }
  return { server, url, operator, orgId: org.id as string, call, signIn, cookieOf, addUser }
}

it('signs in with a cookie that only the server reads, and out', async () => {
  const { call, signIn, cookieOf } = await prepare()
  const answer = await signIn()
  expect(answer.status).toBe(204)
  expect(answer.headers['set-cookie']?.[0]).toMatch(
    /^influxdb-oss-session=[\w-]{86}==; Path=\/api\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Strict$/,
  )
  const cookie = cookieOf(answer)
  expect((await call('GET', '/api/v2/me', cookie)).json.name).toBe('u')
  expect((await call('GET', '/api/v2/orgs', cookie)).status).toBe(200)
  expect((await call('GET', '/debug/export?bucket=b', cookie)).status).toBe(401)
  const both = { ...cookie, authorization: 'Token wrong' }
  expect((await call('GET', '/api/v2/me', both)).status).toBe(401)
  const out = await call('POST', '/api/v2/signout', cookie)
  expect(out.status).toBe(204)
  expect(out.headers['set-cookie']?.[0]).toMatch(
    /^influxdb-oss-session=;.* Expires=Thu, 01 Jan 1970/,
  )
  expect((await call('GET', '/api/v2/me', cookie)).status).toBe(401)
  expect((await call('POST', '/api/v2/signout', cookie)).status).toBe(401)
})

it('refuses wrong passwords, unknown and inactive users', async () => {
  const { call, signIn, addUser, operator } = await prepare()
  const wrong = { authorization: `Basic ${Buffer.from('u:wrong').toString('base64')}` }
  for (const headers of [{}, wrong, { authorization: 'Token x' }, { authorization: 'Basic x' }]) {
    const answer = await call('POST', '/api/v2/signin', headers)
    expect([answer.status, answer.json.message]).toEqual([401, 'unauthorized access'])
  }
  expect((await signIn('nobody')).status).toBe(401)
  const id = await addUser('ada')
  await call('PATCH', `/api/v2/users/${id}`, operator, { status: 'inactive' })
  const inactive = await signIn('ada')
  expect([inactive.status, inactive.json.message]).toEqual([403, 'User is inactive'])
})

it('gives owners and members what their role says', async () => {
  const { call, signIn, cookieOf, addUser, operator, orgId } = await prepare()
  const id = await addUser('ada')
  const cookie = cookieOf(await signIn('ada'))
  const org = `/api/v2/orgs/${orgId}`
  const rename = () => call('PATCH', org, cookie, { description: 'd' })
  expect((await call('GET', `/api/v2/users/${id}`, cookie)).status).toBe(200)
  expect((await call('GET', org, cookie)).status).toBe(401)
  await call('POST', `${org}/members`, operator, { id })
  expect((await call('GET', org, cookie)).status).toBe(200)
  expect((await call('GET', '/api/v2/orgs', cookie)).json.orgs).toHaveLength(1)
  expect((await call('GET', `${org}/secrets`, cookie)).status).toBe(200)
  expect((await rename()).status).toBe(401)
  await call('DELETE', `${org}/members/${id}`, operator)
  await call('POST', `${org}/owners`, operator, { id })
  expect((await rename()).status).toBe(200)
  expect((await call('PATCH', `${org}/secrets`, cookie, { k: 'v' })).status).toBe(204)
  expect((await call('POST', '/api/v2/orgs', cookie, { name: 'mine' })).status).toBe(401)
  expect((await call('PUT', `${org}/limits`, cookie, {})).status).toBe(401)
  await call('DELETE', `${org}/owners/${id}`, operator)
  expect((await rename()).status).toBe(401)
})

it('ends when it was not used for an hour, and after a day', async () => {
  const minute = 60_000_000_000n
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const { call, signIn, cookieOf } = await prepare({ clock })
  const cookie = cookieOf(await signIn())
  const isIn = async () => (await call('GET', '/api/v2/me', cookie)).status === 200
  for (let i = 0; i < 3; i++) {
    clock.advance(59n * minute)
    expect(await isIn()).toBe(true)
  }
  clock.advance(61n * minute)
  expect(await isIn()).toBe(false)
  const second = cookieOf(await signIn())
  for (let i = 0; i < 24; i++) {
    clock.advance(59n * minute)
    expect((await call('GET', '/api/v2/me', second)).status).toBe(200)
  }
  clock.advance(59n * minute)
  expect((await call('GET', '/api/v2/me', second)).status).toBe(401)
})

it('ends with a new password and with the user', async () => {
  const { call, signIn, cookieOf, addUser, operator } = await prepare()
  const id = await addUser('ada')
  const first = cookieOf(await signIn('ada'))
  const alone = await call('PUT', '/api/v2/me/password', first, { password: 'stolen session' })
  expect([alone.status, alone.json.message]).toEqual([
    403,
    'your username or password is incorrect',
  ])
  const path = `/api/v2/users/${id}/password`
  expect((await call('POST', path, first, { password: 'stolen session' })).status).toBe(403)
  await call('POST', path, operator, { password })
  expect((await call('GET', '/api/v2/me', first)).status).toBe(401)
  const second = cookieOf(await signIn('ada'))
  await call('DELETE', `/api/v2/users/${id}`, operator)
  expect((await call('GET', '/api/v2/me', second)).status).toBe(401)
})

it('refuses what other sites ask a browser to send', async () => {
  const { url, call, signIn, cookieOf } = await prepare()
  const cookie = cookieOf(await signIn())
  const create = async (headers: Record<string, string>, name: string) =>
    (await call('POST', '/api/v2/users', { ...cookie, ...headers }, { name })).status
  const host = new URL(url).host
  expect(await create({}, 'a')).toBe(201)
  expect(await create({ origin: url }, 'b')).toBe(201)
  expect(await create({ 'sec-fetch-site': 'same-origin', origin: `http://${host}` }, 'c')).toBe(201)
  expect(await create({ origin: 'http://evil.example' }, 'd')).toBe(403)
  expect(await create({ origin: 'null' }, 'e')).toBe(403)
  expect(await create({ 'sec-fetch-site': 'cross-site' }, 'f')).toBe(403)
  expect(await create({ 'sec-fetch-site': 'same-site' }, 'g')).toBe(403)
  const foreign = { ...cookie, origin: 'http://evil.example' }
  expect((await call('GET', '/api/v2/me', foreign)).status).toBe(200)
  expect((await signIn('u', { origin: 'http://evil.example' })).status).toBe(403)
})

it('keeps only the hash of the key', async () => {
  const dataDir = temporaryFolder()
  const { signIn, cookieOf } = await prepare({ dataDir })
  const [, key] = cookieOf(await signIn()).cookie.split(/=(.*)/)
  const files = readdirSync(dataDir).filter((name) => name.startsWith('catalog'))
  const bytes = files.map((name) => readFileSync(`${dataDir}/${name}`, 'latin1')).join('')
  expect(key).toHaveLength(88)
  expect(bytes).not.toContain(key)
})

it('lets nobody guess passwords without end, and tells names from nothing', async () => {
  const { url } = await start({ clock: new ManualClock(1_700_000_000_000_000_000n) })
  const made = { username: 'ada', password: 'good password', org: 'o', bucket: 'b' }
  const body = JSON.stringify(made)
  expect((await send(`${url}/api/v2/setup`, { method: 'POST', body })).status).toBe(201)
  const signIn = (name: string, password: string) => {
    const basic = Buffer.from(`${name}:${password}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    return send(`${url}/api/v2/signin`, { method: 'POST', headers })
  }
  for (const name of ['ada', 'nobody']) {
    const answers = []
    for (let i = 0; i < 11; i++) answers.push(await signIn(name, `guess ${i}`))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429])
    expect(Number(answers[10].headers['retry-after'])).toBeGreaterThan(0)
    expect(answers[10].json.message).toBe('too many wrong passwords: try again later')
  }
  expect((await signIn('ada', 'good password')).status).toBe(429)
  const v1 = (name: string, i: number) =>
    send(`${url}/query?q=show+databases&u=${name}&p=guess${i}`)
  const statuses = []
  for (let i = 0; i < 11; i++) statuses.push((await v1('someone', i)).status)
  expect(statuses).toEqual([...Array(10).fill(401), 429])
}, 60_000)
