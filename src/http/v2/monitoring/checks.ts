// `/api/v2/checks`: checks as definitions, with the scripts that carry them out. What became of the
// last run is told by the task that each check has.

import type { FastifyInstance } from 'fastify'
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
import { recordJson } from '../resources/resource-access.js'
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
