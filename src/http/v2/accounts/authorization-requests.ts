// What authorizations and legacy authorizations share: the body that asks for one, the rule that
// nobody grants more than they have, who sees which, and how permissions are shown.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import {
  type Action,
  allows,
  confined,
  covers,
  type Demand,
  demandText,
  isOperator,
  type Permission,
  resourceTypes,
} from '../../../access/permissions.js'
import type { Organization } from '../../../catalog/accounts/organizations.js'
import type { Token } from '../../../catalog/accounts/tokens.js'
import { isId, parseId } from '../../../catalog/base/ids.js'
import type { Catalog } from '../../../catalog/catalog.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { mayAccessUser } from './users.js'

// Types, actions and ids are judged by hand: their refusals have texts of their own.
const PermissionRequest = Type.Object({
  action: Type.String({ description: 'read or write' }),
  resource: Type.Object({
    type: Type.String(),
    id: Type.Optional(Type.String()),
    orgID: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    org: Type.Optional(Type.String()),
  }),
})

const Status = Type.Union([Type.Literal('active'), Type.Literal('inactive')])

export const AuthorizationUpdate = Type.Object({
  status: Type.Optional(Status),
  description: Type.Optional(Type.String()),
})

/** The plain form, the one for single resources and the one for another user are one shape. */
export const AuthorizationCreate = Type.Object({
  status: Type.Optional(Status),
  description: Type.Optional(Type.String()),
  orgID: Type.Optional(Type.String({ description: 'required' })),
  userID: Type.Optional(Type.String()),
  permissions: Type.Optional(Type.Array(PermissionRequest, { description: 'required' })),
  token: Type.Optional(Type.String({ description: 'the user name of a legacy authorization' })),
  tokenHash: Type.Optional(
    Type.String({
      pattern: '^([0-9a-f]{64}|[0-9a-f]{128})$',
      description:
        'SHA-256 or SHA-512, in hexadecimal digits, of a token that clients have already; ' +
        'for operators, who move an installation',
    }),
  ),
})

export type AuthorizationCreate = Static<typeof AuthorizationCreate>
export type AuthorizationUpdate = Static<typeof AuthorizationUpdate>

/** What a new token is made of. */
export interface GrantedToken {
  readonly orgId: string
  readonly userId: string | undefined
  readonly creatorId: string | undefined
  readonly description: string
  readonly status: Token['status'] | undefined
  readonly permissions: readonly Permission[]
}

/** Throws where the body is bad or the caller may not make such a token. */
export async function grantToken(
  services: Services,
  identity: Identity,
  body: AuthorizationCreate,
): Promise<GrantedToken> {
  const wanted = requestedPermissions(body)
  if (body.orgID === undefined || !isId(body.orgID)) {
    throw new UserError('invalid', 'org id required: invalid ID')
  }
  const { orgID } = body
  if ((await services.catalog.organizations.findById(orgID)) === undefined) {
    throw new UserError('invalid', 'unable to create token')
  }
  const org = await services.targets.organizationToManage(identity, { org: undefined, orgID })
  requirePermission(identity, { action: 'write', type: 'authorizations', orgID: org.id })
  // Who could choose any token might choose one that somebody else is about to make.
  if (body.tokenHash !== undefined && !isOperator(identity.permissions)) {
    throw new UserError('forbidden', 'only operators bring tokens along by their hash')
  }
  const userId = await scopedUser(services, identity, body.userID)
  const permissions = wanted.map((permission) => granted(identity, permission, org.id))
  return {
    orgId: org.id,
    userId,
    creatorId: identity.userId,
    description: body.description ?? '',
    status: body.status,
    permissions,
  }
}

async function scopedUser(
  services: Services,
  identity: Identity,
  requested: string | undefined,
): Promise<string | undefined> {
  const given = requested === '' ? undefined : requested
  const userId = given === undefined ? identity.userId : parseId(given)
  if (userId === undefined) return undefined
  if ((await services.catalog.users.findById(userId)) === undefined) {
    throw new UserError('invalid', 'unable to create token')
  }
  requirePermission(identity, { action: 'write', type: 'users', id: userId })
  return userId
}

