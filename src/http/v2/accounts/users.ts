// `/api/v2/users`: users of the installation. Making them is the operator's; everybody sees and
// changes their own, and sees those of organizations whose users they may read.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import type { Guess } from '../../../access/guess-throttle.js'
import { type Action, allowedIds, allows } from '../../../access/permissions.js'
import type { User } from '../../../catalog/accounts/users.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { Catalog } from '../../../catalog/catalog.js'
import { UserError } from '../../../errors.js'
import {
  findByPassword,
  isSession,
  requireActive,
  requirePermission,
} from '../../../service/base/identities.js'
import { basicCredential, identify, requireSameOrigin } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageLinks, pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { userJson } from '../resources/resources.js'

const Status = Type.Union([Type.Literal('active'), Type.Literal('inactive')])
const Role = Type.Union([Type.Literal('owner'), Type.Literal('member')])

const UserCreate = Type.Object({
  name: Type.String(),
  status: Type.Optional(Status),
  oauthID: Type.Optional(Type.String()),
  org_id: Type.Optional(Type.String()),
  role: Type.Optional(Role),
})

const UserUpdate = Type.Object({
  name: Type.Optional(Type.String()),
  status: Type.Optional(Status),
})

export const PasswordReset = Type.Object({ password: Type.String() })

type IdParams = { Params: { id: string } }

const path = '/api/v2/users'

export function userRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    listRoute(scope, services)
    createRoute(scope, services)
    singleRoutes(scope, services)
  })
  passwordRoutes(app, services)
}

function listRoute(scope: FastifyInstance, services: Services): void {
  scope.get(path, async (request) => {
    const identity = await identify(services, request)
    const page = pageOf(request)
    const name = parameter(request, 'name')
    const id = parameter(request, 'id')
    const visible = await readableUserIds(services.catalog, identity)
    const wanted = id === undefined ? undefined : [parseId(id)]
    const ids =
      visible === 'all' ? wanted : (wanted ?? visible).filter((known) => visible.includes(known))
    const users = await services.catalog.users.list({ ids, name }, page)
    return {
      links: pageLinks(path, page, users.length, { name, id }),
      users: users.map(userJson),
    }
  })
}

function createRoute(scope: FastifyInstance, services: Services): void {
  type Body = Static<typeof UserCreate>
  const schema = { body: UserCreate }
  scope.post<{ Body: Body }>(path, { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    requirePermission(identity, { action: 'write', type: 'users' })
    const { name, status, org_id, role } = request.body
    const orgId = org_id === undefined ? undefined : parseId(org_id)
    if (orgId !== undefined) {
      requirePermission(identity, { action: 'write', type: 'orgs', id: orgId })
    }
    const user = await services.catalog.inTransaction(async (inside) => {
      const made = await inside.users.create({ name, status, passwordHash: undefined })
      if (orgId === undefined) return made
      const { id: resourceId } = await inside.organizations.require(orgId)
      const membership = { resourceType: 'orgs', resourceId, userId: made.id }
      await inside.memberships.add({ ...membership, role: role ?? 'member' })
      return made
    })
    return reply.code(201).send(userJson(user))
  })
}

function singleRoutes(scope: FastifyInstance, services: Services): void {
  const { catalog } = services
  const find = async (request: FastifyRequest<IdParams>, action: Action): Promise<User> => {
    const identity = await identify(services, request)
    const user = await catalog.users.require(parseId(request.params.id))
    await requireUserAccess(catalog, identity, action, user.id)
    return user
  }

  scope.get<IdParams>(`${path}/:id`, async (request) => userJson(await find(request, 'read')))

  scope.patch<IdParams & { Body: Static<typeof UserUpdate> }>(
    `${path}/:id`,
    { schema: { body: UserUpdate } },
    async (request) => {
      const { id } = await find(request, 'write')
      const { name, status } = request.body
      return userJson(await catalog.inTransaction((i) => i.users.update(id, { name, status })))
    },
  )

  scope.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const { id } = await find(request, 'write')
    const taskCount = await catalog.tasks.countOwned(id)
    await catalog.inTransaction((inside) => inside.users.delete(id))
    // Their runs fail from now on, until somebody gives them a new owner.
    if (taskCount > 0) services.log('warn', 'a deleted user owned tasks', { userId: id, taskCount })
    return reply.code(204).send()
  })
}

