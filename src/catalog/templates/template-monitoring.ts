// Checks, notification endpoints and notification rules in templates: each type is a kind of its
// own, also the types that InfluxDB's templates do not have, and every field goes along. Credentials
// stand in templates as references to secrets, never as themselves.

import { UserError } from '../../errors.js'
import {
  type CheckBody,
  type CheckInput,
  ownCheckFields,
  type Threshold,
} from '../monitoring/check-fields.js'
import {
  type EndpointFields,
  type EndpointInput,
  type EndpointType,
  plainSchema,
} from '../monitoring/endpoint-kinds.js'
import { type RuleInput, storedFields } from '../monitoring/rule-fields.js'
import { foundAmong, type Place, type TemplateKind, type TemplateObject } from './template-kinds.js'
import { fieldsOf, listOf, type Spec, textOf, textsOf } from './template-specs.js'

function checkKind(kind: string, type: CheckBody['type']): TemplateKind {
  return {
    kind,
    section: 'checks',
    type: 'checks',
    ...foundAmong(
      (catalog) => catalog.checks.records,
      ({ body }) => body.type === type,
    ),
    async create(place, object) {
      const { catalog, orgId, ownerId } = place
      await catalog.limits.requireRoom(orgId, 'check', catalog.checks.records)
      return catalog.checks.create(orgId, ownerId, await checkInput(type, place, object))
    },
    async update(place, id, object) {
      return place.catalog.checks.replace(id, await checkInput(type, place, object))
    },
    remove: (catalog, id) => catalog.checks.delete(id),
    async specOf(catalog, id) {
      const { description, status, query, fields } = (await catalog.checks.records.require(id)).body
      const { thresholds, ...rest } = fields
      const shown = thresholds === undefined ? {} : { thresholds: thresholds.map(thresholdSpec) }
      return { description, status, query: query.text, ...rest, ...shown }
    },
  }
}

async function checkInput(
  type: string,
  place: Place,
  { name, spec }: TemplateObject,
): Promise<CheckInput> {
  const { thresholds: _thresholds, parentCheckID: _parent, ...given } = spec
  return {
    ...fieldsOf(ownCheckFields, given),
    ...textsOf(spec, ['description', 'status']),
    name,
    type,
    query: { text: textOf(spec, 'query') ?? '', editMode: 'advanced' },
    thresholds: listOf(spec, 'thresholds').map(thresholdInput),
    parentCheckID: await madeOrKnown(place, 'checks', textOf(spec, 'parentCheckName')),
  }
}

/** The id of what a template names: something else in it, or what the organization has under that name. */
async function madeOrKnown(
  { catalog, orgId, made }: Place,
  section: 'checks' | 'notificationEndpoints',
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined || name === '') return undefined
  const id = made.get(`${section}/${name}`)
  if (id !== undefined) return id
  const found = await catalog[section].records.findByName(orgId, name)
  if (found !== undefined) return found.id
  const noun = section === 'checks' ? 'check' : 'notification endpoint'
  const reason = `${noun} ${JSON.stringify(name)} is not in the template`
  throw new UserError('unprocessable entity', reason)
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

function endpointKind(kind: string, type: EndpointType): TemplateKind {
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
      const secrets = Object.entries(body.secretKeys).map(([field, key]) => [
        field,
        { secretRef: { key } },
      ])
      const { description, status } = body
      return { description, status, ...namedFields(body.fields), ...Object.fromEntries(secrets) }
    },
  }
}

/** Templates have names of their own for some fields. */
function namedFields({ authMethod, clientURL, ...fields }: EndpointFields): Spec {
  const own = authMethod === undefined ? {} : { type: authMethod }
  if (clientURL === undefined) return { ...fields, ...own }
  const { url, ...rest } = fields
  return { ...rest, ...own, url: clientURL, ...(url === undefined ? {} : { apiURL: url }) }
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
  const { url, apiURL, type: authMethod } = textsOf(spec, ['url', 'apiURL', 'type'])
  const input: EndpointInput = {
    ...values,
    ...fieldsOf(plainSchema, spec),
    ...textsOf(spec, ['description', 'status']),
    name,
    type,
    authMethod,
    ...(type === 'pagerduty' ? { clientURL: url, url: apiURL } : { url }),
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
  const { records } = place.catalog.notificationEndpoints
  const id = await madeOrKnown(place, 'notificationEndpoints', textOf(spec, 'endpointName'))
  if (id === undefined) throw new UserError('unprocessable entity', 'endpointName is missing')
  const endpoint = await records.require(id)
  const { statusRules = [], tagRules = [], ...fields } = fieldsOf(storedFields, spec)
  return {
    ...fields,
    ...textsOf(spec, ['description', 'status']),
    name,
    // Templates do not name the type: only mails have a subject.
    type: spec.subjectTemplate === undefined ? endpoint.body.type : 'smtp',
    endpointID: endpoint.id,
    statusRules,
    tagRules: tagRules.map(({ key, value, operator }) => ({
      key,
      value,
      operator: operator?.toLowerCase(),
    })),
  }
}

function refuseBlocked(blocked: string, type: string): void {
  const kinds = blocked.split(',').map((kind) => kind.trim())
  if (kinds.includes(type)) throw new UserError('forbidden', `type ${type} is not allowed`)
}

/**
 * In the order in which they are made: rules need their endpoints. InfluxDB has the first two kinds of checks and the
 * first three of endpoints.
 */
export const monitoringKinds: readonly TemplateKind[] = [
  checkKind('CheckThreshold', 'threshold'),
  checkKind('CheckDeadman', 'deadman'),
  checkKind('CheckCustom', 'custom'),
  endpointKind('NotificationEndpointSlack', 'slack'),
  endpointKind('NotificationEndpointPagerDuty', 'pagerduty'),
  endpointKind('NotificationEndpointHTTP', 'http'),
  endpointKind('NotificationEndpointTelegram', 'telegram'),
  endpointKind('NotificationEndpointTeams', 'teams'),
  endpointKind('NotificationEndpointDiscord', 'discord'),
  endpointKind('NotificationEndpointOpsgenie', 'opsgenie'),
  endpointKind('NotificationEndpointAlertmanager', 'alertmanager'),
  endpointKind('NotificationEndpointSMTP', 'smtp'),
  ruleKind,
]
