// `/api/v2/notificationEndpoints`: where notifications go. Credentials go in and never come out:
// they are shown as the keys of the secrets that hold them.

import type { FastifyInstance } from 'fastify'
import {
  type EndpointBody,
  type EndpointInput,
  endpointFields,
  type NotificationEndpoint,
} from '../../../catalog/monitoring/notification-endpoints.js'
import type { Services } from '../../base/services.js'
import { recordJson } from '../resources/resource-access.js'
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
  })
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
