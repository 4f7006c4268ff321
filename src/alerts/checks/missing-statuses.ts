// Statuses for what a check has said nothing of, where it asks for them: a series that had statuses and has no data any
// more, and all its series when a run fails. They have the level that the check names and a message with the reason,
// and go on for as long as a series is known: seven days after its last data, or until the check is changed.

import { formatTimestamp, parseTimestamp } from '../../catalog/base/timestamps.js'
import type { Check } from '../../catalog/monitoring/check-fields.js'
import type { Service } from '../../service/service.js'
import { monitoringBucket, writeMonitoring } from '../../service/tasks/monitoring-bucket.js'
import { type AlertStatus, levelOfStatus } from '../status/message.js'
import { readStatuses, statusLine } from '../status/statuses.js'

export interface CheckRun {
  readonly check: Check
  /** The moment that it was for. */
  readonly now: bigint
  /** Why it failed; undefined: it went well. */
  readonly error: string | undefined
  readonly signal: AbortSignal
}

/** As long as a deadman check knows a series, and the bucket keeps statuses. */
const knownNs = 7n * 24n * 3_600_000_000_000n

export async function writeMissing(
  service: Pick<Service, 'catalog' | 'store' | 'writes'>,
  { check, now, error, signal }: CheckRun,
): Promise<void> {
  const { noDataLevel, errorLevel } = check.body.fields
  const level = (error === undefined ? noDataLevel : errorLevel)?.toLowerCase()
  const bucket = await service.catalog.buckets.findByName(check.orgId, monitoringBucket)
  if (level === undefined || bucket === undefined) return
  // What was there before the check was changed may be called otherwise since.
  const changedAt = parseTimestamp(check.updatedAt)
  const since = changedAt > now - knownNs ? changedAt : now - knownNs
  const known = await readStatuses(
    service.store,
    {
      bucket: bucket.id,
      range: { start: since, stop: now + 1n },
      lastOnly: true,
      predicate: { kind: 'tag', tag: '_check_id', op: '=', value: check.id },
      wantedSince: () => since - 1n,
    },
    signal,
  )
  const latest = latestOfSeries(known)
  if (latest.length === 0 && error !== undefined) latest.push(unknownSeries(check, now))
  const lines = latest
    .filter(({ time, fields }) => time < now && dataTime(fields) >= now - knownNs)
    .map(({ tags, fields }) => {
      const at = dataTime(fields)
      const reason = error === undefined ? `no data since ${formatTimestamp(at)}` : error
      const _message = `Check: ${check.name} is: ${levelOfStatus(level)}: ${reason}`
      return statusLine({
        tags: { ...tags, _level: level },
        fields: { _message, _source_timestamp: at },
        time: now,
      })
    })
  if (lines.length > 0) await writeMonitoring(service, check.orgId, Buffer.from(lines.join('\n')))
}

/** In the order of their times they come: the later one of a series wins. */
function latestOfSeries(statuses: readonly AlertStatus[]): AlertStatus[] {
  const bySeries = new Map<string, AlertStatus>()
  for (const status of statuses) {
    const { _level, ...tags } = status.tags
    bySeries.set(JSON.stringify(Object.entries(tags).sort()), status)
  }
  return [...bySeries.values()]
}

/** A check that has failed ever since: nobody knows its series, and that it fails is told all the same. */
function unknownSeries({ id, name, body }: Check, now: bigint): AlertStatus {
  const own = { _check_id: id, _check_name: name, _type: body.type }
  const tags = {
    ...Object.fromEntries((body.fields.tags ?? []).map((t) => [t.key, t.value])),
    ...own,
  }
  return { time: now - 1n, level: 'unknown', tags, fields: { _source_timestamp: now } }
}

function dataTime(fields: AlertStatus['fields']): bigint {
  const { _source_timestamp: time } = fields
  return typeof time === 'bigint' ? time : 0n
}
