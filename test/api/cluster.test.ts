// The cluster variant: databases made by writes, its own rules for tokens and its own error bodies.

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import type { RunningServer } from '../../src/index.js'
import { adminToken, type SendOptions, send, start } from './harness.js'

function v1(server: RunningServer, query: string, options: SendOptions = {}) {
  const target = `${server.url}/write${query}`
  return send(target, { method: 'POST', token: adminToken, body: 'm f=1', ...options })
}

function v2(server: RunningServer, query: string, options: SendOptions = {}) {
  const target = `${server.url}/api/v2/write${query}`
  return send(target, { method: 'POST', token: adminToken, body: 'm f=1', ...options })
}

const cluster = () => start({ variant: 'cluster', adminToken })

it('makes a missing database with three days of retention', async () => {
  const server = await cluster()
  expect((await v1(server, '?db=d')).status).toBe(204)
  expect((await v1(server, '?db=d&rp=autogen')).status).toBe(204)
  expect((await v1(server, '?db=d&rp=Weekly')).status).toBe(204)
  const buckets = (await server.catalog.buckets.all()).filter(({ type }) => type === 'user')
  const made = buckets.map(({ name, retentionSeconds }) => [name, retentionSeconds]).sort()
  expect(made).toEqual([
    ['d', 259_200],
    ['d/weekly', 259_200],
  ])
  expect((await v1(server, `?db=${'x'.repeat(65)}`)).status).toBe(400)
})

