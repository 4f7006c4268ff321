// Runs of tasks that have ended, in the system bucket `_tasks` of their organization: one point a run, in the shape
// that InfluxDB's users and templates know, with some fields more. Its time is the moment the run began.

import type { TaskRun } from '../../catalog/tasks/task-runs.js'
import { printString } from '../../line-protocol/printer.js'
import type { ServiceParts } from '../base/parts.js'
import { noLimits } from '../limits/organization-limits.js'
import type { Writes } from '../write/writes.js'

export const runsMeasurement = 'runs'

export type HistoryParts = Pick<ServiceParts, 'catalog' | 'store'> & { readonly writes: Writes }

/** What stands for a moment that there is none of. */
const noMoment = '0001-01-01T00:00:00Z'

/** May be called again with the same runs: a point is named by its task, its end and the moment it began. */
export async function keepRuns(parts: HistoryParts, runs: readonly TaskRun[]): Promise<void> {
  const byOrganization = new Map<string, string[]>()
  for (const run of runs) {
    const lines = byOrganization.get(run.orgId)
    if (lines === undefined) byOrganization.set(run.orgId, [lineOf(run)])
    else lines.push(lineOf(run))
  }
  for (const [orgId, lines] of byOrganization) {
    const bucket = await parts.catalog.buckets.findByName(orgId, '_tasks')
    // Deleted since, with its organization.
    if (bucket === undefined) continue
    await parts.writes.write(bucket, Buffer.from(lines.join('\n')), noLimits)
  }
}

function lineOf(run: TaskRun): string {
  const { startedAt = run.dueAt, finishedAt = startedAt, scheduledFor, requestedAt } = run
  const log = run.log.map(({ time, message }) => ({ runID: run.id, time, message }))
  const fields = [
    `runID=${printString(run.id)}`,
    `name=${printString(run.taskName ?? '')}`,
    `startedAt=${printString(startedAt)}`,
    `finishedAt=${printString(finishedAt)}`,
    `scheduledFor=${printString(scheduledFor)}`,
    `requestedAt=${printString(requestedAt ?? noMoment)}`,
    `logs=${printString(JSON.stringify(log))}`,
    'flux=""',
    'ot_trace_id=""',
    'ot_trace_sampled=false',
    `durationMs=${run.durationMs ?? 0}`,
    `rowsRead=${run.rowsRead ?? 0}i`,
    `rowsWritten=${run.rowsWritten ?? 0}i`,
    `bytesMax=${run.bytesMax ?? 0}i`,
    `error=${printString(run.error ?? '')}`,
    `attempt=${run.attempt}i`,
  ]
  const series = `${runsMeasurement},status=${run.status},taskID=${run.taskId}`
  return `${series} ${fields.join(',')} ${nanoseconds(startedAt)}`
}

function nanoseconds(time: string): string {
  const seconds = BigInt(Date.parse(`${time.slice(0, 19)}Z`)) / 1000n
  return String(seconds * 1_000_000_000n + BigInt(time.slice(20, 29).padEnd(9, '0') || '0'))
}
