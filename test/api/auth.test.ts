// Who gets in where: every endpoint with every kind of credential, and what each refusal says.

import { expect, it } from 'vitest'
import { adminToken, install, send, start } from './harness.js'

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const v2Endpoints = [
  ['POST', '/api/v2/write?bucket=b'],
  ['GET', '/api/v2/dbrps'],
  ['POST', '/api/v2/dbrps'],
  ['GET', '/debug/export?bucket=b'],
] as const

it.each(v2Endpoints)('%s %s asks for a token', async (method, path) => {
  const { url, token, server } = await install()
  const body = JSON.stringify({ bucketID: 'x', database: 'd', retention_policy: 'r' })
  const answer = (authorization: string | undefined) =>
    send(url + path, {
      method,
      headers: authorization === undefined ? {} : { authorization },
      ...(method === 'POST' ? { body } : {}),
    })
  const refused = [
    undefined,
    'Token',
    'Token ',
    'Token wrong',
    `token ${token}`,
    token,
    basic('u', token),
    `Digest ${token}`,
    `Token ${'x'.repeat(8000)}`,
  ]
  for (const authorization of refused) {
    const { status, json, headers } = await answer(authorization)
    expect([authorization, status]).toEqual([authorization, 401])
    expect(json).toEqual({ code: 'unauthorized', message: 'unauthorized access' })
    expect(headers['www-authenticate']).toBe('Token')
  }
  for (const good of [`Token ${token}`, `Bearer ${token}`, `bearer ${token}`, `Token u:${token}`]) {
    expect([good, (await answer(good)).status]).not.toEqual([good, 401])
  }
  const { hashToken } = await import('../../src/access/tokens.js')
  const record = await server.catalog.tokens.findByHash(hashToken(token))
  await server.catalog.tokens.setStatus(record?.id ?? '', 'inactive')
  expect((await answer(`Token ${token}`)).status).toBe(401)
  await server.catalog.tokens.setStatus(record?.id ?? '', 'active')
  expect((await answer(`Token ${token}`)).status).not.toBe(401)
})

it('takes v1 credentials in every form', async () => {
  const { url, token } = await install()
  const answer = (query: string, authorization?: string) =>
    send(`${url}/write?db=b${query}`, {
      method: 'POST',
      body: 'm f=1 1',
      headers: authorization === undefined ? {} : { authorization },
    })
  const accepted: [string, string?][] = [
    ['', `Token ${token}`],
    ['', `Token any:${token}`],
    ['', `Bearer ${token}`],
    ['', basic('any', token)],
    [`&u=any&p=${encodeURIComponent(token)}`],
    [`&p=${encodeURIComponent(token)}`, 'Token wrong'],
  ]
  for (const [query, authorization] of accepted) {
    expect((await answer(query, authorization)).status).toBe(204)
  }
  const unreadable = 'unable to parse authentication credentials'
  const failed = 'authorization failed'
  const refused: [string, string | undefined, string][] = [
    ['', undefined, unreadable],
    ['&u=any', undefined, unreadable],
    ['', 'Token', unreadable],
    ['', `token ${token}`, unreadable],
    ['', basic('any', ''), unreadable],
    ['', 'Token wrong', failed],
    ['', basic('any', 'wrong'), failed],
    ['&u=any&p=wrong', `Token ${token}`, failed],
  ]
  for (const [query, authorization, error] of refused) {
    const { status, json, headers } = await answer(query, authorization)
    const told = { error, code: 'unauthorized', message: error }
    expect([query, authorization, status, json]).toEqual([query, authorization, 401, told])
    expect(headers['www-authenticate']).toBe('Basic realm="InfluxDB"')
  }
})

it('checks permissions by bucket, organization and action', async () => {
  const { url, orgId, bucketId, write, writeV1, addToken } = await install()
  const resource = { type: 'buckets' } as const
  const good = [
    [{ action: 'write', resource }],
    [{ action: 'write', resource: { ...resource, orgID: orgId } }],
    [{ action: 'write', resource: { ...resource, id: bucketId } }],
    [{ action: 'write', resource: { type: 'instance' } }],
  ] as const
  for (const permissions of good) {
    const token = await addToken(permissions)
    expect((await write('m f=1 1', { token })).status).toBe(204)
    expect((await writeV1('m f=1 1', { token })).status).toBe(204)
  }
  const other = '0123456789abcdef'
  const bad = [
    [{ action: 'read', resource }],
    [{ action: 'write', resource: { ...resource, orgID: other } }],
    [{ action: 'write', resource: { ...resource, id: other } }],
    [{ action: 'write', resource: { type: 'tasks' } }],
  ] as const
  for (const permissions of bad) {
    const token = await addToken(permissions)
    const v2 = await write('m f=1 1', { token })
    expect(v2.status).toBe(401)
    expect(v2.json).toEqual({
      code: 'unauthorized',
      message: `write:orgs/${orgId}/buckets/${bucketId} is unauthorized`,
    })
    const v1 = await writeV1('m f=1 1', { token })
    expect(v1.status).toBe(401)
    expect(v1.json.error).toBe('user is not authorized to write to database "b"')
  }
  const writer = await addToken([{ action: 'write', resource }])
  expect((await send(`${url}/debug/export?bucket=b`, { token: writer })).status).toBe(401)
})

it('lets the admin token in before set-up and after', async () => {
  const { url } = await start({ adminToken })
  // Buckets have virtual mappings: a database that nobody has is asked for.
  const dbrps = () => send(`${url}/api/v2/dbrps?db=none`, { token: adminToken })
  expect((await dbrps()).status).toBe(404)
  const setup = { username: 'u', org: 'o', bucket: 'b', token: 'other', retentionPeriodSeconds: 0 }
  await send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(setup) })
  expect((await dbrps()).json.content).toEqual([])
  for (const token of [adminToken, 'other']) {
    const target = `${url}/api/v2/write?org=o&bucket=b`
    expect((await send(target, { method: 'POST', token, body: 'm f=1' })).status).toBe(204)
    const v1 = await send(`${url}/write?db=b`, { method: 'POST', token, body: 'm f=1' })
    expect(v1.status).toBe(204)
  }
})

it('does not read the body of whoever may not write', async () => {
  const { write } = await install({ maxBodyBytes: 10 })
  expect((await write('x'.repeat(1000), { token: 'wrong' })).status).toBe(401)
})
