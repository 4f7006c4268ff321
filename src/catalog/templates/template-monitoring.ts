// Checks, notification endpoints and notification rules in templates: each type is a kind of its
// own. Credentials stand in templates as references to secrets, never as themselves.

import { UserError } from '../../errors.js'
import type { CheckInput, Threshold } from '../monitoring/check-fields.js'
import type { EndpointInput } from '../monitoring/endpoint-kinds.js'
import type { RuleInput } from '../monitoring/rule-fields.js'
import { foundAmong, type Place, type TemplateKind, type TemplateObject } from './template-kinds.js'
import { listOf, type Spec, textOf, textsOf } from './template-specs.js'

function checkKind(kind: string, type: 'threshold' | 'deadman'): TemplateKind {
  return {
    kind,
    section: 'checks',
    type: 'checks',
    ...foundAmong(
      (catalog) => catalog.checks.records,
      ({ body }) => body.type === type,
    ),
    async create({ catalog, orgId, ownerId }, object) {
      await catalog.limits.requireRoom(orgId, 'check', catalog.checks.records)
      return catalog.checks.create(orgId, ownerId, checkInput(type, object))
    },
    update: ({ catalog }, id, object) => catalog.checks.replace(id, checkInput(type, object)),
    remove: (catalog, id) => catalog.checks.delete(id),
    async specOf(catalog, id) {
      const { description, status, query, fields } = (await catalog.checks.records.require(id)).body
      const { thresholds, ...rest } = fields
      const shown = thresholds === undefined ? {} : { thresholds: thresholds.map(thresholdSpec) }
      return { description, status, query: query.text, ...rest, ...shown }
    },
  }
}

function checkInput(type: string, { name, spec }: TemplateObject): CheckInput {
  return {
    name,
    type,
    query: { text: textOf(spec, 'query') ?? '', editMode: 'advanced' },
    ...textsOf(spec, ['description', 'status', 'level', 'every', 'offset']),
    ...textsOf(spec, ['statusMessageTemplate', 'timeSince', 'staleTime']),
    reportZero: spec.reportZero === true,
    tags: listOf(spec, 'tags').map(({ key, value }) => ({ key: `${key}`, value: `${value}` })),
    thresholds: listOf(spec, 'thresholds').map(thresholdInput),
  }
}

function thresholdInput(spec: Spec): Threshold {
  const given = textOf(spec, 'type') ?? ''
  const isRange = given === 'inside_range' || given === 'outside_range'
  const number = (field: string) => (spec[field] === undefined ? undefined : Number(spec[field]))
  return {
    type: isRange ? 'range' : given,
    level: textOf(spec, 'level') ?? '',
    allValues: spec.allValues === true,
    value: number('value'),
    min: number('min'),
    max: number('max'),
    within: given === 'inside_range',
  }
}

function thresholdSpec({ type, within, ...rest }: Threshold): Spec {
  if (type !== 'range') return { type, ...rest }
  return { type: within === true ? 'inside_range' : 'outside_range', ...rest }
}

function endpointKind(kind: string, type: 'slack' | 'pagerduty' | 'http'): TemplateKind {
  return {
    kind,
    section: 'notificationEndpoints',
    type: 'notificationEndpoints',
    ...foundAmong(
      (catalog) => catalog.notificationEndpoints.records,
      ({ body }) => body.type === type,
    ),
    async create({ catalog, orgId, ownerId }, object) {
      const { blockedNotificationEndpoints } = (await catalog.limits.of(orgId)).notificationEndpoint
      refuseBlocked(blockedNotificationEndpoints, type)
      const { input, references } = endpointInput(type, object)
      return catalog.notificationEndpoints.create(orgId, ownerId, input, references)
    },
    async update({ catalog }, id, object) {
      const { input, references } = endpointInput(type, object)
      const changed = await catalog.notificationEndpoints.replace(id, input, references)
      await catalog.notificationRules.endpointChanged(changed)
      return changed
    },
    remove: (catalog, id) => catalog.notificationEndpoints.delete(id),
    async specOf(catalog, id) {
      const { body } = await catalog.notificationEndpoints.records.require(id)
      const { authMethod, clientURL, ...fields } = body.fields
      const secrets = Object.entries(body.secretKeys).map(([field, key]) => [
        field,
        { secretRef: { key } },
      ])
      const { description, status } = body
      const own = authMethod === undefined ? {} : { type: authMethod }
      const url = clientURL === undefined ? {} : { url: clientURL }
      return { description, status, ...fields, ...own, ...url, ...Object.fromEntries(secrets) }
    },
  }
}

