// Statuses as the bucket `_monitoring` has them: reading those of a span of time, and writing down what was told of
// them. No language is asked: a status is a row of the store.

import type { Batch } from '../../column/batch.js'
import { valueAt } from '../../column/column.js'
import type { TagPredicate } from '../../column/predicate.js'
import { escapeMeasurement, escapeName } from '../../column/series.js'
import { type TimeRange, timeAt } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { printString } from '../../line-protocol/printer.js'
import type { BucketId, ReadRequest, Store } from '../../store/store.js'
import {
  type AlertMessage,
  type AlertStatus,
  type FieldValue,
  levelOfStatus,
  severityOf,
} from './message.js'

/** Of one run of a rule: some hundred megabytes. */
const statusesMax = 500_000

export interface StatusesRequest {
  readonly bucket: BucketId
  readonly range: TimeRange
  /** Only the newest of each series and level. */
  readonly lastOnly?: boolean
  readonly predicate?: TagPredicate | undefined
  /** By tags: undefined, nothing of the series is wanted; otherwise statuses later than this. */
  readonly wantedSince: (tags: Readonly<Record<string, string>>) => bigint | undefined
}

/** In the order of their times; of equal ones the most severe first. */
export async function readStatuses(
  store: Store,
  { bucket, range, lastOnly = false, predicate, wantedSince }: StatusesRequest,
  signal: AbortSignal,
): Promise<AlertStatus[]> {
  const last = lastOnly ? { descending: true, limitPerSeries: 1 } : {}
  const request: ReadRequest = { bucket, measurement: 'statuses', range, predicate, ...last }
  const found: AlertStatus[] = []
  for await (const batch of store.read(request, signal)) {
    collect(batch, wantedSince, found)
    if (found.length > statusesMax) {
      throw new UserError('invalid', `more than ${statusesMax} statuses came since the last run`)
    }
  }
  return found.sort((a, b) => {
    if (a.time !== b.time) return a.time < b.time ? -1 : 1
    return severityOf(b.level) - severityOf(a.level)
  })
}

function collect(
  batch: Batch,
  wantedSince: StatusesRequest['wantedSince'],
  found: AlertStatus[],
): void {
  const { times, fields, columns } = batch
  for (const { key, start, stop } of batch.runs) {
    const tags = Object.fromEntries(key.tags.map((tag) => [tag.key, tag.value]))
    const since = wantedSince(tags)
    if (since === undefined) continue
    for (let row = start; row < stop; row++) {
      const time = timeAt(times, row)
      if (time <= since) continue
      const values: Record<string, FieldValue> = {}
      for (let i = 0; i < fields.length; i++) {
        const value = valueAt(columns[i], row)
        if (value !== null) values[fields[i].name] = value
      }
      found.push({ time, level: levelOfStatus(tags._level ?? ''), tags, fields: values })
    }
  }
}

/** What the bucket keeps of a message: one point per status. */
export function notificationLines(message: AlertMessage, isSent: boolean): string {
  const { rule, endpoint, time } = message
  const lines = message.statuses.map((status) => {
    const tags = {
      ...status.tags,
      _notification_rule_id: rule.id,
      _notification_rule_name: rule.name,
      _notification_endpoint_id: endpoint.id,
      _notification_endpoint_name: endpoint.name,
      _sent: String(isSent),
    }
    const fields = { ...status.fields, _status_timestamp: status.time }
    return line('notifications', tags, fields, time)
  })
  return lines.join('\n')
}

/** As a check writes it. */
export function statusLine({ tags, fields, time }: Omit<AlertStatus, 'level'>): string {
  return line('statuses', tags, fields, time)
}

function line(
  measurement: string,
  tags: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, FieldValue>>,
  time: bigint,
): string {
  const keys = Object.entries(tags).filter(([, value]) => value !== '')
  const tagTexts = keys.map(([key, value]) => `,${tagText(key)}=${tagText(value)}`)
  const values = Object.entries(fields).filter(([, value]) => !isEndless(value))
  const fieldTexts = values.map(([key, value]) => `${tagText(key)}=${fieldText(value)}`)
  return `${escapeMeasurement(measurement)}${tagTexts.join('')} ${fieldTexts.join(',')} ${time}`
}

/** Names of rules may have several lines; tags may not. */
function tagText(text: string): string {
  return escapeName(text.replace(/\s*\n\s*/g, ' ').replace(/\\+$/, ''))
}

function isEndless(value: FieldValue): boolean {
  return typeof value === 'number' && !Number.isFinite(value)
}

function fieldText(value: FieldValue): string {
  if (typeof value === 'string') return printString(value)
  return typeof value === 'bigint' ? `${value}i` : String(value)
}
