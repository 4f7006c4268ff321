// `/api/v2/orgs/{orgID}/secrets`: the keys of an organization's secrets. Values come in here and
// never go out: not in answers, not in logs, not in messages about refusals.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Action } from '../../../access/permissions.js'
import { parseId } from '../../../catalog/base/ids.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import type { OrganizationParams } from './organizations.js'

const SecretValues = Type.Record(Type.String(), Type.String())
const SecretKeys = Type.Object({ secrets: Type.Array(Type.String()) })

const path = '/api/v2/orgs/:id/secrets'

export function secretRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    const { catalog } = services
    const find = (request: FastifyRequest<OrganizationParams>, action: Action) =>
      findOrganizationId(services, request, action)

    scope.get<OrganizationParams>(path, async (request) => {
      const orgId = await find(request, 'read')
      const org = `/api/v2/orgs/${orgId}`
      return { links: { org, self: `${org}/secrets` }, secrets: await catalog.secrets.keys(orgId) }
    })

    scope.patch<OrganizationParams & { Body: Static<typeof SecretValues> }>(
      path,
      { schema: { body: SecretValues } },
      async (request, reply) => {
        const orgId = await find(request, 'write')
        await catalog.inTransaction((inside) => inside.secrets.put(orgId, request.body))
        return reply.code(204).send()
      },
    )

    scope.post<OrganizationParams & { Body: Static<typeof SecretKeys> }>(
      `${path}/delete`,
      { schema: { body: SecretKeys } },
      async (request, reply) => {
        const orgId = await find(request, 'write')
        await catalog.inTransaction((inside) => inside.secrets.delete(orgId, request.body.secrets))
        return reply.code(204).send()
      },
    )

    scope.delete<{ Params: { id: string; secretID: string } }>(
      `${path}/:secretID`,
      async (request, reply) => {
        const orgId = await find(request, 'write')
        await catalog.secrets.delete(orgId, [request.params.secretID])
        return reply.code(204).send()
      },
    )
  })
}

async function findOrganizationId(
  services: Services,
  request: FastifyRequest<OrganizationParams>,
  action: Action,
): Promise<string> {
  const identity = await identify(services, request)
  const { id } = await services.catalog.organizations.require(parseId(request.params.id))
  requirePermission(identity, { action, type: 'secrets', orgID: id })
  return id
}
