// Messages for services that keep incidents: PagerDuty, Opsgenie and Alertmanager. The message's key is what opens an
// incident and what closes the same one later.

import { formatTimestamp } from '../../catalog/base/timestamps.js'
import {
  type AlertLevel,
  type AlertMessage,
  type AlertStatus,
  notificationRow,
} from '../status/message.js'
import { authorization, json, type Sender, type Target } from './target.js'

const severities: Readonly<Record<AlertLevel, string>> = {
  ok: 'info',
  unknown: 'error',
  info: 'info',
  warn: 'warning',
  crit: 'critical',
}

const summaryMax = 1024
/** Opsgenie's bounds. */
const opsgenieMessageMax = 130
const opsgenieDescriptionMax = 15_000

const priorities: Readonly<Record<AlertLevel, string>> = {
  crit: 'P1',
  warn: 'P3',
  unknown: 'P3',
  info: 'P5',
  ok: 'P5',
}

/** Whole milliseconds: receivers cannot read more. */
function moment(ns: bigint): string {
  return `${formatTimestamp(ns).slice(0, 23)}Z`
}

export async function pagerduty(
  sender: Sender,
  { fields, secrets }: Target,
  message: AlertMessage,
): Promise<void> {
  const { rule, statuses, level, isResolved, key, texts } = message
  const [first] = statuses
  const source = first.fields._source_timestamp
  const event = {
    routing_key: secrets.routingKey,
    event_action: isResolved ? 'resolve' : 'trigger',
    dedup_key: key,
    client: 'influxdata',
    client_url: texts.clientURL,
    links:
      texts.runbookLink === undefined ? undefined : [{ href: texts.runbookLink, text: 'Runbook' }],
    payload: {
      summary: (texts.text || rule.name).slice(0, summaryMax),
      source: rule.name,
      severity: severities[level],
      timestamp: moment(typeof source === 'bigint' ? source : first.time),
      class: first.tags._check_name,
      group: first.tags._source_measurement,
      custom_details: message.group ?? first.tags,
    },
  }
  await sender.request({
    url: fields.url ?? 'https://events.pagerduty.com/v2/enqueue',
    headers: { ...json, Accept: 'application/vnd.pagerduty+json;version=2' },
    body: JSON.stringify(event),
  })
}

export async function opsgenie(
  sender: Sender,
  { fields, secrets }: Target,
  message: AlertMessage,
): Promise<void> {
  const base = (fields.url ?? 'https://api.opsgenie.com').replace(/\/$/, '')
  const headers = { ...json, Authorization: `GenieKey ${secrets.token ?? ''}` }
  const { rule, statuses, level, isResolved, key, texts } = message
  if (isResolved) {
    const url = `${base}/v2/alerts/${key}/close?identifierType=alias`
    await sender.request({ url, headers, body: JSON.stringify({ note: texts.text }) })
    return
  }
  const [first] = statuses
  await sender.request({
    url: `${base}/v2/alerts`,
    headers,
    body: JSON.stringify({
      message: `${rule.name}: ${texts.text}`.slice(0, opsgenieMessageMax),
      alias: key,
      description: texts.text.slice(0, opsgenieDescriptionMax),
      details: message.group ?? first.tags,
      entity: first.tags._source_measurement,
      source: rule.name,
      priority: priorities[level],
    }),
  })
}

/** Alertmanager takes an alert for over when it hears nothing: until then it lasts, where nothing repeats it. */
const lastsSeconds = 7 * 24 * 3600

/** Every status is an alert of its own: Alertmanager does the grouping. */
export async function alertmanager(
  sender: Sender,
  target: Target,
  message: AlertMessage,
): Promise<void> {
  const url = `${(target.fields.url ?? '').replace(/\/$/, '')}/api/v2/alerts`
  const alerts = message.statuses.flatMap((status) => alertsOf(message, status))
  const headers = { ...json, ...authorization(target) }
  await sender.request({ url, headers, body: JSON.stringify(alerts) })
}

function alertsOf(message: AlertMessage, status: AlertStatus): object[] {
  const { level, toldLevel, time } = status
  const { texts, rule } = message
  const over = { startsAt: moment(time - 1n), endsAt: moment(message.time) }
  const ended =
    toldLevel === undefined || toldLevel === level
      ? []
      : [{ labels: labels(status, toldLevel), ...over }]
  if (level === 'ok') {
    return ended.length > 0 ? ended : [{ labels: labels(status, level), ...over }]
  }
  const seconds = message.repeatSeconds === undefined ? lastsSeconds : 3 * message.repeatSeconds
  const row = notificationRow(message, status)
  const annotations = {
    summary: String(row._message ?? texts.text),
    rule: rule.name,
    runbook_url: texts.runbookLink,
  }
  const endsAt = moment(message.time + BigInt(seconds) * 1_000_000_000n)
  return [...ended, { labels: labels(status, level), annotations, startsAt: moment(time), endsAt }]
}

/** The same for an alert and its end: nothing that may change but the severity. */
function labels({ tags }: AlertStatus, level: AlertLevel): Record<string, string> {
  const named: Record<string, string> = {}
  for (const [key, value] of Object.entries(tags)) {
    if (!key.startsWith('_'))
      named[key.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^\d/, '_$&')] = value
  }
  const { _check_id: id = '', _check_name: name = '', _source_measurement: measurement = '' } = tags
  return { ...named, alertname: name, check_id: id, measurement, severity: severities[level] }
}
