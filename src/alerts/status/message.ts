// What is told: the statuses of one message, which rule tells them to which endpoint, and the texts made of them. Plain
// data that is kept in the catalog until it is delivered, whatever happens to rule, endpoint and process meanwhile.

import { formatTimestamp } from '../../catalog/base/timestamps.js'

export type AlertLevel = 'ok' | 'unknown' | 'info' | 'warn' | 'crit'

/** From the least severe on. */
export const severities: readonly AlertLevel[] = ['ok', 'unknown', 'info', 'warn', 'crit']

export type FieldValue = string | number | bigint | boolean

export interface AlertStatus {
  readonly time: bigint
  readonly level: AlertLevel
  /** As the status has them, `_level` and `_check_id` among them. */
  readonly tags: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, FieldValue>>
  /** The level of the same series that was told last and is not over; undefined: none. */
  readonly toldLevel?: AlertLevel | undefined
}

export interface AlertMessage {
  readonly rule: { readonly id: string; readonly name: string }
  readonly endpoint: { readonly id: string; readonly name: string }
  /** The moment for which the rule ran. */
  readonly time: bigint
  /** At least one; several where the rule groups them. */
  readonly statuses: readonly AlertStatus[]
  /** The most severe of them. */
  readonly level: AlertLevel
  /** Nothing that was told of this key goes on. */
  readonly isResolved: boolean
  /** The same for everything that is told of a series, or of a group. */
  readonly key: string
  /** What the statuses have in common where the rule groups them; undefined: it does not. */
  readonly group?: Readonly<Record<string, string>> | undefined
  readonly texts: AlertTexts
  /** Seconds until the rule tells it again while it goes on; undefined: it does not. */
  readonly repeatSeconds?: number | undefined
}

/** Templates, filled in. */
export interface AlertTexts {
  readonly text: string
  readonly subject?: string | undefined
  readonly body?: string | undefined
  /** What an http endpoint is sent instead of the statuses as JSON. */
  readonly content?: string | undefined
  readonly clientURL?: string | undefined
  readonly channel?: string | undefined
  readonly to?: string | undefined
  readonly parseMode?: string | undefined
  readonly disableWebPagePreview?: boolean | undefined
  readonly runbookLink?: string | undefined
}

export function levelOfStatus(text: string): AlertLevel {
  return severities.find((level) => level === text) ?? 'unknown'
}

export function severityOf(level: AlertLevel): number {
  return severities.indexOf(level)
}

/** A status as a notification about it has it: what http endpoints get, and what templates call `r`. */
export function notificationRow(
  { rule, endpoint, time }: Pick<AlertMessage, 'rule' | 'endpoint' | 'time'>,
  status: AlertStatus,
): Record<string, FieldValue> {
  return {
    ...status.fields,
    ...status.tags,
    _measurement: 'notifications',
    _notification_rule_id: rule.id,
    _notification_rule_name: rule.name,
    _notification_endpoint_id: endpoint.id,
    _notification_endpoint_name: endpoint.name,
    _status_timestamp: status.time,
    _time: formatTimestamp(time),
  }
}

/** JSON in which an integer keeps all its digits. Keys in the order of their names. */
export function exactJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  const parts = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${exactJson(part)}`)
  return `{${parts.join(',')}}`
}

const integerKey = '$integer'

/** For the catalog: `parseMessage` gives it back with its integers. */
export function messageText(message: AlertMessage): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'bigint' ? { [integerKey]: value.toString() } : value,
  )
}

export function parseMessage(text: string): AlertMessage {
  return JSON.parse(text, (_, value: unknown) => {
    const isInteger = typeof value === 'object' && value !== null && integerKey in value
    return isInteger ? BigInt(String(value[integerKey as keyof typeof value])) : value
  })
}
