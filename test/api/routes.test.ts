// What the interface says about itself, and who gets in where: every endpoint of the data
// containers with every kind of credential.

import { expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { install, send } from './harness.js'

it('lists its top-level routes, permission types and flags', async () => {
  const { url, token } = await install()
  const get = async (path: string) => (await send(`${url}/api/v2${path}`, { token })).json
  const routes = await get('')
  expect(await get('/')).toEqual(routes)
  expect(routes.buckets).toBe('/api/v2/buckets')
  expect(routes.query).toEqual({
    self: '/api/v2/query',
    analyze: '/api/v2/query/analyze',
    ast: '/api/v2/query/ast',
    suggestions: '/api/v2/query/suggestions',
  })
  expect(routes.system.health).toBe('/health')
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

type Needs = readonly [Permission['action'], Permission['resource']['type']]

interface Endpoint {
  readonly method: string
  /** `B`, `E`, `S`, `L`, `D` stand for ids: bucket, explicit bucket, schema, label, mapping. */
  readonly path: string
  readonly body?: object
  /** undefined: any token will do. */
  readonly needs: Needs | undefined
  readonly status: number
  /** Shows what may be seen, which may be nothing. */
  readonly isFiltered?: boolean
}

const schemaColumns = [
  { name: 'time', type: 'timestamp' },
  { name: 'f', type: 'field', dataType: 'float' },
]
const schemas = 'buckets/E/schema/measurements'
const readBucket = ['read', 'buckets'] as const
const writeBucket = ['write', 'buckets'] as const
const range = { start: '2000-01-01T00:00:00Z', stop: '2001-01-01T00:00:00Z' }
const mapping = { bucketID: 'B', database: 'new', retention_policy: 'r' }

const endpoints: readonly Endpoint[] = [
  { method: 'GET', path: '', needs: undefined, status: 200 },
  { method: 'GET', path: 'resources', needs: undefined, status: 200 },
  { method: 'GET', path: 'flags', needs: undefined, status: 200 },
  { method: 'GET', path: 'buckets?orgID=O', needs: readBucket, status: 200 },
  {
    method: 'POST',
    path: 'buckets',
    body: { orgID: 'O', name: 'new' },
    needs: writeBucket,
    status: 201,
  },
  { method: 'GET', path: 'buckets/B', needs: readBucket, status: 200 },
  {
    method: 'PATCH',
    path: 'buckets/B',
    body: { retentionRules: [] },
    needs: writeBucket,
    status: 200,
  },
  { method: 'DELETE', path: 'buckets/B', needs: writeBucket, status: 204 },
  { method: 'GET', path: 'buckets/B/labels', needs: readBucket, status: 200 },
  {
    method: 'POST',
    path: 'buckets/B/labels',
    body: { labelID: 'L' },
    needs: writeBucket,
    status: 201,
  },
  { method: 'GET', path: 'buckets/B/members', needs: ['read', 'orgs'], status: 200 },
  { method: 'GET', path: 'buckets/B/owners', needs: ['read', 'orgs'], status: 200 },
  { method: 'GET', path: schemas, needs: readBucket, status: 200 },
  {
    method: 'POST',
    path: schemas,
    body: { name: 'n', columns: schemaColumns },
    needs: writeBucket,
    status: 201,
  },
  { method: 'GET', path: `${schemas}/S`, needs: readBucket, status: 200 },
  {
    method: 'PATCH',
    path: `${schemas}/S`,
    body: { columns: schemaColumns },
    needs: writeBucket,
    status: 200,
  },
  { method: 'GET', path: 'dbrps?orgID=O', needs: readBucket, status: 200, isFiltered: true },
  {
    method: 'POST',
    path: 'dbrps',
    body: { orgID: 'O', ...mapping },
    needs: writeBucket,
    status: 201,
  },
  { method: 'GET', path: 'dbrps/D?orgID=O', needs: readBucket, status: 200 },
  {
    method: 'PATCH',
    path: 'dbrps/D?orgID=O',
    body: { default: true },
    needs: writeBucket,
    status: 200,
  },
  { method: 'DELETE', path: 'dbrps/D?orgID=O', needs: writeBucket, status: 204 },
  {
    method: 'POST',
    path: 'delete?orgID=O&bucketID=B',
    body: range,
    needs: writeBucket,
    status: 204,
  },
  { method: 'GET', path: 'labels?orgID=O', needs: ['read', 'labels'], status: 200 },
  {
    method: 'POST',
    path: 'labels',
    body: { orgID: 'O', name: 'new' },
    needs: ['write', 'labels'],
    status: 201,
  },
  { method: 'GET', path: 'labels/L', needs: ['read', 'labels'], status: 200 },
  { method: 'PATCH', path: 'labels/L', body: {}, needs: ['write', 'labels'], status: 200 },
  { method: 'DELETE', path: 'labels/L', needs: ['write', 'labels'], status: 204 },
]

/** An installation with one of everything, and the ids that the letters stand for. */
async function filled() {
  const installed = await install()
  const { server, orgId, bucketId } = installed
  const { catalog } = server
  const explicit = await catalog.buckets.create({ orgId, name: 'e', schemaType: 'explicit' })
  const columns = [
    { name: 'time', type: 'timestamp' },
    { name: 'f', type: 'field', dataType: 'float' },
  ] as const
  const schema = await catalog.measurementSchemas.create(explicit, 'm', columns)
  const label = await catalog.labels.create(orgId, 'l', {})
  const names = { orgId, bucketId, database: 'd', retentionPolicy: 'r', isDefault: true }
  const dbrp = await catalog.dbrps.create(names)
  const ids = { O: orgId, B: bucketId, E: explicit.id, S: schema.id, L: label.id, D: dbrp.id }
  return { ...installed, ids: new Map(Object.entries(ids)) }
}

it.each(endpoints)('$method /api/v2/$path lets in whom it should', async (endpoint) => {
  const { url, server, ids, orgId, addToken } = await filled()
  const withIds = (text: string) =>
    text.replace(/(?<=[/="])[OBESLD](?=$|[/?&"])/g, (letter) => ids.get(letter) ?? letter)
  const { method, body, needs } = endpoint
  const ask = async (authorization: string | undefined) => {
    const answer = await send(url + withIds(`/api/v2/${endpoint.path}`), {
      method,
      headers: authorization === undefined ? {} : { authorization },
      ...(body === undefined ? {} : { body: withIds(JSON.stringify(body)) }),
    })
    return answer.status
  }
  const permission = (orgID: string): Permission => {
    const [action, type] = needs ?? ['read', 'buckets']
    return { action, resource: type === 'orgs' ? { type, id: orgID } : { type, orgID } }
  }
  for (const authorization of [undefined, 'Token', 'Token wrong', 'nonsense']) {
    expect([authorization, await ask(authorization)]).toEqual([authorization, 401])
  }
  const inactive = await addToken([permission(orgId)])
  const record = await server.catalog.tokens.findByHash(hashToken(inactive))
  await server.catalog.tokens.setStatus(record?.id ?? '', 'inactive')
  expect(await ask(`Token ${inactive}`)).toBe(401)

  const other = await server.catalog.organizations.create({ name: 'other' })
  const foreign = await ask(`Token ${await addToken([permission(other.id)], other.id)}`)
  // Naming an organization that does not own the token is a bad request; else it is a refusal.
  const namesOrganization = JSON.stringify(endpoint).includes('orgID')
  expect(foreign).toBe(needs === undefined ? 200 : namesOrganization ? 400 : 401)
  const unrelated = await addToken([{ action: 'write', resource: { type: 'tasks' } }])
  const isOpen = needs === undefined || endpoint.isFiltered
  expect(await ask(`Token ${unrelated}`)).toBe(isOpen ? 200 : 401)
  expect(await ask(`Token ${await addToken([permission(orgId)])}`)).toBe(endpoint.status)
})
