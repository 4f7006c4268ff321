// The script that carries out a notification rule: which statuses of the last interval it is about,
// and how each of them is told to the endpoint. The Flux that InfluxDB makes of the same rule, with
// two differences: InfluxDB compares every tag by `==` whatever the rule says, and knows no mails.

import { UserError } from '../../errors.js'
import {
  assignment,
  call,
  type FluxExpression,
  type FluxStatement,
  fluxTemplate,
  member,
  pipe,
  printScript,
  record,
  rowFunction,
  text,
} from '../flux-text/flux-printer.js'
import { fluxString } from '../flux-text/flux-tokens.js'
import { taskOption } from './check-script.js'
import type { NotificationEndpoint } from './notification-endpoints.js'
import type { RuleBody, StatusRule, TagRule } from './notification-rules.js'

/** What the script is made of. */
export interface RuleDefinition {
  readonly id: string
  readonly name: string
  readonly body: Pick<RuleBody, 'type' | 'fields'>
}

/** How one kind of endpoint is spoken to. */
interface Delivery {
  readonly packages: readonly string[]
  /** Secrets, headers, and the endpoint itself. */
  readonly statements: readonly FluxStatement[]
  readonly endpoint: string
  readonly message: FluxExpression
}

const [monitor, secrets] = ['influxdata/influxdb/monitor', 'influxdata/influxdb/secrets']
const level = member('r', '_level')

export function ruleScript(rule: RuleDefinition, endpoint: NotificationEndpoint): string {
  const { every = '', offset, tagRules = [], statusRules = [] } = rule.body.fields
  const { packages, statements, endpoint: name, message } = deliveryOf(rule, endpoint)
  const notify = call('monitor["notify"]', {
    data: 'notification',
    endpoint: call(name, { mapFn: rowFunction(message) }),
  })
  return printScript(
    packages.map((one) => `import "${one}"`),
    [
      taskOption(rule.name, every, offset),
      ...statements,
      assignment('notification', notificationRecord(rule, endpoint)),
      assignment('statuses', statusesCall(every, tagRules)),
      ...levelTables(statusRules, every),
      { kind: 'expression', value: pipe(text('all_statuses'), notify) },
    ],
  )
}

function notificationRecord(rule: RuleDefinition, endpoint: NotificationEndpoint): FluxExpression {
  return record({
    _notification_rule_id: fluxString(rule.id),
    _notification_rule_name: fluxString(rule.name),
    _notification_endpoint_id: fluxString(endpoint.id),
    _notification_endpoint_name: fluxString(endpoint.name),
  })
}

function statusesCall(every: string, tagRules: readonly TagRule[]): FluxExpression {
  const start = `-${overlapping(every)}`
  if (tagRules.length === 0) return call('monitor["from"]', { start })
  const fn = rowFunction(tagRules.map(tagTest).join(' and '))
  return call('monitor["from"]', { start, fn })
}

/** Longer than the interval: a change of state needs the status before it. */
function overlapping(every: string): string {
  return every.replace(/^(\d+)([^\d]+)/, (_, amount: string, unit: string) => {
    const isShort = ['s', 'ms', 'us', 'µs', 'ns'].includes(unit)
    return `${isShort ? 2 * Number(amount) : Number(amount) + 1}${unit}`
  })
}

function tagTest({ key, value, operator }: TagRule): string {
  const tag = member('r', key)
  switch (operator) {
    case 'notequal':
      return `${tag} != ${fluxString(value)}`
    case 'equalregex':
      return `${tag} =~ ${regexText(value)}`
    case 'notequalregex':
      return `${tag} !~ ${regexText(value)}`
    default:
      return `${tag} == ${fluxString(value)}`
  }
}

function regexText(pattern: string): string {
  return `/${pattern.replace(/\\.|\//gs, (found) => (found === '/' ? '\\/' : found))}/`
}

function levelTables(rules: readonly StatusRule[], every: string): FluxStatement[] {
  const tables = new Map(rules.map((rule) => [tableName(rule), tableOf(rule)]))
  const names = [...tables.keys()]
  const since = `experimental["subDuration"](from: now(), d: ${every})`
  const recent = call('filter', { fn: rowFunction(`${member('r', '_time')} >= ${since}`) })
  const union = call('union', { tables: `[${names.join(', ')}]` })
  const all =
    names.length === 1
      ? pipe(text(names[0]), recent)
      : pipe(union, call('sort', { columns: '["_time"]' }), recent)
  const found = [...tables].map(([name, table]) => assignment(name, table))
  return [...found, assignment('all_statuses', all)]
}

function tableName({ currentLevel = 'ANY', previousLevel }: StatusRule): string {
  const to = currentLevel.toLowerCase()
  return previousLevel === undefined ? to : `${previousLevel.toLowerCase()}_to_${to}`
}

function tableOf({ currentLevel = 'ANY', previousLevel }: StatusRule): FluxExpression {
  const to = fluxString(currentLevel.toLowerCase())
  if (previousLevel !== undefined) {
    const fromLevel = fluxString(previousLevel.toLowerCase())
    return pipe(text('statuses'), call('monitor["stateChanges"]', { fromLevel, toLevel: to }))
  }
  const test = currentLevel === 'ANY' ? 'true' : `${level} == ${to}`
  return pipe(text('statuses'), call('filter', { fn: rowFunction(test) }))
}

