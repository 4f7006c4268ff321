// `/api/v3/configure/token` of the managed variant: admin tokens are authorizations of an operator there, tokens for
// databases authorizations for buckets, in the organization of whoever asks, who must be an operator. What is made here
// is an authorization like any other, and is found among those of v2. A token is shown once, when it is made.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isOperator, type Permission } from '../access/permissions.js'
import type { Token } from '../catalog/accounts/tokens.js'
import { UserError } from '../errors.js'
import { type AdminPlace, AdminTokens } from '../service/databases/admin-tokens.js'
import { OrganizationTokens } from '../service/databases/organization-tokens.js'
import { identify } from './base/credentials.js'
import { parameter } from './base/parameters.js'
import type { Services } from './base/services.js'
import { requireOperator } from './cluster/cluster-access.js'
import { adminTokenJson, adminTokenRoutes, withLastUses } from './cluster/cluster-admin-tokens.js'
import {
  permissionsOf,
  TokenCreate,
  type TokenRequest,
  tokenPaths,
} from './cluster/cluster-tokens.js'

export function managedTokenRoutes(app: FastifyInstance, services: Services): void {
  requireOperator(app, services)
  const placeOf = async (request: FastifyRequest): Promise<AdminPlace> => {
    const identity = await identify(services, request)
    const [org, orgID] = [parameter(request, 'org'), parameter(request, 'orgID')]
    const { id: orgId } = await services.targets.organizationOfPoints(identity, { org, orgID })
    return { orgId, userId: identity.userId }
  }
  const tokensOf = async (request: FastifyRequest) =>
    new OrganizationTokens(services, await placeOf(request))
  adminTokenRoutes(app, async (request) => new AdminTokens(services, await placeOf(request)))

  for (const url of tokenPaths) {
    app.post<{ Body: TokenRequest }>(
      url,
      { schema: { body: TokenCreate } },
      async (request, reply) => {
        const { body } = request
        requireEndless(body)
        const tokens = await tokensOf(request)
        const { record, token } = await tokens.create(body.token_name ?? '', permissionsOf(body))
        const names = await tokens.databaseNames()
        return reply.code(201).send({ ...tokenJson(record, names), token })
      },
    )
  }

  const [path] = tokenPaths
  app.get(path, async (request) => {
    const tokens = await tokensOf(request)
    const names = await tokens.databaseNames()
    return withLastUses(services, await tokens.list(), (token) => tokenJson(token, names))
  })

  app.delete(path, async (request) => {
    const named = parameter(request, 'id') ?? parameter(request, 'token_name')
    if (named === undefined) throw new UserError('invalid', 'id or token_name is required')
    const tokens = await tokensOf(request)
    return tokenJson(await tokens.revoke(named), await tokens.databaseNames())
  })
}

function requireEndless({ expiry_secs, expires_at }: TokenRequest): void {
  if (expiry_secs === undefined && expires_at === undefined) return
  throw new UserError('invalid', 'authorizations have no end: leave out expiry_secs and expires_at')
}

function tokenJson(token: Token, databases: ReadonlyMap<string, string>): object {
  if (isOperator(token.permissions as readonly Permission[])) return adminTokenJson(token)
  const { id, description: name, permissions, createdAt } = token
  return {
    id,
    name,
    permissions: permissions.map(({ action, resource: { type, id: of } }) => ({
      resource_type: type === 'buckets' ? 'db' : type,
      resource_names: [of === undefined ? '*' : (databases.get(of) ?? of)],
      actions: [action],
    })),
    created_at: createdAt,
    /** null: never. */
    expiry: null,
    revoked_at: null,
  }
}
