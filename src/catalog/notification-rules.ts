// Notification rules: which statuses are told to which endpoint. A rule has the type of its
// endpoint; names need not be unique.

import { UserError } from '../errors.js'
import type { CheckTag } from './checks.js'
import type { CatalogContext } from './context.js'
import {
  checkedStatus,
  checkSchedule,
  levelOf,
  type SmallChange,
  type Status,
  withoutEmpty,
} from './monitoring.js'
import { NotificationEndpoints } from './notification-endpoints.js'
import { type CatalogRecord, Records } from './records.js'

export interface TagRule {
  readonly key: string
  readonly value: string
  readonly operator?: string | undefined
}

export interface StatusRule {
  readonly currentLevel?: string | undefined
  readonly previousLevel?: string | undefined
  readonly count?: number | undefined
  readonly period?: string | undefined
}

/** What a rule holds beside its name, type and status. */
export interface RuleFields {
  readonly every?: string | undefined
  readonly offset?: string | undefined
  readonly sleepUntil?: string | undefined
  readonly runbookLink?: string | undefined
  readonly limit?: number | undefined
  readonly limitEvery?: number | undefined
  readonly tagRules?: readonly TagRule[] | undefined
  readonly statusRules?: readonly StatusRule[] | undefined
  readonly messageTemplate?: string | undefined
  readonly channel?: string | undefined
  readonly url?: string | undefined
  readonly parseMode?: string | undefined
  readonly disableWebPagePreview?: boolean | undefined
  readonly to?: string | undefined
  readonly subjectTemplate?: string | undefined
  readonly bodyTemplate?: string | undefined
}

export interface RuleBody {
  readonly type: string
  readonly endpointId: string
  readonly description: string
  readonly status: Status
  readonly fields: RuleFields
}

export type NotificationRule = CatalogRecord<RuleBody>

export interface RuleInput extends RuleFields {
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly endpointId?: string | undefined
  readonly description?: string | undefined
  readonly status?: string | undefined
}

const sharedFields: readonly (keyof RuleFields)[] = [
  'every',
  'offset',
  'sleepUntil',
  'runbookLink',
  'limit',
  'limitEvery',
]

const ownFields: Readonly<Record<string, readonly (keyof RuleFields)[] | undefined>> = {
  slack: ['messageTemplate', 'channel'],
  pagerduty: ['messageTemplate'],
  http: ['url'],
  telegram: ['messageTemplate', 'parseMode', 'disableWebPagePreview'],
}

const templateMissing: Readonly<Record<string, string | undefined>> = {
  slack: 'slack msg template is empty',
  pagerduty: 'pagerduty invalid message template',
  telegram: 'Telegram MessageTemplate is invalid',
}

const operators = new Set(['equal', 'notequal', 'equalregex', 'notequalregex'])

export class NotificationRules {
  readonly records: Records<RuleBody>
  readonly #endpoints: NotificationEndpoints

  constructor(context: CatalogContext) {
    this.#endpoints = new NotificationEndpoints(context)
    this.records = new Records(context, { kind: 'notification-rule', noun: 'notification rule' })
  }

  async create(
    orgId: string,
    ownerId: string | undefined,
    input: RuleInput,
  ): Promise<NotificationRule> {
    const name = checkedName(input.name)
    const body = await this.#bodyOf(orgId, input)
    return this.records.create({ orgId, ownerId, name, body })
  }

  /** In a transaction. */
  async replace(id: string, input: RuleInput): Promise<NotificationRule> {
    const { orgId } = await this.records.require(id)
    const name = checkedName(input.name)
    return this.records.update(id, { name, body: await this.#bodyOf(orgId, input) })
  }

  /** In a transaction. */
  async update(id: string, change: SmallChange): Promise<NotificationRule> {
    const { name, body } = await this.records.require(id)
    const description = change.description ?? body.description
    const status = checkedStatus(change.status ?? body.status)
    return this.records.update(id, {
      name: checkedName(change.name ?? name),
      body: { ...body, description, status },
    })
  }

  async #bodyOf(orgId: string, input: RuleInput): Promise<RuleBody> {
    const given = withoutEmpty(input)
    const { type = '', endpointId } = given
    const own = ownFields[type]
    if (own === undefined) throw invalid(`invalid notification type ${type}`.trimEnd())
    if (endpointId === undefined) throw invalid('Notification Rule EndpointID is invalid')
    checkSchedule(given.every, given.offset)
    checkLimit(given)
    if (templateMissing[type] !== undefined && given.messageTemplate === undefined) {
      throw invalid(templateMissing[type])
    }
    const endpoint = await this.#endpoints.records.findById(endpointId)
    if (endpoint === undefined || endpoint.orgId !== orgId) {
      throw new UserError('not found', 'notification endpoint not found')
    }
    if (endpoint.body.type !== type) {
      throw invalid(`a ${type} rule cannot notify a ${endpoint.body.type} endpoint`)
    }
    const fields: Record<string, unknown> = {}
    for (const field of [...sharedFields, ...own]) {
      if (given[field] !== undefined) fields[field] = given[field]
    }
    fields.tagRules = (input.tagRules ?? []).map(checkedTagRule)
    fields.statusRules = checkedStatusRules(input.statusRules)
    const { description = '' } = input
    return { type, endpointId, description, status: checkedStatus(input.status), fields }
  }
}

/** Whether a rule can be about statuses that carry these tags. */
export function concerns(rule: NotificationRule, tags: readonly CheckTag[]): boolean {
  return (rule.body.fields.tagRules ?? []).every(({ key, value, operator = 'equal' }) => {
    const found = tags.find((tag) => tag.key === key)
    if (operator === 'equal') return found?.value === value
    if (operator === 'notequal') return found?.value !== value
    // Regular expressions are left to who evaluates the rule.
    return true
  })
}

function checkedName(name: string | undefined): string {
  if (name !== undefined && name !== '') return name
  throw invalid("Notification Rule Name can't be empty")
}

function checkLimit({ limit, limitEvery }: RuleInput): void {
  if (limit === undefined && limitEvery === undefined) return
  if ((limit ?? 0) > 0 && (limitEvery ?? 0) > 0) return
  if ((limit ?? 0) === 0 && (limitEvery ?? 0) === 0) return
  throw invalid('if limit is set, limit and limitEvery must be larger than 0')
}

function checkedTagRule({ key, value, operator = 'equal' }: TagRule): TagRule {
  if (key === '' || value === '') throw invalid('tag must contain a key and a value')
  if (!operators.has(operator)) throw invalid(`Operator is invalid: ${JSON.stringify(operator)}`)
  return { key, value, operator }
}

function checkedStatusRules(rules: readonly StatusRule[] | undefined): StatusRule[] {
  if (rules === undefined || rules.length === 0) throw invalid('a rule needs a status rule')
  return rules.map(({ currentLevel, previousLevel, count, period }) =>
    withoutEmpty({
      currentLevel: ruleLevel(currentLevel ?? 'ANY'),
      previousLevel: previousLevel === undefined ? undefined : ruleLevel(previousLevel),
      count,
      period,
    }),
  )
}

function ruleLevel(text: string): string {
  const level = text.toUpperCase() === 'ANY' ? 'ANY' : levelOf(text)
  if (level === undefined) throw invalid(`invalid level ${text}`)
  return level
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
