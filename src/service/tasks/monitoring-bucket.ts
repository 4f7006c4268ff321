// The system bucket `_monitoring` of an organization, as the service writes into it by itself: statuses and what was
// told of them. No limits of the organization hold it up; what the bucket refuses is a failure.

import { allTime, timeAt } from '../../column/time.js'
import type { ServiceParts } from '../base/parts.js'
import { noLimits } from '../limits/organization-limits.js'
import type { Writes } from '../write/writes.js'

export const monitoringBucket = '_monitoring'

type MonitoringParts = Pick<ServiceParts, 'catalog'> & { readonly writes: Writes }

/** Nothing where there is no such bucket: it was deleted with its organization. */
export async function writeMonitoring(
  { catalog, writes }: MonitoringParts,
  orgId: string,
  lines: Uint8Array,
): Promise<void> {
  const bucket = await catalog.buckets.findByName(orgId, monitoringBucket)
  if (bucket === undefined) return
  const { rejected, malformed } = await writes.write(bucket, lines, noLimits)
  const [refused] = [...rejected, ...malformed]
  if (refused !== undefined) throw new Error(refused.reason)
}

const readMsMax = 30_000

/** The level of the last status of each task, by its id. */
export async function lastTaskLevels(
  { catalog, store }: Pick<ServiceParts, 'catalog' | 'store'>,
  orgId: string,
): Promise<Map<string, string>> {
  const bucket = await catalog.buckets.findByName(orgId, monitoringBucket)
  const last = new Map<string, { readonly time: bigint; readonly level: string }>()
  if (bucket === undefined) return new Map()
  const request = {
    bucket: bucket.id,
    measurement: 'statuses',
    range: allTime,
    fields: ['_source_timestamp'],
    predicate: { kind: 'tag', tag: '_type', op: '=', value: 'task' },
    descending: true,
    limitPerSeries: 1,
  } as const
  for await (const { runs, times } of store.read(request, AbortSignal.timeout(readMsMax))) {
    for (const { key, start } of runs) {
      const value = (name: string) => key.tags.find((tag) => tag.key === name)?.value ?? ''
      const time = timeAt(times, start)
      const before = last.get(value('_check_id'))
      if (before !== undefined && before.time >= time) continue
      last.set(value('_check_id'), { time, level: value('_level') })
    }
  }
  return new Map([...last].map(([taskId, { level }]) => [taskId, level]))
}
