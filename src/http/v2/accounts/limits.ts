// `/api/v2/orgs/{orgID}/limits`: what an organization is limited to. Who sees the organization sees
// its limits; only an operator changes them.

import type { FastifyInstance } from 'fastify'
import {
  type LimitsChange,
  limitsFields,
  type OrganizationLimits,
} from '../../../catalog/accounts/limits.js'
import { requirePermission } from '../../../service/base/identities.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import { type OrganizationParams, requireOrganization } from './organizations.js'

export type LimitsUpdate = LimitsChange & { readonly orgID?: string }

const path = '/api/v2/orgs/:id/limits'

export function limitRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    const { limits } = services.catalog

    scope.get<OrganizationParams>(path, async (request) => {
      const { org } = await requireOrganization(services, request, 'read')
      return limitsJson(org.id, await limits.of(org.id))
    })

    scope.put<OrganizationParams & { Body: LimitsUpdate }>(
      path,
      { schema: { body: limitsFields } },
      async (request) => {
        const { identity, org } = await requireOrganization(services, request, 'write')
        requirePermission(identity, { action: 'write', type: 'orgs' })
        const change = limitsChange(request.body)
        const changed = await services.catalog.inTransaction((inside) =>
          inside.limits.change(org.id, change),
        )
        return limitsJson(org.id, changed)
      },
    )
  })
}

/** The organization is named by the path, not by the body. */
export function limitsChange({ orgID: _, ...sections }: LimitsUpdate): LimitsChange {
  return sections
}

function limitsJson(orgId: string, limits: OrganizationLimits): object {
  const org = `/api/v2/orgs/${orgId}`
  return { limits: { orgID: orgId, ...limits }, links: { org, self: `${org}/limits` } }
}
