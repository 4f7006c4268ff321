// Messages for people in rooms: Slack, Telegram, Microsoft Teams and Discord. Each takes one text, with a colour or a
// bell where the service has one.

import type { AlertLevel, AlertMessage } from '../status/message.js'
import { json, type Sender, type Target } from './target.js'

/** How long a text each service takes. */
const telegramTextMax = 4096
const discordTextMax = 4096

function byLevel<T>(level: AlertLevel, crit: T, warn: T, otherwise: T): T {
  if (level === 'crit') return crit
  return level === 'warn' ? warn : otherwise
}

export function title({ rule, level, isResolved }: AlertMessage): string {
  return `[${isResolved ? 'RESOLVED' : level.toUpperCase()}] ${rule.name}`
}

export async function slack(sender: Sender, target: Target, message: AlertMessage): Promise<void> {
  const { level, texts } = message
  const { token } = target.secrets
  const color = byLevel(level, 'danger', 'warning', 'good')
  const attachment = { color, text: texts.text, mrkdwn_in: ['text'] }
  const answer = await sender.request({
    url: target.fields.url ?? 'https://slack.com/api/chat.postMessage',
    headers: token === undefined ? json : { ...json, Authorization: `Bearer ${token}` },
    body: JSON.stringify({ channel: texts.channel, attachments: [attachment] }),
  })
  // The web API says with 200 that it did nothing.
  if (!answer.startsWith('{')) return
  const { ok, error } = parsed(answer)
  if (ok === false) throw sender.failure(`Slack answered: ${error}`, true)
}

function parsed(text: string): { ok?: unknown; error?: unknown } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export async function telegram(
  sender: Sender,
  { fields, secrets }: Target,
  { level, texts }: AlertMessage,
): Promise<void> {
  const base = (fields.url ?? 'https://api.telegram.org').replace(/\/$/, '')
  await sender.request({
    url: `${base}/bot${secrets.token ?? ''}/sendMessage`,
    headers: json,
    body: JSON.stringify({
      chat_id: fields.channel,
      text: texts.text.slice(0, telegramTextMax),
      parse_mode: texts.parseMode ?? 'MarkdownV2',
      disable_web_page_preview: texts.disableWebPagePreview ?? false,
      // What is bad rings; the rest only appears.
      disable_notification: byLevel(level, false, false, true),
    }),
  })
}

/** An adaptive card, which both old connectors and workflows show. */
export async function teams(sender: Sender, target: Target, message: AlertMessage): Promise<void> {
  const { level, texts, isResolved } = message
  const color = isResolved ? 'Good' : byLevel(level, 'Attention', 'Warning', 'Default')
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: title(message), weight: 'Bolder', color, wrap: true },
      { type: 'TextBlock', text: texts.text, wrap: true },
    ],
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  const body = { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
  await sender.request({
    url: target.fields.url ?? '',
    headers: json,
    body: JSON.stringify(body),
  })
}

export async function discord(
  sender: Sender,
  target: Target,
  message: AlertMessage,
): Promise<void> {
  const { level, texts, isResolved } = message
  const color = isResolved ? 0x2eb886 : byLevel(level, 0xd50000, 0xffa000, 0x2eb886)
  const description = texts.text.slice(0, discordTextMax)
  await sender.request({
    url: target.fields.url ?? '',
    headers: json,
    body: JSON.stringify({ embeds: [{ title: title(message), description, color }] }),
  })
}
