// Notification rules: which statuses are told to which endpoint. A rule has the type of its
// endpoint, but for mails, which go through an http endpoint; names need not be unique. Each has a
// task that runs its script, made, changed, switched and deleted with it.

import { compileRegex } from '../../column/regex.js'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { parseId } from '../base/ids.js'
import { Records } from '../base/records.js'
import type { LoadScriptTools } from '../base/script-tools.js'
import { Tasks } from '../tasks/tasks.js'
import { AlertStates } from './alert-states.js'
import type { CheckTag } from './check-fields.js'
import {
  checkedStatus,
  checkSchedule,
  levelOf,
  type SmallChange,
  withoutEmpty,
} from './monitoring.js'
import { type NotificationEndpoint, NotificationEndpoints } from './notification-endpoints.js'
import {
  type NotificationRule,
  type RuleBody,
  type RuleFields,
  type RuleInput,
  type StatusRule,
  sharedFieldNames,
  type TagRule,
} from './rule-fields.js'
import { ruleScript } from './rule-script.js'
import { checkCount, checkTelling } from './rule-telling.js'
import { ruleTexts, type TextTemplates } from './rule-texts.js'

const ownFields: Readonly<Record<string, readonly (keyof RuleFields)[] | undefined>> = {
  slack: ['messageTemplate', 'channel'],
  pagerduty: ['messageTemplate'],
  http: ['url'],
  telegram: ['messageTemplate', 'parseMode', 'disableWebPagePreview'],
  smtp: ['to', 'subjectTemplate', 'bodyTemplate'],
  teams: ['messageTemplate'],
  discord: ['messageTemplate'],
  opsgenie: ['messageTemplate'],
  alertmanager: ['messageTemplate'],
}

/** Fields that a type cannot do without, and what is said of one that is missing. */
const neededFields: Readonly<
  Record<string, Readonly<Partial<Record<keyof RuleFields, string>>> | undefined>
> = {
  slack: { messageTemplate: 'slack msg template is empty' },
  pagerduty: { messageTemplate: 'pagerduty invalid message template' },
  telegram: { messageTemplate: 'Telegram MessageTemplate is invalid' },
  smtp: { subjectTemplate: 'smtp subject template is empty' },
}

const parseModes = new Set(['MarkdownV2', 'HTML', 'Markdown'])

const operators = new Set(['equal', 'notequal', 'equalregex', 'notequalregex'])

export class NotificationRules {
  readonly records: Records<RuleBody>
  readonly #endpoints: NotificationEndpoints
  readonly #tasks: Tasks
  readonly #states: AlertStates
  readonly #tools: LoadScriptTools

  constructor(context: CatalogContext) {
    this.#tools = context.scriptTools
    this.#endpoints = new NotificationEndpoints(context)
    this.#tasks = new Tasks(context)
    this.#states = new AlertStates(context)
    this.records = new Records(context, { kind: 'notification-rule', noun: 'notification rule' })
  }

  /** In a transaction: its task belongs to it. */
  async create(
    orgId: string,
    ownerId: string | undefined,
    input: RuleInput,
  ): Promise<NotificationRule> {
    const name = checkedName(input.name)
    const body = await this.#bodyOf(orgId, input)
    return this.#keepTask(await this.records.create({ orgId, ownerId, name, body }))
  }

  /** In a transaction. */
  async replace(id: string, input: RuleInput): Promise<NotificationRule> {
    const { orgId } = await this.records.require(id)
    const name = checkedName(input.name)
    const body = await this.#bodyOf(orgId, input)
    return this.#keepTask(await this.records.update(id, { name, body }))
  }

  /** In a transaction. */
  async update(id: string, change: SmallChange): Promise<NotificationRule> {
    const { name, body } = await this.records.require(id)
    const description = change.description ?? body.description
    const status = checkedStatus(change.status ?? body.status)
    const changed = await this.records.update(id, {
      name: checkedName(change.name ?? name),
      body: { ...body, description, status },
    })
    return this.#keepTask(changed)
  }

  /** In a transaction: its task goes with it. False where there was none. */
  async delete(id: string): Promise<boolean> {
    const rule = await this.records.findById(id)
    if (rule !== undefined) await this.#tasks.deleteOfParent(rule)
    await this.#states.forgetRule(id)
    return this.records.delete(id)
  }

  /** In a transaction, after an endpoint has changed: the scripts of its rules speak of it. */
  async endpointChanged({ id, orgId }: NotificationEndpoint): Promise<void> {
    const rules = await this.records.list({ orgId })
    for (const rule of rules.filter(({ body }) => body.endpointId === id)) {
      await this.#keepTask(rule)
    }
  }

