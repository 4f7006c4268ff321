// `/query` in the cluster variant: tokens of databases, policies in the names of databases, and what
// its contract answers by status.

import { expect, it } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import type { RunningServer } from '../../src/index.js'
import { adminToken, send, start } from './harness.js'
import { ask, queryUrl } from './query-v1-client.js'

async function cluster(): Promise<RunningServer> {
  const server = await start({ variant: 'cluster', adminToken })
  for (const target of ['?db=d', '?db=d&rp=Weekly', '?db=e']) {
    // Databases made by a write keep three days.
    const body = `m v="${target}"`
    await send(`${server.url}/write${target}`, { method: 'POST', token: adminToken, body })
  }
  return server
}

type Texts = Readonly<Record<string, string>>

function query(server: RunningServer, parameters: Texts, headers: Texts = {}) {
  const authorization = `Bearer ${adminToken}`
  const target = queryUrl(server.url, { q: 'select v from m', ...parameters })
  return ask(target, { headers: { authorization, ...headers } })
}

const cellOf = ({ text }: { text: string }) => JSON.parse(text).results[0].series[0].values[0][1]

it('finds databases and policies', async () => {
  const server = await cluster()
  expect(cellOf(await query(server, { db: 'd' }))).toBe('?db=d')
  expect(cellOf(await query(server, { db: 'd', rp: 'autogen' }))).toBe('?db=d')
  expect(cellOf(await query(server, { db: 'd', rp: 'weekly' }))).toBe('?db=d&rp=Weekly')
  const named = { db: 'e', q: 'select v from d.weekly.m' }
  expect(cellOf(await query(server, named))).toBe('?db=d&rp=Weekly')
})

it('takes tokens by every scheme', async () => {
  const server = await cluster()
  const basic = `Basic ${Buffer.from(`any:${adminToken}`).toString('base64')}`
  for (const authorization of [`Bearer ${adminToken}`, `Token ${adminToken}`, basic]) {
    expect((await query(server, { db: 'd' }, { authorization })).status).toBe(200)
  }
  const inUrl = queryUrl(server.url, { q: 'select v from m', db: 'd', u: 'any', p: adminToken })
  expect((await ask(inUrl)).status).toBe(200)
})

it('refuses who may not, and what is not there', async () => {
  const server = await cluster()
  const none = await ask(queryUrl(server.url, { db: 'd', q: 'select v from m' }))
  expect(none.status).toBe(401)
  expect(JSON.parse(none.text)).toMatchObject({ code: 'unauthorized' })
  const bucket = (await server.catalog.buckets.all()).find(({ name }) => name === 'd')
  const resource = { type: 'buckets', id: bucket!.id, orgID: bucket!.orgId } as const
  await server.catalog.tokens.create({
    tokenHash: hashToken('for-d'),
    orgId: bucket!.orgId,
    userId: undefined,
    description: '',
    permissions: [{ action: 'read', resource }],
  })
  const authorization = 'Bearer for-d'
  expect((await query(server, { db: 'd' }, { authorization })).status).toBe(200)
  expect((await query(server, { db: 'e' }, { authorization })).status).toBe(401)
  const missing = await query(server, { db: 'none' })
  expect(missing.status).toBe(404)
  expect(JSON.parse(missing.text)).toEqual({
    error: 'database not found: none',
    code: 'not found',
    message: 'database not found: none',
  })
})

it('refuses bodies it cannot read', async () => {
  const server = await cluster()
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/xml' }
  const target = queryUrl(server.url, { db: 'd', q: 'select v from m' })
  const answer = await ask(target, { method: 'POST', headers, body: '<q/>' })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text).error).toBe('invalid mime type (application/xml)')
  const empty = await ask(target, { method: 'POST', headers })
  expect(empty.status).toBe(200)
})