const secretFields = ['token', 'routingKey', 'username', 'password'] as const

function endpointInput(type: string, { name, spec }: TemplateObject) {
  const values: Record<string, string | undefined> = {}
  const references: Record<string, string> = {}
  for (const field of secretFields) {
    const key = secretKeyOf(spec[field])
    if (key === undefined) values[field] = textOf(spec, field)
    else references[field] = key
  }
  const url = textOf(spec, 'url')
  const input: EndpointInput = {
    ...values,
    ...textsOf(spec, ['description', 'status', 'method']),
    name,
    type,
    authMethod: type === 'http' ? textOf(spec, 'type') : undefined,
    ...(type === 'pagerduty' ? { clientURL: url } : { url }),
  }
  return { input, references }
}

export function secretKeyOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('secretRef' in value)) return undefined
  const { key } = value.secretRef as { key?: unknown }
  return typeof key === 'string' ? key : undefined
}

const ruleKind: TemplateKind = {
  kind: 'NotificationRule',
  section: 'notificationRules',
  type: 'notificationRules',
  findById: (catalog, id) => catalog.notificationRules.records.findById(id),
  list: (catalog, orgId) => catalog.notificationRules.records.list({ orgId }),
  async create(place, object) {
    const { catalog, orgId, ownerId } = place
    const { notificationRule } = await catalog.limits.of(orgId)
    const { records } = catalog.notificationRules
    await catalog.limits.requireRoom(orgId, 'notification rule', records)
    const input = await ruleInput(place, object)
    refuseBlocked(notificationRule.blockedNotificationRules, input.type ?? '')
    return catalog.notificationRules.create(orgId, ownerId, input)
  },
  async update(place, id, object) {
    return place.catalog.notificationRules.replace(id, await ruleInput(place, object))
  },
  remove: (catalog, id) => catalog.notificationRules.delete(id),
  async specOf(catalog, id) {
    const { body } = await catalog.notificationRules.records.require(id)
    const { description, status, endpointId, fields } = body
    return { description, status, endpointID: endpointId, ...fields }
  },
}

async function ruleInput(place: Place, { name, spec }: TemplateObject): Promise<RuleInput> {
  const endpointName = textOf(spec, 'endpointName') ?? ''
  const { records } = place.catalog.notificationEndpoints
  const id = place.made.get(`notificationEndpoints/${endpointName}`)
  const endpoint =
    id === undefined
      ? await records.findByName(place.orgId, endpointName)
      : await records.require(id)
  if (endpoint === undefined) {
    const reason = `notification endpoint ${JSON.stringify(endpointName)} is not in the template`
    throw new UserError('unprocessable entity', reason)
  }
  return {
    name,
    // Templates do not name the type: only mails have a subject.
    type: spec.subjectTemplate === undefined ? endpoint.body.type : 'smtp',
    endpointID: endpoint.id,
    ...textsOf(spec, ['description', 'status', 'every', 'offset', 'messageTemplate', 'channel']),
    ...textsOf(spec, ['to', 'subjectTemplate', 'bodyTemplate']),
    statusRules: listOf(spec, 'statusRules').map((rule) =>
      textsOf(rule, ['currentLevel', 'previousLevel']),
    ),
    tagRules: listOf(spec, 'tagRules').map((rule) => ({
      key: textOf(rule, 'key') ?? '',
      value: textOf(rule, 'value') ?? '',
      operator: textOf(rule, 'operator')?.toLowerCase(),
    })),
  }
}

function refuseBlocked(blocked: string, type: string): void {
  const kinds = blocked.split(',').map((kind) => kind.trim())
  if (kinds.includes(type)) throw new UserError('forbidden', `type ${type} is not allowed`)
}

/** In the order in which they are made: rules need their endpoints. */
export const monitoringKinds: readonly TemplateKind[] = [
  checkKind('CheckThreshold', 'threshold'),
  checkKind('CheckDeadman', 'deadman'),
  endpointKind('NotificationEndpointSlack', 'slack'),
  endpointKind('NotificationEndpointPagerDuty', 'pagerduty'),
  endpointKind('NotificationEndpointHTTP', 'http'),
  ruleKind,
]
