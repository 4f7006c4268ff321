// `/api/v2/checks`: checks as definitions, with the scripts that carry them out. What became of the
// last run is told by the task that each check has.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import type { Catalog } from '../../../catalog/catalog.js'
import type { Check, CheckBody, CheckInput } from '../../../catalog/monitoring/checks.js'
import { UserError } from '../../../errors.js'
import type { Services } from '../../services.js'
import { linksOf, requireRoom } from '../resources/resource-access.js'
import { monitoringRoutes, taskFields } from './monitoring.js'

const CheckRequest = Type.Object({
  orgID: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  query: Type.Optional(
    Type.Object({
      text: Type.Optional(Type.String()),
      editMode: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      builderConfig: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  every: Type.Optional(Type.String()),
  offset: Type.Optional(Type.String()),
  statusMessageTemplate: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
  thresholds: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.String(),
        level: Type.String(),
        allValues: Type.Optional(Type.Boolean()),
        value: Type.Optional(Type.Number()),
        min: Type.Optional(Type.Number()),
        max: Type.Optional(Type.Number()),
        within: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  timeSince: Type.Optional(Type.String()),
  staleTime: Type.Optional(Type.String()),
  reportZero: Type.Optional(Type.Boolean()),
  level: Type.Optional(Type.String()),
  // Ids of labels; clients that send back what they got send whole labels.
  labels: Type.Optional(Type.Array(Type.Unknown())),
})

type CheckRequest = Static<typeof CheckRequest>

export function checkRoutes(app: FastifyInstance, services: Services): void {
  monitoringRoutes<CheckBody, CheckRequest>(app, services, {
    plural: 'checks',
    type: 'checks',
    records: services.catalog.checks.records,
    schema: CheckRequest,
    json: (check, labels) => checkJson(services, check, labels),
    async create(inside, orgId, ownerId, request) {
      const { check } = await inside.limits.of(orgId)
      await requireRoom(inside.checks.records, orgId, check.maxChecks, 'check')
      const made = await inside.checks.create(orgId, ownerId, inputOf(request))
      await attachLabels(inside, made.id, request.labels ?? [])
      return made
    },
    replace: (inside, id, request) => inside.checks.replace(id, inputOf(request)),
    update: (inside, id, change) => inside.checks.update(id, change),
    remove: (inside, id) => inside.checks.delete(id),
    query: (check) => services.catalog.checks.script(check),
  })
}

async function attachLabels(
  inside: Catalog,
  id: string,
  labels: readonly unknown[],
): Promise<void> {
  for (const label of labels) {
    if (typeof label !== 'string') throw new UserError('invalid', 'labels must be label ids')
    await inside.labels.attach(id, parseId(label))
  }
}

function inputOf(request: CheckRequest): CheckInput {
  const { orgID: _orgID, labels: _labels, ...input } = request
  return input
}

async function checkJson(
  services: Services,
  check: Check,
  labels: readonly object[],
): Promise<object> {
  const { id, orgId, ownerId, name, body, createdAt, updatedAt } = check
  const { type, description, status, query, fields } = body
  return {
    id,
    orgID: orgId,
    ownerID: ownerId,
    name,
    type,
    description,
    status,
    query,
    ...fields,
    ...(await taskFields(services, check)),
    createdAt,
    updatedAt,
    labels,
    links: linksOf(`/api/v2/checks/${id}`, ['labels', 'members', 'owners', 'query']),
  }
}