function deliveryOf(rule: RuleDefinition, endpoint: NotificationEndpoint): Delivery {
  switch (rule.body.type) {
    case 'slack':
      return slackDelivery(rule, endpoint)
    case 'pagerduty':
      return pagerDutyDelivery(endpoint)
    case 'telegram':
      return telegramDelivery(rule, endpoint)
    case 'http':
      return httpDelivery(endpoint, record({ _version: '1' }, 'r'))
    case 'smtp':
      return httpDelivery(endpoint, mailRecord(rule))
    default:
      throw new UserError('invalid', `invalid notification type ${rule.body.type}`)
  }
}

function slackDelivery({ body }: RuleDefinition, endpoint: NotificationEndpoint): Delivery {
  const { url } = endpoint.body.fields
  const { token } = endpoint.body.secretKeys
  const { channel = '', messageTemplate = '' } = body.fields
  const args = {
    ...(token === undefined ? {} : { token: 'slack_secret' }),
    ...(url === undefined ? {} : { url: fluxString(url) }),
  }
  return {
    packages: [monitor, 'slack', secrets, 'experimental'],
    statements: [
      ...(token === undefined ? [] : [assignment('slack_secret', secretCall(token))]),
      assignment('slack_endpoint', call('slack["endpoint"]', args)),
    ],
    endpoint: 'slack_endpoint',
    message: record({
      channel: fluxString(channel),
      text: fluxTemplate(messageTemplate),
      color: byLevel('"danger"', '"warning"', '"good"'),
    }),
  }
}

function pagerDutyDelivery({ body }: NotificationEndpoint): Delivery {
  const { routingKey = '' } = body.secretKeys
  return {
    packages: [monitor, 'pagerduty', secrets, 'experimental'],
    statements: [
      assignment('pagerduty_secret', secretCall(routingKey)),
      assignment('pagerduty_endpoint', call('pagerduty["endpoint"]')),
    ],
    endpoint: 'pagerduty_endpoint',
    message: record({
      routingKey: 'pagerduty_secret',
      client: '"influxdata"',
      clientURL: fluxTemplate(body.fields.clientURL ?? ''),
      class: 'r._check_name',
      group: member('r', '_source_measurement'),
      severity: `pagerduty["severityFromLevel"](level: ${level})`,
      eventAction: `pagerduty["actionFromLevel"](level: ${level})`,
      source: member('notification', '_notification_rule_name'),
      summary: member('r', '_message'),
      timestamp: `time(v: ${member('r', '_source_timestamp')})`,
    }),
  }
}

function telegramDelivery({ body }: RuleDefinition, endpoint: NotificationEndpoint): Delivery {
  const { messageTemplate = '', parseMode, disableWebPagePreview = false } = body.fields
  const { token = '' } = endpoint.body.secretKeys
  const args = {
    token: 'telegram_secret',
    ...(parseMode === undefined ? {} : { parseMode: fluxString(parseMode) }),
    disableWebPagePreview: String(disableWebPagePreview),
  }
  return {
    packages: [monitor, 'contrib/sranka/telegram', secrets, 'experimental'],
    statements: [
      assignment('telegram_secret', secretCall(token)),
      assignment('telegram_endpoint', call('telegram["endpoint"]', args)),
    ],
    endpoint: 'telegram_endpoint',
    message: record({
      channel: fluxString(endpoint.body.fields.channel ?? ''),
      text: fluxTemplate(messageTemplate),
      silent: byLevel('true', 'true', 'false'),
    }),
  }
}

function httpDelivery({ body }: NotificationEndpoint, sent: FluxExpression): Delivery {
  const { url = '', authMethod } = body.fields
  const hasSecrets = authMethod === 'bearer' || authMethod === 'basic'
  const packages = [monitor, 'http', 'json', 'experimental']
  return {
    packages: hasSecrets ? [...packages, secrets] : packages,
    statements: [
      assignment('headers', { kind: 'record', properties: headersOf(body) }),
      assignment('endpoint', call('http["endpoint"]', { url: fluxString(url) })),
    ],
    endpoint: 'endpoint',
    message: {
      kind: 'block',
      statements: [
        assignment('body', sent),
        { kind: 'return', value: record({ headers: 'headers', data: 'json["encode"](v: body)' }) },
      ],
    },
  }
}

/** With quotes, whatever the name: a header is no identifier. */
function headersOf({ fields, secretKeys }: NotificationEndpoint['body']) {
  const { token = '', username = '', password = '' } = secretKeys
  const json = { key: 'Content-Type', value: text('"application/json"') }
  if (fields.authMethod === 'bearer') {
    const value = text(`"Bearer " + ${secretText(token)}`)
    return [json, { key: 'Authorization', isQuoted: true, value }]
  }
  if (fields.authMethod !== 'basic') return [json]
  const value = call('http["basicAuth"]', { u: secretText(username), p: secretText(password) })
  return [json, { key: 'Authorization', isQuoted: true, value }]
}

/**
 * There is no kind of endpoint for mail servers: the mail goes, as JSON, to an http endpoint that
 * sends it.
 */
function mailRecord({ body }: RuleDefinition): FluxExpression {
  const { to = '', subjectTemplate = '', bodyTemplate = '' } = body.fields
  const fields = {
    _version: '1',
    to: fluxString(to),
    subject: fluxTemplate(subjectTemplate),
    body: fluxTemplate(bodyTemplate),
  }
  return record(fields, 'r')
}

function byLevel(crit: string, warn: string, otherwise: string): FluxExpression {
  const branches = [
    { test: `${level} == "crit"`, value: crit },
    { test: `${level} == "warn"`, value: warn },
  ]
  return { kind: 'choice', branches, otherwise }
}

function secretCall(key: string): FluxExpression {
  return text(secretText(key))
}

function secretText(key: string): string {
  return `secrets["get"](key: ${fluxString(key)})`
}