  /** The script as the endpoint is now. */
  async script(rule: NotificationRule): Promise<string> {
    const endpoint = await this.#endpointOf(rule.orgId, rule.body)
    return ruleScript(await this.#tools(), rule, endpoint)
  }

  /** What its messages say, as the endpoint is now. */
  async texts(rule: NotificationRule, endpoint: NotificationEndpoint): Promise<TextTemplates> {
    return ruleTexts(await this.#tools(), rule.body, endpoint.body)
  }

  async #keepTask(rule: NotificationRule): Promise<NotificationRule> {
    const { description, status } = rule.body
    await this.#tasks.keepFor(rule, { flux: await this.script(rule), description, status })
    return rule
  }

  async #endpointOf(
    orgId: string,
    { endpointId, type }: Pick<RuleBody, 'endpointId' | 'type'>,
  ): Promise<NotificationEndpoint> {
    const endpoint = await this.#endpoints.records.findById(endpointId)
    if (endpoint === undefined || endpoint.orgId !== orgId) {
      throw new UserError('not found', 'notification endpoint not found')
    }
    // Mails may also go as JSON to a service that sends them.
    const isMail = type === 'smtp' && endpoint.body.type === 'http'
    if (isMail || endpoint.body.type === type) return endpoint
    throw invalid(`a ${type} rule cannot notify a ${endpoint.body.type} endpoint`)
  }

  /** Of a mail: where the rule names none, its endpoint does. */
  async #requireAddress(endpointId: string): Promise<void> {
    const endpoint = await this.#endpoints.records.findById(endpointId)
    if (endpoint?.body.fields.to === undefined) throw invalid('smtp to is empty')
  }

  async #bodyOf(orgId: string, input: RuleInput): Promise<RuleBody> {
    const given = withoutEmpty(input)
    const { type = '', endpointID } = given
    const own = Object.hasOwn(ownFields, type) ? ownFields[type] : undefined
    if (own === undefined) throw invalid(`invalid notification type ${type}`.trimEnd())
    if (endpointID === undefined) throw invalid('Notification Rule EndpointID is invalid')
    const endpointId = parseId(endpointID)
    if (given.every === undefined) throw invalid('Notification Rule Every must exist')
    checkSchedule(given.every, given.offset)
    checkTelling(given)
    if (type === 'smtp' && given.to === undefined) await this.#requireAddress(endpointId)
    requireFields(type, given)
    await this.#endpointOf(orgId, { endpointId, type })
    const fields: Record<string, unknown> = {}
    for (const field of [...sharedFieldNames, ...own]) {
      if (given[field] !== undefined) fields[field] = given[field]
    }
    fields.tagRules = (input.tagRules ?? []).map(checkedTagRule)
    fields.statusRules = checkedStatusRules(input.statusRules)
    const { description = '' } = input
    return { type, endpointId, description, status: checkedStatus(input.status), fields }
  }
}

function requireFields(type: string, given: RuleInput): void {
  for (const [field, message] of Object.entries(neededFields[type] ?? {})) {
    if (given[field as keyof RuleFields] === undefined) throw invalid(message)
  }
  if (type !== 'telegram' || given.parseMode === undefined) return
  if (!parseModes.has(given.parseMode)) throw invalid(`invalid parseMode ${given.parseMode}`)
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

function checkedTagRule({ key, value, operator = 'equal' }: TagRule): TagRule {
  if (key === '' || value === '') throw invalid('tag must contain a key and a value')
  if (!operators.has(operator)) throw invalid(`Operator is invalid: ${JSON.stringify(operator)}`)
  if (operator.endsWith('regex')) compileRegex(value)
  return { key, value, operator }
}

function checkedStatusRules(rules: readonly StatusRule[] | undefined): StatusRule[] {
  if (rules === undefined || rules.length === 0) throw invalid('a rule needs a status rule')
  return rules.map(({ currentLevel, previousLevel, count, period }) => {
    checkCount(count, period)
    return withoutEmpty({
      currentLevel: ruleLevel(currentLevel ?? 'ANY'),
      previousLevel: previousLevel === undefined ? undefined : ruleLevel(previousLevel),
      count,
      period,
    })
  })
}

function ruleLevel(text: string): string {
  const level = text.toUpperCase() === 'ANY' ? 'ANY' : levelOf(text)
  if (level === undefined) throw invalid(`invalid level ${text}`)
  return level
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