/** No guard: the old password is a credential as well. */
function passwordRoutes(app: FastifyInstance, services: Services): void {
  app.route<IdParams & { Body: Static<typeof PasswordReset> }>({
    method: ['POST', 'PUT'],
    url: `${path}/:id/password`,
    onRequest: async (request) => {
      if (basicCredential(request) === undefined) await identify(services, request)
    },
    schema: { body: PasswordReset },
    handler: async (request, reply) => {
      const id = parseId(request.params.id)
      await requirePasswordAccess(services, request, id)
      await setPassword(services, id, request.body.password)
      return reply.code(204).send()
    },
  })
}

/**
 * With the old password, or a token that may write the user. A session alone does not change its
 * own user's password: whoever found a browser open would keep the account.
 */
async function requirePasswordAccess(
  services: Services,
  request: FastifyRequest,
  userId: string,
): Promise<void> {
  const { catalog } = services
  const basic = basicCredential(request)
  if (basic !== undefined) {
    await requireOldPassword(services, request, basic, userId)
    return
  }
  const identity = await identify(services, request)
  requirePermission(identity, { action: 'write', type: 'users', id: userId })
  await catalog.users.require(userId)
  if (isSession(identity) && identity.userId === userId) throw wrongPassword()
}

export async function requireOldPassword(
  services: Services,
  request: FastifyRequest,
  basic: Guess,
  userId: string | undefined,
): Promise<User> {
  requireSameOrigin(request)
  const user = await findByPassword(services, basic)
  if (user === undefined) throw wrongPassword()
  requireActive(user)
  if (userId !== undefined && user.id !== userId) {
    throw new UserError('forbidden', 'your userID is incorrect')
  }
  return user
}

export function wrongPassword(): UserError {
  return new UserError('forbidden', 'your username or password is incorrect')
}

export async function setPassword(
  services: Services,
  userId: string,
  password: string,
): Promise<void> {
  const hash = await services.passwords.hash(password)
  await services.catalog.inTransaction((inside) => inside.users.setPassword(userId, hash))
}

/**
 * Users belong to no organization, but who may read an organization's users sees its members. To
 * write a user it takes a permission for that user or for all: otherwise the owner of one
 * organization could take over its members' accounts.
 */
export async function mayAccessUser(
  catalog: Catalog,
  identity: Identity,
  action: Action,
  userId: string,
): Promise<boolean> {
  if (allows(identity.permissions, { action, type: 'users', id: userId })) return true
  if (action === 'write') return false
  const memberships = await catalog.memberships.ofUser(userId)
  return memberships.some(
    ({ resourceType, resourceId }) =>
      resourceType === 'orgs' &&
      allows(identity.permissions, { action, type: 'users', orgID: resourceId }),
  )
}

async function requireUserAccess(
  catalog: Catalog,
  identity: Identity,
  action: Action,
  userId: string,
): Promise<void> {
  if (await mayAccessUser(catalog, identity, action, userId)) return
  requirePermission(identity, { action, type: 'users', id: userId })
}

async function readableUserIds(catalog: Catalog, identity: Identity): Promise<'all' | string[]> {
  const ids = allowedIds(identity.permissions, 'read', 'users')
  if (ids === 'all') return 'all'
  const found = new Set(ids)
  const ofOrganizations = identity.permissions.filter(({ action, resource }) => {
    const isWhole = resource.id === undefined && resource.orgID !== undefined
    return isWhole && action === 'read' && ['users', 'instance'].includes(resource.type)
  })
  for (const { resource } of ofOrganizations) {
    const members = await catalog.memberships.ofResource(resource.orgID ?? '')
    for (const { userId } of members) found.add(userId)
  }
  return [...found]
}
