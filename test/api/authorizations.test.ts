// Authorizations: the forms of the request, nobody granting more than they have, tokens shown once,
// who sees which, and when a token stops.

import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { type Answer, type Installation, install, send } from './harness.js'

const path = '/api/v2/authorizations'

function caller({ url, token }: Installation) {
  return (method: string, target: string, body?: unknown, as: string = token): Promise<Answer> =>
    send(`${url}${target}`, {
      method,
      token: as,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

const buckets = { type: 'buckets' } as const
const readBuckets = { action: 'read', resource: buckets } as const
const writeBuckets = { action: 'write', resource: buckets } as const

async function prepare() {
  const installed = await install()
  const call = caller(installed)
  const { orgId } = installed
  const grant = (body: object, as?: string) =>
    call('POST', path, { orgID: orgId, permissions: [writeBuckets], ...body }, as)
  const list = async (query = '', as?: string) =>
    (await call('GET', path + query, undefined, as)).json.authorizations
  return { ...installed, call, grant, list }
}

it('takes tokens that clients have already by their hash, from operators alone', async () => {
  const { grant, write } = await prepare()
  for (const kind of ['sha256', 'sha512']) {
    const token = `of-old-${kind}`
    const tokenHash = createHash(kind).update(token).digest('hex')
    expect((await write('m f=1 1', { token })).status).toBe(401)
    const made = await grant({ tokenHash })
    expect([made.status, made.json.token]).toEqual([201, 'redacted'])
    expect((await write('m f=1 1', { token })).status).toBe(204)
    const twice = await grant({ tokenHash })
    expect([twice.status, twice.text]).toEqual([422, expect.stringContaining('already exists')])
    const permissions = [
      { action: 'write', resource: { type: 'authorizations' } },
      { action: 'write', resource: { type: 'users' } },
      writeBuckets,
    ]
    const lesser = (await grant({ permissions })).json.token
    expect((await grant({}, lesser)).status).toBe(201)
    expect((await grant({ tokenHash: '0'.repeat(64) }, lesser)).status).toBe(403)
  }
  expect((await grant({ tokenHash: 'of-old' })).status).toBe(400)
})

it('makes a token in each form and shows its text once', async () => {
  const { orgId, bucketId, call, grant, write } = await prepare()
  const me = (await call('GET', '/api/v2/me')).json
  const plain = await grant({ description: 'plain' })
  expect(plain.status).toBe(201)
  const { id, token } = plain.json
  expect(plain.json).toMatchObject({
    id,
    orgID: orgId,
    org: 'o',
    userID: me.id,
    user: 'u',
    status: 'active',
    description: 'plain',
    permissions: [writeBuckets],
    links: { self: `${path}/${id}`, user: `/api/v2/users/${me.id}` },
  })
  expect(token).toMatch(/^[\w-]{86}==$/)
  expect((await write('m f=1 1', { token })).status).toBe(204)
  const lastUsedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.0{9}Z$/)
  const shown = (await call('GET', `${path}/${id}`)).json
  expect(shown).toEqual({ ...plain.json, token: 'redacted', lastUsedAt })

  const resource = { ...buckets, id: bucketId, orgID: orgId }
  const single = await grant({ permissions: [{ action: 'write', resource }] })
  expect(single.json.permissions).toEqual([
    { action: 'write', resource: { ...resource, name: 'b', org: 'o' } },
  ])
  const used = async () => (await call('GET', `${path}/${single.json.id}`)).json.lastUsedAt
  expect(await used()).toBeUndefined()
  expect((await write('m f=1 1', { token: single.json.token })).status).toBe(204)
  expect(await used()).toEqual(lastUsedAt)

  const ada = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  const scoped = await grant({ userID: ada.id })
  expect([scoped.json.userID, scoped.json.user]).toEqual([ada.id, 'ada'])
})

it.each([
  [{ permissions: [] }, 'authorization must include permissions'],
  [{ permissions: undefined }, 'authorization must include permissions'],
  [{ orgID: undefined }, 'org id required: invalid ID'],
  [{ orgID: 'x' }, 'org id required: invalid ID'],
  [{ orgID: 'aaaaaaaaaaaaaaaa' }, 'unable to create token'],
  [{ userID: 'aaaaaaaaaaaaaaaa' }, 'unable to create token'],
  [{ userID: 'x' }, 'id must have a length of 16 bytes'],
  [
    { permissions: [{ action: 'read', resource: { type: 'odd' } }] },
    'invalid resource type for permission: unknown resource type for permission',
  ],
  [
    { permissions: [{ action: 'burn', resource: buckets }] },
    'invalid action type for permission: unknown action for permission',
  ],
  [
    { permissions: [{ action: 'read', resource: { ...buckets, id: 'x' } }] },
    'id must have a length of 16 bytes',
  ],
  [{ permissions: [{ action: 'read' }] }, "must have required property 'resource'"],
  [{ status: 'odd' }, 'body/status'],
])('refuses %j', async (body, message) => {
  const { grant } = await prepare()
  const answer = await grant(body)
  expect([answer.status, answer.json.code]).toEqual([400, 'invalid'])
  expect(answer.json.message).toContain(message)
})

it('lists by user, organization and token, never with the text', async () => {
  const { orgId, token, call, grant, list } = await prepare()
  const ada = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  const hers = (await grant({ userID: ada.id })).json
  const ids = async (query: string) => (await list(query)).map((auth: { id: string }) => auth.id)
  const all = await list()
  expect(all).toHaveLength(2)
  for (const auth of all) expect(auth.token).toBe('redacted')
  expect(await ids(`?userID=${ada.id}`)).toEqual([hers.id])
  expect(await ids('?user=ada')).toEqual([hers.id])
  expect(await ids('?user=nobody')).toEqual([])
  expect(await ids(`?orgID=${orgId}`)).toHaveLength(2)
  expect(await ids('?org=o&user=u')).toEqual([all[0].id])
  expect(await ids(`?token=${encodeURIComponent(hers.token)}`)).toEqual([hers.id])
  expect(await ids('?token=unknown')).toEqual([])
  expect(await ids(`?id=${hers.id}`)).toEqual([hers.id])
  const unknown = await call('GET', `${path}?org=nowhere`)
  expect([unknown.status, unknown.json.message]).toEqual([
    404,
    'organization name "nowhere" not found',
  ])
  const text = JSON.stringify(await list())
  expect(text).not.toContain(hers.token)
  expect(text).not.toContain(token)
})

it('stops with inactivity and deletion, at once', async () => {
  const { call, grant, write } = await prepare()
  const { id, token } = (await grant({})).json
  const works = async () => (await write('m f=1 1', { token })).status
  expect(await works()).toBe(204)
  const off = await call('PATCH', `${path}/${id}`, { status: 'inactive', description: 'off' })
  expect(off.json).toMatchObject({ status: 'inactive', description: 'off', token: 'redacted' })
  expect(await works()).toBe(401)
  await call('PATCH', `${path}/${id}`, { status: 'active' })
  expect(await works()).toBe(204)
  const fixed = await call('PATCH', `${path}/${id}`, { permissions: [readBuckets] })
  expect(fixed.json.permissions).toEqual([writeBuckets])
  expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
  expect(await works()).toBe(401)
  const gone = await call('GET', `${path}/${id}`)
  expect([gone.status, gone.json]).toEqual([
    404,
    { code: 'not found', message: 'authorization not found' },
  ])
  expect((await call('GET', `${path}/abc`)).status).toBe(400)
  const idle = (await grant({ status: 'inactive' })).json
  expect((await write('m f=1 1', { token: idle.token })).status).toBe(401)
})

/** A token that may make tokens and has one more permission. */
async function granter(installed: Installation, extra: Permission, orgId?: string) {
  const make = { action: 'write', resource: { type: 'authorizations' } } as const
  return installed.addToken([make, extra], orgId)
}

it('grants nothing that the caller does not have', async () => {
  const installed = await prepare()
  const { orgId, bucketId, grant, server } = installed
  const other = await server.catalog.inTransaction((c) => c.organizations.create({ name: 'x' }))
  const inOrg = { action: 'write', resource: { ...buckets, orgID: orgId } } as const
  const one = { action: 'write', resource: { ...buckets, id: bucketId } } as const
  const org = await granter(installed, inOrg)
  const single = await granter(installed, one)
  const allowed: [string, object, object][] = [
    [org, inOrg, inOrg],
    // Without an organization it is the token's: not more than the caller has.
    [org, writeBuckets, inOrg],
    [org, one, { action: 'write', resource: { ...one.resource, orgID: orgId } }],
    [single, one, one],
  ]
  for (const [as, asked, given] of allowed) {
    const { status, json } = await grant({ permissions: [asked] }, as)
    expect(status).toBe(201)
    expect(json.permissions[0]).toMatchObject(given)
  }
  const refused: [string, object][] = [
    [org, { action: 'read', resource: { ...buckets, orgID: orgId } }],
    [org, { action: 'write', resource: { ...buckets, orgID: other.id } }],
    [org, { action: 'write', resource: { type: 'instance' } }],
    [org, { action: 'write', resource: { type: 'orgs' } }],
    [single, inOrg],
    [single, writeBuckets],
  ]
  for (const [as, asked] of refused) {
    const { status, json } = await grant({ permissions: [asked] }, as)
    expect([asked, status, json.code]).toEqual([asked, 401, 'unauthorized'])
  }
  const elsewhere = await grant({ orgID: other.id, permissions: [inOrg] }, org)
  expect([elsewhere.status, elsewhere.json.code]).toEqual([400, 'invalid'])
})

it('reaches nothing outside its organization by naming an id', async () => {
  const installed = await prepare()
  const { bucketId, grant, write, server } = installed
  const other = await server.catalog.inTransaction((c) => c.organizations.create({ name: 'x' }))
  const own = { action: 'write', resource: { ...buckets, orgID: other.id } } as const
  const as = await granter(installed, own, other.id)
  const resource = { ...buckets, id: bucketId }
  const made = await grant({ orgID: other.id, permissions: [{ action: 'write', resource }] }, as)
  expect(made.status).toBe(201)
  expect((await write('m f=1 1', { token: made.json.token })).status).not.toBe(204)
  const mixed = await installed.addToken(
    [{ action: 'write', resource: { ...resource, orgID: other.id } }],
    undefined,
  )
  expect((await write('m f=1 1', { token: mixed })).status).toBe(401)
})

it('shows only what the caller may read', async () => {
  const installed = await prepare()
  const { call, grant, list, server } = installed
  const ada = (await call('POST', '/api/v2/users', { name: 'ada' })).json
  const hers = (await grant({ userID: ada.id })).json
  const other = await server.catalog.inTransaction((c) => c.organizations.create({ name: 'x' }))
  const far = (await grant({ orgID: other.id, userID: ada.id })).json
  const readAll = { action: 'read', resource: { type: 'authorizations' } } as const
  const readAda = { action: 'read', resource: { type: 'users', id: ada.id } } as const
  const reader = await installed.addToken([readAll, readAda])
  const seen = await list('', reader)
  const ids = seen.map((auth: { id: string }) => auth.id)
  expect(ids).toContain(hers.id)
  expect(ids).not.toContain(far.id)
  expect(seen.every((auth: { userID?: string }) => auth.userID !== undefined)).toBe(false)
  expect(seen.some((auth: { user?: string }) => auth.user === 'u')).toBe(false)
  expect((await call('GET', `${path}/${far.id}`, undefined, reader)).status).toBe(401)
  const wrong = await call('GET', `${path}?orgID=${other.id}`, undefined, reader)
  expect([wrong.status, wrong.json.code]).toEqual([400, 'invalid'])
  expect((await list(`?orgID=${other.id}`)).map((auth: { id: string }) => auth.id)).toEqual([
    far.id,
  ])
})

it('keeps a token within its organization unless it is an operator', async () => {
  const installed = await prepare()
  const { call, grant } = installed
  const { id } = (await call('POST', '/api/v2/orgs', { name: 'second' })).json
  const secrets = `/api/v2/orgs/${id}/secrets`
  const readSecrets = { action: 'read', resource: { type: 'secrets' } }
  const usual = (await grant({ permissions: [readSecrets] })).json
  expect((await call('GET', secrets, undefined, usual.token)).status).toBe(401)
  const writeOrgs = { action: 'write', resource: { type: 'orgs' } }
  const operator = (await grant({ permissions: [readSecrets, writeOrgs] })).json
  expect((await call('GET', secrets, undefined, operator.token)).status).toBe(200)
})
