// The script that carries out a notification rule: which statuses of the last interval it is about,
// and how each of them is told to the endpoint. The Flux that InfluxDB makes of the same rule, with
// two differences: InfluxDB compares every tag by `==` whatever the rule says, and knows no mails. It is made for
// readers and for other servers: here `src/alerts` carries rules out. Kinds that InfluxDB does not know have a script
// that gives the statuses and tells nobody.

import type { ScriptTools } from '../base/script-tools.js'
import type { NotificationEndpoint } from './notification-endpoints.js'
import type { RuleBody, StatusRule, TagRule } from './rule-fields.js'
import { taskOption } from './task-option.js'

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
  readonly statements: readonly string[]
  readonly endpoint: string
  /** The body of a function of the row. */
  readonly message: string
}

const [monitor, secrets] = ['influxdata/influxdb/monitor', 'influxdata/influxdb/secrets']
/** Of kinds that no function of the language speaks to as we do. */
const untold: Delivery = {
  packages: [monitor, 'experimental'],
  statements: [],
  endpoint: '',
  message: '',
}
const level = 'r["_level"]'

export function ruleScript(
  tools: ScriptTools,
  rule: RuleDefinition,
  endpoint: NotificationEndpoint,
): string {
  const { every = '', offset, tagRules = [], statusRules = [] } = rule.body.fields
  const { packages, statements, endpoint: name, message } = new Deliveries(tools).of(rule, endpoint)
  const { quoted } = tools
  const notification = fieldsText({
    _notification_rule_id: quoted(rule.id),
    _notification_rule_name: quoted(rule.name),
    _notification_endpoint_id: quoted(endpoint.id),
    _notification_endpoint_name: quoted(endpoint.name),
  })
  const notify = fieldsText({ data: 'notification', endpoint: `${name}(mapFn: (r) => ${message})` })
  const told = message === '' ? 'yield(name: "told")' : `monitor["notify"](${notify})`
  const lines = [
    ...packages.map((one) => `import "${one}"`),
    taskOption(tools, rule.name, every, offset),
    ...statements,
    `notification = {${notification}}`,
    `statuses = ${statusesCall(tools, every, tagRules)}`,
    ...levelTables(tools, statusRules, every),
    `all_statuses |> ${told}`,
  ]
  return tools.format(lines.join('\n'))
}

/** Of a record or a call. */
function fieldsText(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')
}

function statusesCall(tools: ScriptTools, every: string, tagRules: readonly TagRule[]): string {
  const start = `start: -${overlapping(every)}`
  if (tagRules.length === 0) return `monitor["from"](${start})`
  const tests = tagRules.map((rule) => tagTest(tools, rule))
  return `monitor["from"](${start}, fn: (r) => ${tests.join(' and ')})`
}

/** Longer than the interval: a change of state needs the status before it. */
function overlapping(every: string): string {
  return every.replace(/^(\d+)([^\d]+)/, (_, amount: string, unit: string) => {
    const isShort = ['s', 'ms', 'us', 'µs', 'ns'].includes(unit)
    return `${isShort ? 2 * Number(amount) : Number(amount) + 1}${unit}`
  })
}

function tagTest({ quoted }: ScriptTools, { key, value, operator }: TagRule): string {
  const tag = `r[${quoted(key)}]`
  switch (operator) {
    case 'notequal':
      return `${tag} != ${quoted(value)}`
    case 'equalregex':
      return `${tag} =~ ${regexText(value)}`
    case 'notequalregex':
      return `${tag} !~ ${regexText(value)}`
    default:
      return `${tag} == ${quoted(value)}`
  }
}

function regexText(pattern: string): string {
  return `/${pattern.replace(/\\.|\//gs, (found) => (found === '/' ? '\\/' : found))}/`
}

function levelTables(tools: ScriptTools, rules: readonly StatusRule[], every: string): string[] {
  const tables = new Map(rules.map((rule) => [tableName(rule), tableOf(tools, rule)]))
  const names = [...tables.keys()]
  const since = `experimental["subDuration"](from: now(), d: ${every})`
  const recent = `filter(fn: (r) => r["_time"] >= ${since})`
  const union = `union(tables: [${names.join(', ')}]) |> sort(columns: ["_time"])`
  const all = names.length === 1 ? names[0] : union
  const found = Array.from(tables, ([name, table]) => `${name} = ${table}`)
  return [...found, `all_statuses = ${all} |> ${recent}`]
}

function tableName({ currentLevel = 'ANY', previousLevel }: StatusRule): string {
  const to = currentLevel.toLowerCase()
  return previousLevel === undefined ? to : `${previousLevel.toLowerCase()}_to_${to}`
}

function tableOf({ quoted }: ScriptTools, rule: StatusRule): string {
  const { currentLevel = 'ANY', previousLevel } = rule
  const to = quoted(currentLevel.toLowerCase())
  if (previousLevel !== undefined) {
    const args = { fromLevel: quoted(previousLevel.toLowerCase()), toLevel: to }
    return `statuses |> monitor["stateChanges"](${fieldsText(args)})`
  }
  const test = currentLevel === 'ANY' ? 'true' : `${level} == ${to}`
  return `statuses |> filter(fn: (r) => ${test})`
}

class Deliveries {
  readonly #tools: ScriptTools

  constructor(tools: ScriptTools) {
    this.#tools = tools
  }

