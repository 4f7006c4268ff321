// From statuses that are to be told to messages: one for each, or one for each group where the rule groups them, with
// texts, the worst level, and the key under which receivers know what the message is about.

import { createHash } from 'node:crypto'
import type { NotificationEndpoint } from '../../catalog/monitoring/notification-endpoints.js'
import type { NotificationRule } from '../../catalog/monitoring/rule-fields.js'
import {
  type AlertMessage,
  type AlertStatus,
  notificationRow,
  severityOf,
} from '../status/message.js'
import { groupOf, type ToldStatus } from './evaluate.js'
import type { RulePlan } from './rule-plan.js'
import type { CheckState } from './rule-state.js'
import type { Row, Texts } from './texts.js'

export interface MessageParts {
  readonly rule: NotificationRule
  readonly endpoint: NotificationEndpoint
  readonly plan: RulePlan
  readonly now: bigint
  /** After the run: what of a group still goes on is told by it. */
  readonly checks: ReadonlyMap<string, CheckState>
}

/** Statuses as templates see them. */
export function rowsOf({ rule, endpoint, now }: MessageParts, told: readonly ToldStatus[]): Row[] {
  return told.map(({ status }) => notificationRow({ rule, endpoint, time: now }, status))
}

/** `texts`: one for each status. */
export function messagesOf(
  parts: MessageParts,
  told: readonly ToldStatus[],
  texts: readonly Texts[],
): AlertMessage[] {
  const withTexts = told.map((one, i) => ({ ...one, texts: texts[i] }))
  const groups =
    parts.plan.groupBy === undefined ? withTexts.map((one) => [one]) : grouped(withTexts)
  const seen = new Map<string, number>()
  return groups.map((group) => {
    // Points of one series and moment would replace each other in the bucket that remembers them.
    const [{ seriesKey }] = group
    const count = seen.get(seriesKey) ?? 0
    seen.set(seriesKey, count + 1)
    return messageOf(parts, group, parts.now + BigInt(count))
  })
}

type Told = ToldStatus & { readonly texts: Texts }

/** Of each series only what is true now. */
function grouped(told: readonly Told[]): Told[][] {
  const groups = new Map<string, Map<string, Told>>()
  for (const one of told) {
    const group = groups.get(one.groupKey) ?? new Map<string, Told>()
    groups.set(one.groupKey, group)
    const before = group.get(one.seriesKey)
    // What receivers know of the series is what was told in an earlier message.
    const toldLevel = before === undefined ? one.status.toldLevel : before.status.toldLevel
    group.delete(one.seriesKey)
    group.set(one.seriesKey, { ...one, status: { ...one.status, toldLevel } })
  }
  return [...groups.values()].map((group) => [...group.values()])
}

function messageOf(parts: MessageParts, told: readonly Told[], time: bigint): AlertMessage {
  const { rule, endpoint, plan } = parts
  const { groupBy, repeatNs } = plan
  const statuses = told.map(({ status }) => status)
  const [first] = told
  return {
    rule: { id: rule.id, name: rule.name },
    endpoint: { id: endpoint.id, name: endpoint.name },
    time,
    statuses,
    level: worst(statuses),
    isResolved: told.every(({ isResolved }) => isResolved) && !goesOn(parts, first.groupKey),
    key: keyOf(rule.id, first),
    group: groupBy && groupOf(groupBy, first.status.tags),
    texts: { ...textsOf(rule, told) },
    repeatSeconds: repeatNs === undefined ? undefined : Number(repeatNs / 1_000_000_000n),
  }
}

function worst(statuses: readonly AlertStatus[]): AlertStatus['level'] {
  const levels = statuses.map(({ level }) => level)
  return levels.reduce((a, b) => (severityOf(b) > severityOf(a) ? b : a))
}

/** Something else of the group was told and is not over. */
function goesOn({ plan, checks }: MessageParts, groupKey: string): boolean {
  if (plan.groupBy === undefined) return false
  for (const check of checks.values()) {
    for (const { group, told } of check.values()) {
      if (group === groupKey && told !== undefined) return true
    }
  }
  return false
}

/** A series of one check, or a group. */
function keyOf(ruleId: string, { groupKey, seriesKey, status }: ToldStatus): string {
  const subject = groupKey === seriesKey ? `${status.tags._check_id}\n${seriesKey}` : groupKey
  return createHash('sha256').update(`${ruleId}\n${subject}`).digest('hex')
}

function textsOf({ body }: NotificationRule, told: readonly Told[]): AlertMessage['texts'] {
  const { channel, to, parseMode, disableWebPagePreview, runbookLink } = body.fields
  const joined = (name: keyof Texts) => {
    const filled = told.map(({ texts }) => texts[name]).filter((text) => text !== undefined)
    return filled.length === 0 ? undefined : [...new Set(filled)].join('\n')
  }
  const own = told.map(({ status }) => String(status.fields._message ?? ''))
  return {
    text: joined('text') ?? own.join('\n'),
    // One line is enough of a subject, and one address to look at.
    subject: told[0].texts.subject,
    body: joined('body'),
    content: joined('content'),
    clientURL: told[0].texts.clientURL,
    channel,
    to,
    parseMode,
    disableWebPagePreview,
    runbookLink,
  }
}
