// Tasks, their runs with logs, and backfills: runs for a
// span of the past.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

export interface Task {
  readonly id: string
  readonly orgID: string
  readonly name: string
  readonly description?: string
  readonly status: 'active' | 'inactive'
  readonly flux: string
  readonly every?: string
  readonly cron?: string
  readonly offset?: string
  readonly zone?: string
  readonly catchUp?: 'skip' | 'last' | 'all'
  readonly language?: 'influxql' | 'sql'
  readonly query?: string
  readonly database?: string
  readonly targetBucket?: string
  readonly targetMeasurement?: string
  readonly scriptID?: string
  readonly latestCompleted?: string
  readonly nextDue?: string
  readonly lastRunStatus?: RunStatus
  readonly lastRunError?: string
  readonly createdAt?: string
}

export type RunStatus = 'scheduled' | 'started' | 'success' | 'failed' | 'canceled'

export interface TaskRun {
  readonly id: string
  readonly status: RunStatus
  readonly scheduledFor: string
  readonly requestedAt?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly log: readonly { readonly time: string; readonly message: string }[]
}

export interface Backfill {
  readonly id: string
  readonly status: 'running' | 'paused' | 'done' | 'canceled'
  readonly start: string
  readonly stop: string
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly canceled: number
  readonly underWay: number
  readonly progress: number
  readonly lastError?: string
}

export interface Trial {
  readonly scheduledFor: string
  readonly rowCount: number
  readonly writes: readonly { readonly bucket: string; readonly lines: readonly string[] }[]
}

export interface BackfillPlan {
  readonly total: number
  readonly first: string
  readonly last: string
}

/** What a form has: of Flux the script alone, which names the rest. */
export type TaskInput = Partial<
  Pick<
    Task,
    | 'name'
    | 'description'
    | 'status'
    | 'flux'
    | 'every'
    | 'cron'
    | 'offset'
    | 'language'
    | 'query'
    | 'database'
    | 'targetBucket'
    | 'targetMeasurement'
  >
>

/** A page reaches this far; with more tasks the list says so. */
export const tasksMax = 500
const path = 'api/v2/tasks'
const refreshMs = 4000

export function useTasks(orgID: string) {
  return useQuery({
    queryKey: ['tasks', orgID],
    queryFn: async () =>
      (await requestJson<{ tasks: Task[] }>(path, { query: { orgID, limit: tasksMax } })).tasks,
    refetchInterval: 10_000,
  })
}

export function useTask(id: string) {
  return useQuery({ queryKey: ['task', id], queryFn: () => requestJson<Task>(`${path}/${id}`) })
}

export function createTask(orgID: string, input: TaskInput): Promise<Task> {
  return requestJson(path, { json: { orgID, ...input } })
}

export function changeTask(id: string, json: TaskInput): Promise<Task> {
  return requestJson(`${path}/${id}`, { method: 'PATCH', json })
}

export async function deleteTask(id: string): Promise<void> {
  await request(`${path}/${id}`, { method: 'DELETE' })
}

export function useRuns(taskId: string) {
  return useQuery({
    queryKey: ['runs', taskId],
    queryFn: async () =>
      (await requestJson<{ runs: TaskRun[] }>(`${path}/${taskId}/runs`, { query: { limit: 100 } }))
        .runs,
    refetchInterval: refreshMs,
  })
}

export function runTask(taskId: string): Promise<TaskRun> {
  return requestJson(`${path}/${taskId}/runs`, { json: {} })
}

export function tryTask(taskId: string): Promise<Trial> {
  return requestJson(`${path}/${taskId}/runs`, { json: { dryRun: true } })
}

export async function retryRun(taskId: string, runId: string): Promise<void> {
  await request(`${path}/${taskId}/runs/${runId}/retry`, { json: {} })
}

export async function cancelRun(taskId: string, runId: string): Promise<void> {
  await request(`${path}/${taskId}/runs/${runId}`, { method: 'DELETE' })
}

export function useBackfills(taskId: string) {
  return useQuery({
    queryKey: ['backfills', taskId],
    queryFn: async () =>
      (await requestJson<{ backfills: Backfill[] }>(`${path}/${taskId}/backfills`)).backfills,
    refetchInterval: 2000,
  })
}

export interface Span {
  readonly start: string
  readonly stop: string
}

export function planBackfill(taskId: string, span: Span): Promise<BackfillPlan> {
  return requestJson(`${path}/${taskId}/backfill`, { json: { ...span, dryRun: true } })
}

export async function startBackfill(taskId: string, span: Span): Promise<void> {
  await request(`${path}/${taskId}/backfill`, { json: span })
}

export async function turnBackfill(
  taskId: string,
  id: string,
  turn: 'pause' | 'resume' | 'cancel',
): Promise<void> {
  await request(`${path}/${taskId}/backfills/${id}/${turn}`, { json: {} })
}
