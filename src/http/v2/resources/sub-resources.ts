// Labels, members and owners below a resource: the same routes for every resource that has them.
// A resource says how it is found and what seeing or changing it demands; the rest is here.

import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Action, Demand } from '../../../access/permissions.js'
import type { Role } from '../../../catalog/accounts/memberships.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { Label } from '../../../catalog/dashboards/labels.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import type { Services } from '../../base/services.js'

export interface ParentResource {
  /** The plural as paths have it: `buckets`. */
  readonly plural: string
  /** Throws `not found` where there is none. */
  find(id: string): Promise<{ readonly id: string; readonly orgId: string }>
  /** What reading or changing its labels demands. */
  demand(action: Action, found: { readonly id: string; readonly orgId: string }): Demand
  /** The same for members and owners, where it differs. */
  memberDemand?(action: Action, found: { readonly id: string; readonly orgId: string }): Demand
}

export function labelJson(label: Label): object {
  const { id, name, orgId, body } = label
  const { properties } = body
  return { id, orgID: orgId, name, ...(Object.keys(properties).length === 0 ? {} : { properties }) }
}

const LabelMapping = Type.Object({ labelID: Type.Optional(Type.String()) })

type IdParams = { Params: { id: string } }

async function findParent(
  services: Services,
  request: FastifyRequest<IdParams>,
  resource: ParentResource,
  action: Action,
  demand: NonNullable<ParentResource['memberDemand']>,
): Promise<{ id: string; orgId: string }> {
  const identity = await identify(services, request)
  const found = await resource.find(parseId(request.params.id))
  requirePermission(identity, demand(action, found))
  return found
}

export function labelRoutes(
  app: FastifyInstance,
  services: Services,
  resource: ParentResource,
): void {
  const path = `/api/v2/${resource.plural}/:id/labels`
  const { catalog } = services
  const { labels } = catalog
  const find = (request: FastifyRequest<IdParams>, action: Action) =>
    findParent(services, request, resource, action, resource.demand)

  app.get<IdParams>(path, async (request) => {
    const { id } = await find(request, 'read')
    const found = await labels.ofResource(id)
    return {
      labels: found.map(labelJson),
      links: { self: `/api/v2/labels` },
    }
  })

  app.post<IdParams & { Body: { labelID?: string } }>(
    path,
    { schema: { body: LabelMapping } },
    async (request, reply) => {
      const { id } = await find(request, 'write')
      const { labelID } = request.body
      if (labelID === undefined || labelID === '') {
        throw new UserError('invalid', 'label id is required')
      }
      const labelId = parseId(labelID)
      const label = await catalog.inTransaction((inside) => inside.labels.attach(id, labelId))
      const links = { self: `/api/v2/labels/${label.id}` }
      return reply.code(201).send({ label: labelJson(label), links })
    },
  )

  app.delete<{ Params: { id: string; labelID: string } }>(
    `${path}/:labelID`,
    async (request, reply) => {
      const { id } = await find(request, 'write')
      const labelId = parseId(request.params.labelID)
      await catalog.inTransaction((inside) => inside.labels.detach(id, labelId))
      return reply.code(204).send()
    },
  )
}

const MemberAdd = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
})

export function memberRoutes(
  app: FastifyInstance,
  services: Services,
  resource: ParentResource,
): void {
  roleRoutes(app, services, resource, 'member')
  roleRoutes(app, services, resource, 'owner')
}

function roleRoutes(
  app: FastifyInstance,
  services: Services,
  resource: ParentResource,
  role: Role,
): void {
  const path = `/api/v2/${resource.plural}/:id/${role}s`
  const { catalog } = services
  const { memberships, users } = catalog
  const demand = resource.memberDemand ?? resource.demand
  const find = (request: FastifyRequest<IdParams>, action: Action) =>
    findParent(services, request, resource, action, demand)
  const memberJson = async (userId: string) => {
    const user = await users.findById(userId)
    if (user === undefined) return undefined
    const { id, name, status } = user
    return { role, links: { self: `/api/v2/users/${id}` }, id, name, status }
  }

  app.get<IdParams>(path, async (request) => {
    const { id } = await find(request, 'read')
    const found = (await memberships.ofResource(id)).filter((m) => m.role === role)
    const members = await Promise.all(found.map(({ userId }) => memberJson(userId)))
    return {
      links: { self: `/api/v2/${resource.plural}/${id}/${role}s` },
      users: members.filter((member) => member !== undefined),
    }
  })

  app.post<IdParams & { Body: { id?: string } }>(
    path,
    { schema: { body: MemberAdd } },
    async (request, reply) => {
      const { id } = await find(request, 'write')
      const userId = request.body.id
      if (userId === undefined || userId.length !== 16) {
        throw new UserError('invalid', 'user id missing or invalid')
      }
      const member = await memberJson(parseId(userId))
      if (member === undefined) throw new UserError('not found', 'user not found')
      await catalog.inTransaction(async (inside) => {
        await inside.users.require(userId)
        const resourceType = resource.plural
        await inside.memberships.add({ resourceType, resourceId: id, userId, role })
      })
      return reply.code(201).send(member)
    },
  )

  app.delete<{ Params: { id: string; userID: string } }>(
    `${path}/:userID`,
    async (request, reply) => {
      const { id } = await find(request, 'write')
      const userId = parseId(request.params.userID)
      await catalog.inTransaction((inside) => inside.memberships.remove(id, userId, role))
      return reply.code(204).send()
    },
  )
}
