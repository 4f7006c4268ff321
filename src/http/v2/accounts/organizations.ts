// `/api/v2/orgs`: organizations, their members and owners. Who makes one owns it; with it goes
// everything in it. Names and ids that a caller may not see are as if they did not exist.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import { type Action, allowedIds } from '../../../access/permissions.js'
import type { Organization } from '../../../catalog/accounts/organizations.js'
import { parseId } from '../../../catalog/base/ids.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageLinks, pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { organizationJson } from '../resources/resources.js'
import { memberRoutes } from '../resources/sub-resources.js'

const OrganizationCreate = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
})

const OrganizationUpdate = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
})

export type OrganizationParams = { Params: { id: string } }

const path = '/api/v2/orgs'

export function organizationRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    listRoute(scope, services)
    createRoute(scope, services)
    singleRoutes(scope, services)
    memberRoutes(scope, services, {
      plural: 'orgs',
      find: async (id) => {
        await services.catalog.organizations.require(id)
        return { id, orgId: id }
      },
      demand: (action, { id }) => ({ action, type: 'orgs', id }),
    })
  })
}

/** The organization that the path names, if the caller may do this to it. */
export async function requireOrganization(
  services: Services,
  request: FastifyRequest<OrganizationParams>,
  action: Action,
): Promise<{ identity: Identity; org: Organization }> {
  const identity = await identify(services, request)
  const org = await services.catalog.organizations.require(parseId(request.params.id))
  requirePermission(identity, { action, type: 'orgs', id: org.id })
  return { identity, org }
}

function listRoute(scope: FastifyInstance, services: Services): void {
  scope.get(path, async (request) => {
    const identity = await identify(services, request)
    const page = pageOf(request)
    const filters = {
      org: parameter(request, 'org'),
      orgID: parameter(request, 'orgID'),
      userID: parameter(request, 'userID'),
    }
    let ids = allowedIds(identity.permissions, 'read', 'orgs')
    const named = await namedOrganization(services, filters, ids)
    if (named !== undefined) ids = [named.id]
    if (filters.userID !== undefined) {
      const ofUser = await organizationsOfUser(services, parseId(filters.userID))
      ids = ids === 'all' ? ofUser : ids.filter((id) => ofUser.includes(id))
    }
    const found = await services.catalog.organizations.list(ids === 'all' ? undefined : ids, page)
    return {
      links: pageLinks(path, page, found.length, filters),
      orgs: found.map(organizationJson),
    }
  })
}

async function namedOrganization(
  services: Services,
  { org, orgID }: { readonly org: string | undefined; readonly orgID: string | undefined },
  visible: 'all' | readonly string[],
): Promise<Organization | undefined> {
  if (org === undefined && orgID === undefined) return undefined
  const { organizations } = services.catalog
  const found =
    orgID === undefined
      ? await organizations.findByName(org ?? '')
      : await organizations.findById(parseId(orgID))
  if (found !== undefined && (visible === 'all' || visible.includes(found.id))) return found
  const name = orgID === undefined ? ` name "${org}"` : ''
  throw new UserError('not found', `organization${name} not found`)
}

async function organizationsOfUser(services: Services, userId: string): Promise<string[]> {
  const memberships = await services.catalog.memberships.ofUser(userId)
  return memberships
    .filter(({ resourceType }) => resourceType === 'orgs')
    .map(({ resourceId }) => resourceId)
}

function createRoute(scope: FastifyInstance, services: Services): void {
  type Body = Static<typeof OrganizationCreate>
  const schema = { body: OrganizationCreate }
  scope.post<{ Body: Body }>(path, { schema }, async (request, reply) => {
    const identity = await identify(services, request)
    requirePermission(identity, { action: 'write', type: 'orgs' })
    const { userId } = identity
    const org = await services.catalog.inTransaction(async (inside) => {
      const made = await inside.organizations.create(request.body)
      if (userId === undefined) return made
      const membership = { resourceType: 'orgs', resourceId: made.id, userId }
      await inside.memberships.add({ ...membership, role: 'owner' })
      return made
    })
    return reply.code(201).send(organizationJson(org))
  })
}

function singleRoutes(scope: FastifyInstance, services: Services): void {
  const { catalog } = services

  scope.get<OrganizationParams>(`${path}/:id`, async (request) => {
    const { org } = await requireOrganization(services, request, 'read')
    return organizationJson(org)
  })

  scope.patch<OrganizationParams & { Body: Static<typeof OrganizationUpdate> }>(
    `${path}/:id`,
    { schema: { body: OrganizationUpdate } },
    async (request) => {
      const { org } = await requireOrganization(services, request, 'write')
      const { name, description } = request.body
      const change = { name, description }
      return organizationJson(
        await catalog.inTransaction((inside) => inside.organizations.update(org.id, change)),
      )
    },
  )

  scope.delete<OrganizationParams>(`${path}/:id`, async (request, reply) => {
    const { org } = await requireOrganization(services, request, 'write')
    await catalog.inTransaction((inside) => inside.organizations.delete(org.id))
    return reply.code(204).send()
  })
}
