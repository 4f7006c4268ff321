// Who may do what with users, organizations, secrets, limits and tokens: every endpoint with every
// kind of credential.

import { describe, expect, it } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { type Installation, install, send } from './harness.js'

interface Context extends Installation {
  readonly userId: string
  readonly authId: string
  readonly legacyId: string
}

interface Endpoint {
  readonly method: string
  readonly path: (context: Context) => string
  readonly body?: (context: Context) => unknown
  /** What it takes, within the organization. */
  readonly needs: (context: Context) => readonly Permission[]
  readonly status: number
  /** Users and the list of organizations belong to no organization. */
  readonly isGlobal?: boolean
}

const read = (type: Permission['resource']['type']): Permission => ({
  action: 'read',
  resource: { type },
})
const write = (type: Permission['resource']['type']): Permission => ({
  action: 'write',
  resource: { type },
})
const writeOrg = ({ orgId }: Context): Permission[] => [
  { action: 'write', resource: { type: 'orgs', id: orgId } },
]
const grant = ({ orgId, userId }: Context, token?: string) => ({
  orgID: orgId,
  userID: userId,
  token,
  permissions: [read('buckets')],
})
const grantNeeds = () => [write('authorizations'), write('users'), read('buckets')]
const tokenWrite = () => [write('authorizations'), write('users')]
const tokenRead = () => [read('authorizations'), read('users')]

const endpoints: Endpoint[] = [
  {
    method: 'GET',
    path: () => '/api/v2/users',
    needs: () => [read('users')],
    status: 200,
    isGlobal: true,
  },
  {
    method: 'POST',
    path: () => '/api/v2/users',
    body: () => ({ name: 'new' }),
    needs: () => [write('users')],
    status: 201,
    isGlobal: true,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/users/${c.userId}`,
    needs: () => [read('users')],
    status: 200,
    isGlobal: true,
  },
  {
    method: 'PATCH',
    path: (c) => `/api/v2/users/${c.userId}`,
    body: () => ({ name: 'renamed' }),
    needs: () => [write('users')],
    status: 200,
    isGlobal: true,
  },
  {
    method: 'DELETE',
    path: (c) => `/api/v2/users/${c.userId}`,
    needs: () => [write('users')],
    status: 204,
    isGlobal: true,
  },
  {
    method: 'POST',
    path: (c) => `/api/v2/users/${c.userId}/password`,
    body: () => ({ password: 'new password' }),
    needs: () => [write('users')],
    status: 204,
    isGlobal: true,
  },
  {
    method: 'GET',
    path: () => '/api/v2/orgs',
    needs: () => [read('orgs')],
    status: 200,
    isGlobal: true,
  },
  {
    method: 'POST',
    path: () => '/api/v2/orgs',
    body: () => ({ name: 'new' }),
    needs: () => [write('orgs')],
    status: 201,
    isGlobal: true,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/orgs/${c.orgId}`,
    needs: () => [read('orgs')],
    status: 200,
  },
  {
    method: 'PATCH',
    path: (c) => `/api/v2/orgs/${c.orgId}`,
    body: () => ({ description: 'd' }),
    needs: writeOrg,
    status: 200,
  },
  { method: 'DELETE', path: (c) => `/api/v2/orgs/${c.orgId}`, needs: writeOrg, status: 204 },
  {
    method: 'GET',
    path: (c) => `/api/v2/orgs/${c.orgId}/members`,
    needs: () => [read('orgs')],
    status: 200,
  },
  {
    method: 'POST',
    path: (c) => `/api/v2/orgs/${c.orgId}/members`,
    body: (c) => ({ id: c.userId }),
    needs: writeOrg,
    status: 201,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/orgs/${c.orgId}/owners`,
    needs: () => [read('orgs')],
    status: 200,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/orgs/${c.orgId}/secrets`,
    needs: () => [read('secrets')],
    status: 200,
  },
  {
    method: 'PATCH',
    path: (c) => `/api/v2/orgs/${c.orgId}/secrets`,
    body: () => ({ key: 'value' }),
    needs: () => [write('secrets')],
    status: 204,
  },
  {
    method: 'POST',
    path: (c) => `/api/v2/orgs/${c.orgId}/secrets/delete`,
    body: () => ({ secrets: ['key'] }),
    needs: () => [write('secrets')],
    status: 204,
  },
  {
    method: 'DELETE',
    path: (c) => `/api/v2/orgs/${c.orgId}/secrets/key`,
    needs: () => [write('secrets')],
    status: 204,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/orgs/${c.orgId}/limits`,
    needs: () => [read('orgs')],
    status: 200,
  },
  {
    method: 'PUT',
    path: (c) => `/api/v2/orgs/${c.orgId}/limits`,
    body: () => ({ bucket: { maxBuckets: 3 } }),
    needs: () => [write('orgs')],
    status: 200,
    isGlobal: true,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/orgs/${c.orgId}/usage?start=1`,
    needs: () => [read('orgs')],
    status: 200,
  },
  {
    method: 'GET',
    path: () => '/api/v2/authorizations',
    needs: tokenRead,
    status: 200,
    isGlobal: true,
  },
  {
    method: 'POST',
    path: () => '/api/v2/authorizations',
    body: (c) => grant(c),
    needs: grantNeeds,
    status: 201,
  },
  {
    method: 'GET',
    path: (c) => `/api/v2/authorizations/${c.authId}`,
    needs: tokenRead,
    status: 200,
  },
  {
    method: 'PATCH',
    path: (c) => `/api/v2/authorizations/${c.authId}`,
    body: () => ({ status: 'inactive' }),
    needs: tokenWrite,
    status: 200,
  },
  {
    method: 'DELETE',
    path: (c) => `/api/v2/authorizations/${c.authId}`,
    needs: tokenWrite,
    status: 204,
  },
  {
    method: 'GET',
    path: () => '/private/legacy/authorizations',
    needs: tokenRead,
    status: 200,
    isGlobal: true,
  },
  {
    method: 'POST',
    path: () => '/private/legacy/authorizations',
    body: (c) => grant(c, 'v1-user'),
    needs: grantNeeds,
    status: 201,
  },
  {
    method: 'GET',
    path: (c) => `/legacy/authorizations/${c.legacyId}`,
    needs: tokenRead,
    status: 200,
  },
  {
    method: 'PATCH',
    path: (c) => `/legacy/authorizations/${c.legacyId}`,
    body: () => ({ description: 'd' }),
    needs: tokenWrite,
    status: 200,
  },
  {
    method: 'POST',
    path: (c) => `/private/legacy/authorizations/${c.legacyId}/password`,
    body: () => ({ password: 'new password' }),
    needs: tokenWrite,
    status: 204,
  },
  {
    method: 'DELETE',
    path: (c) => `/private/legacy/authorizations/${c.legacyId}`,
    needs: tokenWrite,
    status: 204,
  },
]

