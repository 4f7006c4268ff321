// Statuses and what was told of them, read from the bucket that the service keeps them in: the last one of every
// series, and those of a span.

import { useQuery } from '@tanstack/react-query'
import { cellText, type Result } from '../query/result.js'
import { runQuestion } from '../query/run.js'
import { momentsOf, type TimeRange } from '../query/time-range.js'

export interface SeriesStatus {
  readonly time: string
  readonly level: string
  readonly checkId: string
  readonly checkName: string
  readonly message: string
  readonly tags: Readonly<Record<string, string>>
}

export interface Told extends SeriesStatus {
  readonly rule: string
  readonly endpoint: string
  readonly isSent: boolean
}

/** More than anybody reads through. */
export const historyMax = 500
const refreshMs = 10_000

export function useStatusesNow(orgId: string) {
  const text = `${source('statuses')} |> last()`
  return useQuery({
    queryKey: ['statuses-now', orgId],
    queryFn: async ({ signal }) => {
      const rows = await ask(orgId, text, { kind: 'past', duration: '24h' }, signal)
      return newest(rows.map(statusOf))
    },
    refetchInterval: refreshMs,
  })
}

export function useHistory(orgId: string, range: TimeRange, checkId: string | undefined) {
  const only =
    checkId === undefined ? '' : ` |> filter(fn: (r) => r._check_id == ${JSON.stringify(checkId)})`
  const text = `${source('statuses')}${only} ${latest}`
  return useQuery({
    queryKey: ['statuses', orgId, range, checkId],
    queryFn: async ({ signal }) => (await ask(orgId, text, range, signal)).map(statusOf),
    refetchInterval: refreshMs,
  })
}

export function useTold(orgId: string, range: TimeRange) {
  const text = `${source('notifications')} ${latest}`
  return useQuery({
    queryKey: ['told', orgId, range],
    queryFn: async ({ signal }) => (await ask(orgId, text, range, signal)).map(toldOf),
    refetchInterval: refreshMs,
  })
}

const latest = `|> group() |> sort(columns: ["_time"], desc: true) |> limit(n: ${historyMax})`

function source(measurement: string): string {
  return (
    'from(bucket: "_monitoring") |> range(start: v.timeRangeStart, stop: v.timeRangeStop) ' +
    `|> filter(fn: (r) => r._measurement == "${measurement}" and r._field == "_message")`
  )
}

type Row = Readonly<Record<string, string>>

async function ask(orgId: string, text: string, range: TimeRange, signal: AbortSignal) {
  // Statuses bear the moment they are for, which may be a moment ahead of this clock.
  const { from, to } = momentsOf(range, Date.now())
  const moments = { from, to: range.kind === 'past' ? to + 60_000 : to }
  const question = { language: 'flux' as const, text, orgId, bucketId: undefined, moments }
  return rowsOf(await runQuestion({ ...question, windowSeconds: 60 }, signal))
}

function rowsOf({ tables }: Result): Row[] {
  return tables.flatMap(({ tags, columns, rowCount }) =>
    Array.from({ length: rowCount }, (_, row) => ({
      ...tags,
      ...Object.fromEntries(columns.map((column) => [column.name, cellText(column, row)])),
    })),
  )
}

function statusOf(row: Row): SeriesStatus {
  const tags = Object.entries(row).filter(
    ([name, value]) => !name.startsWith('_') && !['result', 'table'].includes(name) && value !== '',
  )
  return {
    time: row._time ?? '',
    level: row._level ?? '',
    checkId: row._check_id ?? '',
    checkName: row._check_name ?? '',
    message: row._value ?? '',
    tags: Object.fromEntries(tags.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

function toldOf(row: Row): Told {
  return {
    ...statusOf(row),
    rule: row._notification_rule_name ?? '',
    endpoint: row._notification_endpoint_name ?? '',
    isSent: row._sent === 'true',
  }
}

/** A level is a tag: each series has a last status for every level it ever had. */
function newest(all: readonly SeriesStatus[]): SeriesStatus[] {
  const bySeries = new Map<string, SeriesStatus>()
  for (const status of all) {
    const key = JSON.stringify([status.checkId, status.tags])
    const known = bySeries.get(key)
    if (known === undefined || known.time < status.time) bySeries.set(key, status)
  }
  return [...bySeries.values()]
}

export function tagsText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}