function requestedPermissions(body: AuthorizationCreate): Permission[] {
  const { permissions = [] } = body
  if (permissions.length === 0) {
    throw new UserError('invalid', 'authorization must include permissions')
  }
  return permissions.map(({ action, resource }) => {
    if (action !== 'read' && action !== 'write') {
      const reason = 'unknown action for permission'
      throw new UserError('invalid', `invalid action type for permission: ${reason}`)
    }
    const type = resourceTypes.find((known) => known === resource.type)
    if (type === undefined) {
      const reason = 'unknown resource type for permission'
      throw new UserError('invalid', `invalid resource type for permission: ${reason}`)
    }
    const id = optionalId(resource.id)
    const orgID = optionalId(resource.orgID)
    return {
      action,
      resource: {
        type,
        ...(id === undefined ? {} : { id }),
        ...(orgID === undefined ? {} : { orgID }),
      },
    }
  })
}

function optionalId(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : parseId(text)
}

/** As it was asked for if the caller has all of that, else kept to the organization. */
function granted(identity: Identity, wanted: Permission, orgId: string): Permission {
  const { permissions } = identity
  if (covers(permissions, wanted)) return wanted
  const narrow = confined(wanted, orgId)
  if (covers(permissions, narrow)) return narrow
  const { type, id, orgID } = narrow.resource
  const demand: Demand = {
    action: wanted.action,
    type,
    ...(id === undefined ? {} : { id }),
    ...(orgID === undefined ? {} : { orgID }),
  }
  throw new UserError('unauthorized', `${demandText(demand)} is unauthorized`)
}

/** The organization that the query names; undefined where it names none. */
export async function organizationFilter(
  services: Services,
  identity: Identity,
  request: FastifyRequest,
): Promise<Organization | undefined> {
  const org = parameter(request, 'org')
  const orgID = parameter(request, 'orgID')
  if (org === undefined && orgID === undefined) return undefined
  // An operator's token reaches every organization, whichever it is bound to.
  const reach = isOperator(identity.permissions) ? { ...identity, orgId: undefined } : identity
  return services.targets.organization(reach, { org, orgID })
}

/** undefined: the query names no user. null: it names one that does not exist. */
export async function userFilter(
  services: Services,
  request: FastifyRequest,
): Promise<string | null | undefined> {
  const userID = parameter(request, 'userID')
  if (userID !== undefined) return parseId(userID)
  const name = parameter(request, 'user')
  if (name === undefined) return undefined
  return (await services.catalog.users.findByName(name))?.id ?? null
}

/** Lists are refused to those who could never see an entry. */
export function requireListing(identity: Identity): void {
  for (const type of ['authorizations', 'users'] as const) {
    const isAnySeen = identity.permissions.some(
      ({ action, resource }) =>
        action === 'read' && (resource.type === type || resource.type === 'instance'),
    )
    if (!isAnySeen) requirePermission(identity, { action: 'read', type })
  }
}

export async function mayAccessToken(
  catalog: Catalog,
  identity: Identity,
  action: Action,
  token: Token,
): Promise<boolean> {
  if (!allows(identity.permissions, tokenDemand(action, token))) return false
  const { userId } = token
  return userId === undefined || mayAccessUser(catalog, identity, action, userId)
}

export async function requireTokenAccess(
  catalog: Catalog,
  identity: Identity,
  action: Action,
  token: Token,
): Promise<void> {
  if (await mayAccessToken(catalog, identity, action, token)) return
  requirePermission(identity, tokenDemand(action, token))
  const user = token.userId === undefined ? {} : { id: token.userId }
  requirePermission(identity, { action, type: 'users', ...user })
}

function tokenDemand(action: Action, { id, orgId }: Token): Demand {
  const demand = { action, type: 'authorizations', id } as const
  return orgId === undefined ? demand : { ...demand, orgID: orgId }
}