async function prepare(): Promise<Context> {
  const installed = await install()
  const { catalog } = installed.server
  const user = await catalog.users.create({ name: 'other', passwordHash: undefined })
  const common = {
    orgId: installed.orgId,
    userId: user.id,
    description: '',
    permissions: [read('buckets')],
  }
  const auth = await catalog.tokens.create({ ...common, tokenHash: hashToken('theirs') })
  const legacy = await catalog.legacyTokens.create({ ...common, username: 'legacy' })
  return { ...installed, userId: user.id, authId: auth.id, legacyId: legacy.id }
}

const named = endpoints.map((endpoint) => {
  const ids = { userId: ':user', orgId: ':org', authId: ':id', legacyId: ':id' }
  const path = endpoint.path(ids as Context)
  return [`${endpoint.method} ${path}`, endpoint] as const
})

describe.each(named)('%s', (_name, endpoint) => {
  it('lets in whom it should and nobody else', async () => {
    const context = await prepare()
    const { url, server, addToken } = context
    const call = (authorization: string | undefined, body = endpoint.body?.(context)) =>
      send(url + endpoint.path(context), {
        method: endpoint.method,
        headers: authorization === undefined ? {} : { authorization },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const refused = async (authorization: string | undefined, message?: string) => {
      const { status, json } = await call(authorization)
      expect([authorization, status, json.code]).toEqual([authorization, 401, 'unauthorized'])
      if (message !== undefined) expect(json.message).toBe(message)
      else expect(json.message).toMatch(/ is unauthorized$/)
    }
    for (const bad of [undefined, 'Token', 'Token wrong', 'Digest x']) {
      await refused(bad, 'unauthorized access')
    }
    // Strangers do not learn what a good body looks like.
    if (endpoint.body !== undefined) {
      expect((await call(undefined, 'nonsense')).json.message).toBe('unauthorized access')
    }
    const needs = endpoint.needs(context)
    const inactive = await addToken(needs)
    const record = await server.catalog.tokens.findByHash(hashToken(inactive))
    await server.catalog.tokens.setStatus(record?.id ?? '', 'inactive')
    await refused(`Token ${inactive}`, 'unauthorized access')
    if (endpoint.isGlobal !== true) {
      const other = await server.catalog.inTransaction((c) => c.organizations.create({ name: 'x' }))
      const elsewhere = needs.map(({ action, resource: { type } }): Permission => {
        return { action, resource: type === 'orgs' ? { type, id: other.id } : { type } }
      })
      await refused(`Token ${await addToken(elsewhere, other.id)}`)
    }
    for (const missing of needs) {
      const rest = needs.filter((need) => need !== missing)
      await refused(`Token ${await addToken([...rest, read('tasks')])}`)
    }
    const answer = await call(`Token ${await addToken(needs)}`)
    expect([answer.text, answer.status]).toEqual([answer.text, endpoint.status])
  })
})
