// `/api/v2/notificationEndpoints`: where notifications go. Credentials go in and never come out:
// they are shown as the keys of the secrets that hold them.

import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { type Given, optionalFields } from '../../../catalog/base/fields.js'
import { type EndpointInput, endpointFields } from '../../../catalog/monitoring/endpoint-kinds.js'
import type {
  EndpointBody,
  NotificationEndpoint,
} from '../../../catalog/monitoring/notification-endpoints.js'
import type { Services } from '../../base/services.js'
import { type IdParams, type Resource, recordJson } from '../resources/resource-access.js'
import { monitoringRoutes, requireAllowedType } from './monitoring.js'

export function notificationEndpointRoutes(app: FastifyInstance, services: Services): void {
  monitoringRoutes<EndpointBody, EndpointInput>(app, services, {
    plural: 'notificationEndpoints',
    type: 'notificationEndpoints',
    records: services.catalog.notificationEndpoints.records,
    schema: endpointFields,
    json: endpointJson,
    async create(inside, orgId, ownerId, request) {
      const { notificationEndpoint } = await inside.limits.of(orgId)
      const blocked = notificationEndpoint.blockedNotificationEndpoints
      requireAllowedType(blocked, request.type, 'a notification endpoint')
      return inside.notificationEndpoints.create(orgId, ownerId, request)
    },
    async replace(inside, id, request) {
      const changed = await inside.notificationEndpoints.replace(id, request)
      await inside.notificationRules.endpointChanged(changed)
      return changed
    },
    async update(inside, id, change) {
      const changed = await inside.notificationEndpoints.update(id, change)
      await inside.notificationRules.endpointChanged(changed)
      return changed
    },
    remove: (inside, id) => inside.notificationEndpoints.delete(id),
    more: (scope, resource) => testRoute(scope, services, resource),
  })
}

const Test = optionalFields({ message: Type.String(), to: Type.String() })

/** Sends one message now. Only who may change the endpoint: it speaks with its credentials. */
function testRoute(
  scope: FastifyInstance,
  { alerts }: Services,
  resource: Resource<EndpointBody>,
): void {
  scope.post<IdParams & { Body: Given<typeof Test> | undefined }>(
    `${resource.path}/:id/test`,
    { schema: { body: Type.Optional(Test) } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const { isSent, error } = await alerts.sendTest(record, request.body ?? {})
      return { sent: isSent, error }
    },
  )
}

function endpointJson(endpoint: NotificationEndpoint, labels: readonly object[]): object {
  const { type, description, status, fields, secretKeys } = endpoint.body
  const secrets = Object.entries(secretKeys).map(([field, key]) => [field, `secret: ${key}`])
  const own = { userID: endpoint.ownerId, type, description, status, ...fields }
  const shown = { ...own, ...Object.fromEntries(secrets) }
  return recordJson('notificationEndpoints', endpoint, labels, shown, [
    'labels',
    'members',
    'owners',
  ])
}