  of(rule: RuleDefinition, endpoint: NotificationEndpoint): Delivery {
    switch (rule.body.type) {
      case 'slack':
        return this.#slack(rule, endpoint)
      case 'pagerduty':
        return this.#pagerDuty(endpoint)
      case 'telegram':
        return this.#telegram(rule, endpoint)
      case 'http':
        return this.#http(endpoint, {})
      case 'smtp':
        if (endpoint.body.type === 'http') return this.#http(endpoint, this.#mail(rule))
        return untold
      default:
        return untold
    }
  }

  #slack({ body }: RuleDefinition, endpoint: NotificationEndpoint): Delivery {
    const { quoted } = this.#tools
    const { url } = endpoint.body.fields
    const { token } = endpoint.body.secretKeys
    const { channel = '', messageTemplate = '' } = body.fields
    const args = {
      ...(token === undefined ? {} : { token: 'slack_secret' }),
      ...(url === undefined ? {} : { url: quoted(url) }),
    }
    const message = {
      channel: quoted(channel),
      text: quoted(messageTemplate, 'template'),
      color: byLevel('"danger"', '"warning"', '"good"'),
    }
    return {
      packages: [monitor, 'slack', secrets, 'experimental'],
      statements: [
        ...(token === undefined ? [] : [`slack_secret = ${this.#secret(token)}`]),
        `slack_endpoint = slack["endpoint"](${fieldsText(args)})`,
      ],
      endpoint: 'slack_endpoint',
      message: `({${fieldsText(message)}})`,
    }
  }

  #pagerDuty({ body }: NotificationEndpoint): Delivery {
    const { routingKey = '' } = body.secretKeys
    const message = {
      routingKey: 'pagerduty_secret',
      client: '"influxdata"',
      clientURL: this.#tools.quoted(body.fields.clientURL ?? '', 'template'),
      class: 'r._check_name',
      group: 'r["_source_measurement"]',
      severity: `pagerduty["severityFromLevel"](level: ${level})`,
      eventAction: `pagerduty["actionFromLevel"](level: ${level})`,
      source: 'notification["_notification_rule_name"]',
      summary: 'r["_message"]',
      timestamp: 'time(v: r["_source_timestamp"])',
    }
    return {
      packages: [monitor, 'pagerduty', secrets, 'experimental'],
      statements: [
        `pagerduty_secret = ${this.#secret(routingKey)}`,
        'pagerduty_endpoint = pagerduty["endpoint"]()',
      ],
      endpoint: 'pagerduty_endpoint',
      message: `({${fieldsText(message)}})`,
    }
  }

  #telegram({ body }: RuleDefinition, endpoint: NotificationEndpoint): Delivery {
    const { quoted } = this.#tools
    const { messageTemplate = '', parseMode, disableWebPagePreview = false } = body.fields
    const { token = '' } = endpoint.body.secretKeys
    const args = {
      token: 'telegram_secret',
      ...(parseMode === undefined ? {} : { parseMode: quoted(parseMode) }),
      disableWebPagePreview: String(disableWebPagePreview),
    }
    const message = {
      channel: quoted(endpoint.body.fields.channel ?? ''),
      text: quoted(messageTemplate, 'template'),
      // What is bad rings. InfluxDB has it the other way round.
      silent: byLevel('false', 'false', 'true'),
    }
    return {
      packages: [monitor, 'contrib/sranka/telegram', secrets, 'experimental'],
      statements: [
        `telegram_secret = ${this.#secret(token)}`,
        `telegram_endpoint = telegram["endpoint"](${fieldsText(args)})`,
      ],
      endpoint: 'telegram_endpoint',
      message: `({${fieldsText(message)}})`,
    }
  }

  #http({ body }: NotificationEndpoint, sent: Readonly<Record<string, string>>): Delivery {
    const { url = '', authMethod } = body.fields
    const hasSecrets = authMethod === 'bearer' || authMethod === 'basic'
    const packages = [monitor, 'http', 'json', 'experimental']
    return {
      packages: hasSecrets ? [...packages, secrets] : packages,
      statements: [
        `headers = {${this.#headers(body)}}`,
        `endpoint = http["endpoint"](url: ${this.#tools.quoted(url)})`,
      ],
      endpoint: 'endpoint',
      message: `{
        body = {r with ${fieldsText({ _version: '1', ...sent })}}
        return {headers: headers, data: json["encode"](v: body)}
      }`,
    }
  }

  /** With quotes, whatever the name: a header is no identifier. */
  #headers({ fields, secretKeys }: NotificationEndpoint['body']): string {
    const { token = '', username = '', password = '' } = secretKeys
    const json = '"Content-Type": "application/json"'
    if (fields.authMethod === 'bearer') {
      return `${json}, "Authorization": "Bearer " + ${this.#secret(token)}`
    }
    if (fields.authMethod !== 'basic') return json
    const args = fieldsText({ u: this.#secret(username), p: this.#secret(password) })
    return `${json}, "Authorization": http["basicAuth"](${args})`
  }

  /**
   * The mail goes, as JSON, to an http endpoint that sends it.
   */
  #mail({ body }: RuleDefinition): Readonly<Record<string, string>> {
    const { quoted } = this.#tools
    const { to = '', subjectTemplate = '', bodyTemplate = '' } = body.fields
    return {
      to: quoted(to),
      subject: quoted(subjectTemplate, 'template'),
      body: quoted(bodyTemplate, 'template'),
    }
  }

  #secret(key: string): string {
    return `secrets["get"](key: ${this.#tools.quoted(key)})`
  }
}

function byLevel(crit: string, warn: string, otherwise: string): string {
  return `if ${level} == "crit" then ${crit} else if ${level} == "warn" then ${warn} else ${otherwise}`
}
