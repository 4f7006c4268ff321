// `/api/v2/orgs/{orgID}/limits`: what an organization is limited to. Who sees the organization sees
// its limits; only an operator changes them.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { LimitsChange, OrganizationLimits } from '../../../catalog/accounts/limits.js'
import { requirePermission } from '../../../service/base/identities.js'
import type { Services } from '../../base/services.js'
import { guardedRoutes } from '../resources/resource-access.js'
import { type OrganizationParams, requireOrganization } from './organizations.js'

/** 0 is without limit. Beyond this, numbers of JSON are no longer exact. */
const Count = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Kinds = Type.Optional(Type.String())
const Switch = Type.Optional(Type.Boolean())
const closed = { additionalProperties: false }

/** Any part of the limits. A misspelt name would be a limit that nobody keeps: it is refused. */
export const LimitsUpdate = Type.Object(
  {
    orgID: Type.Optional(Type.String()),
    rate: Type.Optional(
      Type.Object(
        {
          readKBs: Count,
          writeKBs: Count,
          queryTime: Count,
          concurrentReadRequests: Count,
          concurrentWriteRequests: Count,
          concurrentDeleteRequests: Count,
          deleteRequestsPerSecond: Count,
          cardinality: Count,
        },
        closed,
      ),
    ),
    bucket: Type.Optional(Type.Object({ maxBuckets: Count, maxRetentionDuration: Count }, closed)),
    task: Type.Optional(Type.Object({ maxTasks: Count }, closed)),
    dashboard: Type.Optional(Type.Object({ maxDashboards: Count }, closed)),
    check: Type.Optional(Type.Object({ maxChecks: Count }, closed)),
    notificationRule: Type.Optional(
      Type.Object({ maxNotifications: Count, blockedNotificationRules: Kinds }, closed),
    ),
    notificationEndpoint: Type.Optional(
      Type.Object({ blockedNotificationEndpoints: Kinds }, closed),
    ),
    features: Type.Optional(Type.Object({ allowDelete: Switch }, closed)),
    stack: Type.Optional(Type.Object({ enabled: Switch }, closed)),
    timeout: Type.Optional(
      Type.Object(
        { queryUnconditionalTimeoutSeconds: Count, queryidleWriteTimeoutSeconds: Count },
        closed,
      ),
    ),
  },
  closed,
)

export type LimitsUpdate = Static<typeof LimitsUpdate>

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
      { schema: { body: LimitsUpdate } },
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
  return sections as LimitsChange
}

function limitsJson(orgId: string, limits: OrganizationLimits): object {
  const org = `/api/v2/orgs/${orgId}`
  return { limits: { orgID: orgId, ...limits }, links: { org, self: `${org}/limits` } }
}
