// How each kind of endpoint is told: one entry per kind. Every one throws DeliveryFailure where the receiver did not
// take the message.

import type { EndpointType } from '../../catalog/monitoring/endpoint-kinds.js'
import { type AlertMessage, exactJson, notificationRow } from '../status/message.js'
import { discord, slack, teams, telegram, title } from './chat.js'
import { alertmanager, opsgenie, pagerduty } from './incidents.js'
import { authorization, json, type Sender, type Target } from './target.js'

export type Deliver = (sender: Sender, target: Target, message: AlertMessage) => Promise<void>

export const deliveries: Readonly<Record<EndpointType, Deliver>> = {
  http,
  slack,
  pagerduty,
  telegram,
  teams,
  discord,
  opsgenie,
  alertmanager,
  smtp,
}

async function http(sender: Sender, target: Target, message: AlertMessage): Promise<void> {
  const { url = '', method = 'POST', headers = {} } = target.fields
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  await sender.request({
    method,
    url,
    headers: { ...(hasType ? {} : json), ...headers, ...authorization(target) },
    body: method === 'GET' ? '' : (message.texts.content ?? statusesJson(message)),
  })
}

/** One status as InfluxDB sends it; of a group, all of them with what they share. */
function statusesJson(message: AlertMessage): string {
  const { group, level, isResolved, texts } = message
  const mail = { to: texts.to, subject: texts.subject, body: texts.body }
  const rows = message.statuses.map((status) => notificationRow(message, status))
  if (group === undefined) return exactJson({ ...rows[0], ...mail, _version: 1 })
  const status = isResolved ? 'resolved' : 'firing'
  return exactJson({ _version: 1, group, level, status, alerts: rows, ...mail })
}

const mailPorts = { starttls: 587, tls: 465, none: 25 } as const

async function smtp(sender: Sender, { fields, secrets }: Target, message: AlertMessage) {
  const { texts } = message
  const { host = '', from = '' } = fields
  const security = (fields.security ?? 'starttls') as keyof typeof mailPorts
  const { username, password } = secrets
  const hasLogin = username !== undefined && password !== undefined
  const server = {
    host,
    port: fields.port ?? mailPorts[security],
    security,
    login: hasLogin ? { username, password } : undefined,
  }
  await sender.mail(server, {
    from,
    to: texts.to ?? fields.to ?? '',
    subject: oneLine(texts.subject || title(message)),
    text: texts.body || texts.text,
  })
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
