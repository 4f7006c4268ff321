// Runs of tasks that have ended, in the system bucket `_tasks` of their organization: one point a run, in the shape
// that InfluxDB's users and templates know, with some fields more. Its time is the moment the run began. Lists of runs
// join them with those that the catalog has.

import {
  isUnfinished,
  type RunLog,
  type RunStatus,
  type TaskRun,
} from '../../catalog/tasks/task-runs.js'
import type { Task } from '../../catalog/tasks/tasks.js'
import type { Batch } from '../../column/batch.js'
import { valueAt } from '../../column/column.js'
import { allTime } from '../../column/time.js'
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

/** Ended runs that one list looks through: as many as a task has in three days if it runs every ten seconds. */
const historyMax = 30_000

/** Those under way first, then those that ended, the latest moment first in both. */
export async function listRuns(parts: HistoryParts, task: Task): Promise<TaskRun[]> {
  const known = await parts.catalog.tasks.runs.list(task.id)
  const ids = new Set(known.map(({ id }) => id))
  const ended = known.filter(({ status }) => !isUnfinished(status))
  for (const run of await historyOf(parts, task)) if (!ids.has(run.id)) ended.push(run)
  ended.sort((a, b) =>
    a.scheduledFor === b.scheduledFor ? order(b.id, a.id) : order(b.scheduledFor, a.scheduledFor),
  )
  return [...known.filter(({ status }) => isUnfinished(status)), ...ended]
}

export async function findRun(
  parts: HistoryParts,
  task: Task,
  runId: string,
): Promise<TaskRun | undefined> {
  const known = await parts.catalog.tasks.runs.find(task.id, runId)
  return known ?? (await historyOf(parts, task, runId))[0]
}

async function historyOf(parts: HistoryParts, task: Task, runId?: string): Promise<TaskRun[]> {
  const bucket = await parts.catalog.buckets.findByName(task.orgId, '_tasks')
  if (bucket === undefined) return []
  const ofTask = { kind: 'tag', tag: 'taskID', op: '=', value: task.id } as const
  const ofRun = { kind: 'field', field: 'runID', op: '=', value: runId ?? '' } as const
  const predicate =
    runId === undefined ? ofTask : ({ kind: 'and', parts: [ofTask, ofRun] } as const)
  const request = {
    bucket: bucket.id,
    measurement: runsMeasurement,
    range: allTime,
    predicate,
    descending: true,
    limitPerSeries: historyMax,
  }
  const runs: TaskRun[] = []
  for await (const batch of parts.store.read(request, AbortSignal.timeout(historyMsMax))) {
    for (const { key, start, stop } of batch.runs) {
      const status = key.tags.find((tag) => tag.key === 'status')?.value ?? ''
      for (let row = start; row < stop; row++) runs.push(runAt(task, status, batch, row))
    }
  }
  return runs
}

const historyMsMax = 30_000

function runAt(task: Task, status: string, batch: Batch, row: number): TaskRun {
  const value = (name: string) => {
    const index = batch.fields.findIndex((field) => field.name === name)
    return index < 0 ? null : valueAt(batch.columns[index], row)
  }
  const text = (name: string) => String(value(name) ?? '')
  const requestedAt = text('requestedAt')
  return {
    id: text('runID'),
    taskId: task.id,
    orgId: task.orgId,
    kind: 'task',
    status: status as RunStatus,
    scheduledFor: text('scheduledFor'),
    dueAt: text('startedAt'),
    requestedAt: requestedAt === noMoment ? undefined : requestedAt,
    startedAt: text('startedAt'),
    finishedAt: text('finishedAt'),
    attempt: Number(value('attempt') ?? 1),
    isCanceled: status === 'canceled',
    backfillId: '',
    log: logOf(text('logs')),
    error: text('error') || undefined,
    durationMs: Number(value('durationMs') ?? 0),
    rowsRead: Number(value('rowsRead') ?? 0),
    rowsWritten: Number(value('rowsWritten') ?? 0),
    bytesMax: Number(value('bytesMax') ?? 0),
  }
}

/** Anybody who may write there can have written anything. */
function logOf(text: string): RunLog[] {
  try {
    const lines: unknown = JSON.parse(text)
    if (!Array.isArray(lines)) return []
    return lines.flatMap((line) =>
      typeof line?.time === 'string' && typeof line.message === 'string'
        ? [{ time: line.time, message: line.message }]
        : [],
    )
  } catch {
    return []
  }
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
