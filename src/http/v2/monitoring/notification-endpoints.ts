// `/api/v2/notificationEndpoints`: where notifications go. Credentials go in and never come out:
// they are shown as the keys of the secrets that hold them.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type {
  EndpointBody,
  EndpointInput,
  NotificationEndpoint,
} from '../../../catalog/monitoring/notification-endpoints.js'
import type { Services } from '../../services.js'
import { linksOf } from '../resources/resource-access.js'
import { monitoringRoutes, requireAllowedType } from './monitoring.js'

const EndpointRequest = Type.Object({
  orgID: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  clientURL: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
  authMethod: Type.Optional(Type.String()),
  contentTemplate: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  channel: Type.Optional(Type.String()),
  token: Type.Optional(Type.String()),
  routingKey: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
})

type EndpointRequest = Static<typeof EndpointRequest>

export function notificationEndpointRoutes(app: FastifyInstance, services: Services): void {
  monitoringRoutes<EndpointBody, EndpointRequest>(app, services, {
    plural: 'notificationEndpoints',
    type: 'notificationEndpoints',
    records: services.catalog.notificationEndpoints.records,
    schema: EndpointRequest,
    json: endpointJson,
    async create(inside, orgId, ownerId, request) {
      const { notificationEndpoint } = await inside.limits.of(orgId)
      const blocked = notificationEndpoint.blockedNotificationEndpoints
      requireAllowedType(blocked, request.type, 'a notification endpoint')
      return inside.notificationEndpoints.create(orgId, ownerId, inputOf(request))
    },
    async replace(inside, id, request) {
      const changed = await inside.notificationEndpoints.replace(id, inputOf(request))
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

function inputOf(request: EndpointRequest): EndpointInput {
  const { orgID: _orgID, ...input } = request
  return input
}

function endpointJson(endpoint: NotificationEndpoint, labels: readonly object[]): object {
  const { id, orgId, ownerId, name, body, createdAt, updatedAt } = endpoint
  const { type, description, status, fields, secretKeys } = body
  const secrets = Object.entries(secretKeys).map(([field, key]) => [field, `secret: ${key}`])
  return {
    id,
    orgID: orgId,
    userID: ownerId,
    name,
    type,
    description,
    status,
    ...fields,
    ...Object.fromEntries(secrets),
    createdAt,
    updatedAt,
    labels,
    links: linksOf(`/api/v2/notificationEndpoints/${id}`, ['labels', 'members', 'owners']),
  }
}