it('makes it once, whoever comes at the same time', async () => {
  const server = await cluster()
  const answers = await Promise.all(Array.from({ length: 10 }, () => v1(server, '?db=d')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
})

it('writes by v2 only to what exists, whatever the organization', async () => {
  const server = await cluster()
  const missing = await v2(server, '?bucket=d&org=any')
  expect(missing.status).toBe(404)
  expect(missing.json).toEqual({ code: 'not found', message: 'database not found: "d"' })
  await v1(server, '?db=d')
  expect((await v2(server, '?bucket=d&org=any&orgID=anything')).status).toBe(204)
  const database = (await server.catalog.buckets.all()).find(({ name }) => name === 'd')
  expect((await v2(server, `?bucket=${database?.id}`)).status).toBe(204)
  expect((await v2(server, '')).status).toBe(400)
})

it('asks for a body', async () => {
  const server = await cluster()
  await v1(server, '?db=d')
  for (const path of ['/write?db=d', '/api/v2/write?bucket=d', '/api/v3/write_lp?db=d']) {
    const empty = await send(`${server.url}${path}`, {
      method: 'POST',
      token: adminToken,
      body: '',
    })
    expect([path, empty.status]).toEqual([path, 400])
    expect(empty.json.message ?? empty.json.error).toBe('empty write payload')
    const line = { method: 'POST', token: adminToken, body: '\n' }
    expect((await send(`${server.url}${path}`, line)).status).toBe(204)
  }
})

it('makes no database for a write without a body', async () => {
  const server = await cluster()
  for (const path of ['/write?db=e', '/api/v3/write_lp?db=e']) {
    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const body = 'content-encoding' in headers ? gzipSync('') : ''
      const given = { method: 'POST', token: adminToken, body, headers }
      expect((await send(`${server.url}${path}`, given)).status).toBe(400)
      expect((await server.catalog.buckets.all()).some(({ name }) => name === 'e')).toBe(false)
    }
  }
  expect((await v1(server, '?db=e')).status).toBe(204)
})

it('tells 401 from 403', async () => {
  const server = await cluster()
  await v1(server, '?db=d')
  const bucket = (await server.catalog.buckets.all()).find(({ name }) => name === 'd')
  await server.catalog.tokens.create({
    tokenHash: hashToken('for-d'),
    orgId: bucket?.orgId,
    userId: undefined,
    description: '',
    permissions: [{ action: 'write', resource: { type: 'buckets', id: bucket?.id } }],
  })
  expect((await v1(server, '?db=d', { token: 'for-d' })).status).toBe(204)
  const bearer = { headers: { authorization: 'Bearer for-d' } }
  expect((await v2(server, '?bucket=d', bearer)).status).toBe(204)
  const other = await v1(server, '?db=other', { token: 'for-d' })
  expect(other.status).toBe(401)
  const message = 'user is not authorized to write to database "other"'
  expect(other.json).toEqual({ error: message, code: 'unauthorized', message })
  const nobody = await send(`${server.url}/write?db=d`, { method: 'POST', body: 'm f=1' })
  expect(nobody.status).toBe(403)
  expect(nobody.json.code).toBe('forbidden')
  expect((await v1(server, '?db=d', { token: 'wrong' })).status).toBe(401)
  const nobodyV2 = await send(`${server.url}/api/v2/write?bucket=d`, { method: 'POST' })
  expect(nobodyV2.status).toBe(401)
})

it('answers malformed lines with code, line and error', async () => {
  const server = await cluster()
  const { status, json } = await v1(server, '?db=d', { body: 'm f=1\nbad' })
  expect(status).toBe(400)
  const message = [
    'partial write has occurred, errors encountered on line(s):',
    "error parsing line 2 (1-based): unable to parse 'bad': missing fields",
  ].join('\n')
  expect(json).toEqual({ error: message, code: 'invalid', message, line: 2 })
})

it('has no set-up and says that it is version 3', async () => {
  const server = await cluster()
  expect((await send(`${server.url}/api/v2/setup`)).status).toBe(404)
  const ping = await send(`${server.url}/ping`)
  expect(ping.headers['x-service-version']).toBe('3')
  expect(ping.headers['x-influxdb-version']).toMatch(/^3\.\d+\.\d+$/)
})

it('pings with a body where it is asked for, and without one as the contract has it', async () => {
  const { url } = await cluster()
  const ping = (method: string, query = '', headers: Record<string, string> = {}) =>
    send(`${url}/ping${query}`, { method, headers })
  for (const headers of [{}, { accept: '*/*' }, { accept: 'text/html,*/*;q=0.8' }]) {
    const { status, text } = await ping('GET', '', headers)
    expect([status, text]).toEqual([204, ''])
  }
  const asked = [
    await ping('GET', '?verbose=true'),
    await ping('GET', '', { accept: 'application/json' }),
    await ping('POST'),
  ]
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  for (const { status, json, headers } of asked) {
    expect(status).toBe(200)
    expect(json).toEqual({
      product_name: 'Millrace',
      version: headers['x-influxdb-version'],
      revision: expect.stringMatching(/^millrace-/),
      process_id: expect.stringMatching(uuid),
    })
  }
  expect(asked[0].json.process_id).toBe(asked[1].json.process_id)
  expect((await send(`${url}/ping`, { method: 'HEAD' })).status).toBe(204)
})

it('leaves only ping and health open', async () => {
  const server = await cluster()
  const status = async (path: string, options: SendOptions = {}) =>
    (await send(server.url + path, options)).status
  expect(await status('/ping')).toBe(204)
  expect(await status('/health')).toBe(200)
  expect(await status('/')).toBe(200)
  for (const path of ['/ready', '/metrics', '/debug/export?bucket=d']) {
    expect([path, await status(path)]).toEqual([path, 401])
  }
  expect(await status('/ready', { token: adminToken })).toBe(200)
  expect(await status('/metrics', { token: adminToken })).toBe(200)
})

it('makes a first token where none lets anybody in', async () => {
  const server = await start({ variant: 'cluster' })
  expect(server.firstToken).toMatch(/^[A-Za-z0-9_-]{86}==$/)
  expect((await v1(server, '?db=d', { token: server.firstToken ?? '' })).status).toBe(204)
})

it('puts a new token in the place of the first one', async () => {
  const server = await start({ variant: 'cluster' })
  const first = server.firstToken ?? ''
  const regenerate = (token: string, url = server.url) =>
    send(`${url}/api/v3/configure/token/admin/regenerate`, { method: 'POST', token })
  expect((await v1(server, '?db=d', { token: first })).status).toBe(204)
  const made = await regenerate(first)
  expect(made.status).toBe(201)
  const { token } = made.json
  expect(token).not.toBe(first)
  expect((await v1(server, '?db=d', { token: first })).status).toBe(401)
  expect((await v1(server, '?db=d', { token })).status).toBe(204)
  expect((await regenerate(first)).status).toBe(401)
  // One that is set from outside cannot be changed from inside.
  const configured = await regenerate(adminToken, (await cluster()).url)
  expect([configured.status, configured.json.message ?? configured.json.error]).toEqual([
    409,
    'the admin token is set by --admin-token: change it there',
  ])
})
