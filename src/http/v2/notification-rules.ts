// `/api/v2/notificationRules`: which statuses are told to which endpoint, as definitions. The script
// of a rule has to be generated, which is refused until rules can be run.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CheckTag } from '../../catalog/checks.js'
import { parseId } from '../../catalog/ids.js'
import {
  concerns,
  type NotificationRule,
  type RuleBody,
  type RuleInput,
} from '../../catalog/notification-rules.js'
import { UserError } from '../../errors.js'
import { parameter } from '../parameters.js'
import type { Services } from '../services.js'
import { monitoringRoutes, requireAllowedType } from './monitoring.js'
import { linksOf, parameterValues, requireRoom } from './resource-access.js'

const RuleRequest = Type.Object({
  orgID: Type.Optional(Type.String()),
  endpointID: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  every: Type.Optional(Type.String()),
  offset: Type.Optional(Type.String()),
  sleepUntil: Type.Optional(Type.String()),
  runbookLink: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
  limitEvery: Type.Optional(Type.Integer()),
  tagRules: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String(),
        value: Type.String(),
        operator: Type.Optional(Type.String()),
      }),
    ),
  ),
  statusRules: Type.Optional(
    Type.Array(
      Type.Object({
        currentLevel: Type.Optional(Type.String()),
        previousLevel: Type.Optional(Type.String()),
        count: Type.Optional(Type.Integer()),
        period: Type.Optional(Type.String()),
      }),
    ),
  ),
  messageTemplate: Type.Optional(Type.String()),
  channel: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  parseMode: Type.Optional(Type.String()),
  disableWebPagePreview: Type.Optional(Type.Boolean()),
})

type RuleRequest = Static<typeof RuleRequest>

export function notificationRuleRoutes(app: FastifyInstance, services: Services): void {
  monitoringRoutes<RuleBody, RuleRequest>(app, services, {
    plural: 'notificationRules',
    type: 'notificationRules',
    records: services.catalog.notificationRules.records,
    schema: RuleRequest,
    json: ruleJson,
    async create(inside, orgId, ownerId, request) {
      const { notificationRule } = await inside.limits.of(orgId)
      const { maxNotifications, blockedNotificationRules } = notificationRule
      requireAllowedType(blockedNotificationRules, request.type, 'a notification rule')
      const { records } = inside.notificationRules
      await requireRoom(records, orgId, maxNotifications, 'notification rule')
      return inside.notificationRules.create(orgId, ownerId, inputOf(request))
    },
    replace: (inside, id, request) => inside.notificationRules.replace(id, inputOf(request)),
    update: (inside, id, change) => inside.notificationRules.update(id, change),
    remove: (inside, id) => inside.notificationRules.records.delete(id),
    filter: (request) => ruleFilter(services, request),
    query() {
      const reason = 'the script of a notification rule cannot be generated yet'
      throw new UserError('not implemented', reason)
    },
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
  const checkTags = checkID === undefined ? undefined : await tagsOfCheck(services, checkID)
  return (rule) =>
    wanted.every((tag) => names(rule, tag)) &&
    (checkTags === undefined || concerns(rule, checkTags))
}

function names(rule: NotificationRule, tag: CheckTag): boolean {
  const rules = rule.body.fields.tagRules ?? []
  return rules.some(({ key, value }) => key === tag.key && value === tag.value)
}

/** The tags that every status of a check carries. */
async function tagsOfCheck(services: Services, checkID: string): Promise<CheckTag[]> {
  const { id, name, body } = await services.catalog.checks.records.require(parseId(checkID))
  const own = [
    { key: '_check_id', value: id },
    { key: '_check_name', value: name },
    { key: '_type', value: body.type },
  ]
  return [...own, ...(body.fields.tags ?? [])]
}

function inputOf(request: RuleRequest): RuleInput {
  const { orgID: _orgID, endpointID, ...input } = request
  const isNamed = endpointID !== undefined && endpointID !== ''
  return { ...input, endpointId: isNamed ? parseId(endpointID) : undefined }
}

function ruleJson(rule: NotificationRule, labels: readonly object[]): object {
  const { id, orgId, ownerId, name, body, createdAt, updatedAt } = rule
  const { type, endpointId, description, status, fields } = body
  return {
    id,
    orgID: orgId,
    ownerID: ownerId,
    endpointID: endpointId,
    name,
    type,
    description,
    status,
    ...fields,
    createdAt,
    updatedAt,
    labels,
    links: linksOf(`/api/v2/notificationRules/${id}`, ['labels', 'members', 'owners', 'query']),
  }
}
