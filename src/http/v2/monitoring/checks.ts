// `/api/v2/checks`: checks as definitions, with the scripts that carry them out. What became of the
// last run is told by the task that each check has.

import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Given } from '../../../catalog/base/fields.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { Catalog } from '../../../catalog/catalog.js'
import {
  type Check,
  type CheckBody,
  type CheckInput,
  checkFields,
} from '../../../catalog/monitoring/check-fields.js'
import { UserError } from '../../../errors.js'
import type { Services } from '../../base/services.js'
import { type IdParams, type Resource, recordJson } from '../resources/resource-access.js'
import { monitoringRoutes, taskFields } from './monitoring.js'

export function checkRoutes(app: FastifyInstance, services: Services): void {
  monitoringRoutes<CheckBody, CheckInput>(app, services, {
    plural: 'checks',
    type: 'checks',
    records: services.catalog.checks.records,
    schema: checkFields,
    json: (check, labels) => checkJson(services, check, labels),
    async create(inside, orgId, ownerId, request) {
      await inside.limits.requireRoom(orgId, 'check', inside.checks.records)
      const made = await inside.checks.create(orgId, ownerId, request)
      await attachLabels(inside, made.id, request.labels ?? [])
      return made
    },
    replace: (inside, id, request) => inside.checks.replace(id, request),
    update: (inside, id, change) => inside.checks.update(id, change),
    remove: (inside, id) => inside.checks.delete(id),
    query: (check) => services.catalog.checks.script(check),
    more: (scope, resource) => testRoute(scope, services, resource),
  })
}

const Test = Type.Object({ start: Type.String(), stop: Type.Optional(Type.String()) })

/** What the check would have said. It runs with the rights of who asks, and writes nothing. */
function testRoute(
  scope: FastifyInstance,
  { alerts, clock }: Services,
  resource: Resource<CheckBody>,
): void {
  scope.post<IdParams & { Body: Given<typeof Test> }>(
    `${resource.path}/:id/test`,
    { schema: { body: Test } },
    async (request) => {
      const { identity, record: check } = await resource.require(request, 'write')
      const { start, stop } = request.body
      const { runCount, statuses, errors } = await alerts.testCheck({
        check,
        identity,
        start: momentOf('start', start),
        stop: stop === undefined ? clock.now() : momentOf('stop', stop),
      })
      return { runs: runCount, statuses, errors }
    },
  )
}

function momentOf(field: string, text: string): bigint {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return BigInt(ms) * 1_000_000n
  throw new UserError('invalid', `${field} ${JSON.stringify(text)} is no time`)
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

async function checkJson(
  services: Services,
  check: Check,
  labels: readonly object[],
): Promise<object> {
  const { type, description, status, query, fields } = check.body
  const own = { ownerID: check.ownerId, type, description, status, query, ...fields }
  const shown = { ...own, ...(await taskFields(services, check)) }
  return recordJson('checks', check, labels, shown, ['labels', 'members', 'owners', 'query'])
}
