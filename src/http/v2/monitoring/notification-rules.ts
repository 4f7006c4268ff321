// `/api/v2/notificationRules`: which statuses are told to which endpoint, as definitions, with the
// scripts that carry them out. What became of the last run is told by the task that each rule has.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows } from '../../../access/permissions.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { CheckTag } from '../../../catalog/monitoring/check-fields.js'
import { concerns } from '../../../catalog/monitoring/notification-rules.js'
import {
  type NotificationRule,
  type RuleBody,
  type RuleInput,
  ruleFields,
} from '../../../catalog/monitoring/rule-fields.js'
import { UserError } from '../../../errors.js'
import { identify } from '../../base/credentials.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { parameterValues, recordJson } from '../resources/resource-access.js'
import { monitoringRoutes, requireAllowedType, taskFields } from './monitoring.js'

export function notificationRuleRoutes(app: FastifyInstance, services: Services): void {
  monitoringRoutes<RuleBody, RuleInput>(app, services, {
    plural: 'notificationRules',
    type: 'notificationRules',
    records: services.catalog.notificationRules.records,
    schema: ruleFields,
    json: (rule, labels) => ruleJson(services, rule, labels),
    async create(inside, orgId, ownerId, request) {
      const { notificationRule } = await inside.limits.of(orgId)
      const { blockedNotificationRules } = notificationRule
      requireAllowedType(blockedNotificationRules, request.type, 'a notification rule')
      const { records } = inside.notificationRules
      await inside.limits.requireRoom(orgId, 'notification rule', records)
      return inside.notificationRules.create(orgId, ownerId, request)
    },
    replace: (inside, id, request) => inside.notificationRules.replace(id, request),
    update: (inside, id, change) => inside.notificationRules.update(id, change),
    remove: (inside, id) => inside.notificationRules.delete(id),
    filter: (request) => ruleFilter(services, request),
    query: (rule) => services.catalog.notificationRules.script(rule),
  })
}

/** Pairs that are not `key:value` are passed over. */
async function ruleFilter(
  services: Services,
  request: FastifyRequest,
): Promise<((rule: NotificationRule) => boolean) | undefined> {
  const pairs = parameterValues(request, 'tag').map((text) => /^(\w+):(\w+)$/.exec(text))
  const wanted = pairs.filter((pair) => pair !== null).map(([, key, value]) => ({ key, value }))
  const checkID = parameter(request, 'checkID')
  if (checkID === undefined && wanted.length === 0) return undefined
  const checkTags =
    checkID === undefined ? undefined : await tagsOfCheck(services, request, checkID)
  return (rule) =>
    wanted.every((tag) => names(rule, tag)) &&
    (checkTags === undefined || concerns(rule, checkTags))
}

function names(rule: NotificationRule, tag: CheckTag): boolean {
  const rules = rule.body.fields.tagRules ?? []
  return rules.some(({ key, value }) => key === tag.key && value === tag.value)
}

/** The tags that every status of a check carries. A check that the caller may not read is not there. */
async function tagsOfCheck(
  services: Services,
  request: FastifyRequest,
  checkID: string,
): Promise<CheckTag[]> {
  const { records } = services.catalog.checks
  const { id, orgId, name, body } = await records.require(parseId(checkID))
  const { permissions } = await identify(services, request)
  if (!allows(permissions, { action: 'read', type: 'checks', id, orgID: orgId })) {
    throw new UserError('not found', 'check not found')
  }
  const own = [
    { key: '_check_id', value: id },
    { key: '_check_name', value: name },
    { key: '_type', value: body.type },
  ]
  return [...own, ...(body.fields.tags ?? [])]
}

async function ruleJson(
  services: Services,
  rule: NotificationRule,
  labels: readonly object[],
): Promise<object> {
  const { type, endpointId, description, status, fields } = rule.body
  const own = { ownerID: rule.ownerId, endpointID: endpointId, type, description, status }
  const shown = { ...own, ...fields, ...(await taskFields(services, rule)) }
  const below = ['labels', 'members', 'owners', 'query']
  return recordJson('notificationRules', rule, labels, shown, below)
}
