// Runs of tasks as the interface shows them: asked for, looked at, asked for again, called off. Whoever executes them
// works with `run-queue.ts`. The catalog has the runs that have not ended, and of each task the last ones that have;
// all that ended are in the organization's bucket `_tasks`.

import type { Selectable } from 'kysely'
import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import type { TaskRunRow } from '../base/tables.js'
import { formatTimestamp } from '../base/timestamps.js'
import { stateAfter, TaskStates } from './task-states.js'

export type RunStatus = 'scheduled' | 'started' | 'failed' | 'success' | 'canceled'

/** What a task belongs to. Persisted: never change one. */
export type TaskKind = 'task' | 'check' | 'rule' | 'continuous-query'

export interface RunLog {
  readonly time: string
  readonly message: string
}

/** What is known of a run besides its state. */
export interface RunDetail {
  readonly log: readonly RunLog[]
  /** As the task was called when it ran. */
  readonly taskName?: string | undefined
  readonly error?: string | undefined
  readonly durationMs?: number | undefined
  readonly rowsRead?: number | undefined
  readonly rowsWritten?: number | undefined
  readonly bytesMax?: number | undefined
}

export interface TaskRun extends RunDetail {
  readonly id: string
  readonly taskId: string
  readonly orgId: string
  readonly kind: TaskKind
  readonly status: RunStatus
  readonly scheduledFor: string
  readonly dueAt: string
  readonly requestedAt?: string | undefined
  readonly startedAt?: string | undefined
  readonly finishedAt?: string | undefined
  readonly attempt: number
  /** Somebody wants it stopped. */
  readonly isCanceled: boolean
  /** The backfill that it is part of; empty: none. */
  readonly backfillId: string
}

/** Whose run it is. */
export interface RunTask {
  readonly id: string
  readonly orgId: string
  readonly kind: TaskKind
}

/** What derives data comes before what judges it, and that before what tells of it. */
export const orderNumbers: Readonly<Record<TaskKind, number>> = {
  task: 0,
  'continuous-query': 0,
  check: 1,
  rule: 2,
}

export class TaskRuns {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** In a transaction: a moment is waited for by one run at most. A moment to come is waited for. */
  async schedule(task: RunTask, scheduledForNs: bigint): Promise<TaskRun> {
    const scheduledFor = wholeSeconds(scheduledForNs)
    const queued = await this.#context.db
      .selectFrom('task_runs')
      .select('id')
      .where('task_id', '=', task.id)
      .where('status', 'in', unfinished)
      .where('scheduled_for', '=', scheduledFor)
      .executeTakeFirst()
    if (queued !== undefined) {
      throw new UserError('conflict', 'failed to force run: run already queued')
    }
    return this.#request(task, scheduledFor)
  }

  /** The latest moment first, and among equals the run that was made last. */
  async list(taskId: string): Promise<TaskRun[]> {
    const rows = await this.#context.db
      .selectFrom('task_runs')
      .selectAll()
      .where('task_id', '=', taskId)
      .orderBy('scheduled_for', 'desc')
      .orderBy('id', 'desc')
      .execute()
    return rows.map(runOf)
  }

  async find(taskId: string, runId: string): Promise<TaskRun | undefined> {
    const row = await this.#context.db
      .selectFrom('task_runs')
      .selectAll()
      .where('id', '=', runId)
      .where('task_id', '=', taskId)
      .executeTakeFirst()
    return row === undefined ? undefined : runOf(row)
  }

  /** A new run for the moment of one that has ended. */
  retry(task: RunTask, scheduledFor: string): Promise<TaskRun> {
    return this.#request(task, scheduledFor)
  }

  /** In a transaction. One that nobody has begun ends here; one under way is ended by whoever executes it. */
  async cancel(taskId: string, runId: string): Promise<void> {
    const run = await this.find(taskId, runId)
    if (run === undefined || !isUnfinished(run.status)) throw runMissing('cancel')
    const now = timestamp(this.#context)
    const log = [...run.log, { time: now, message: 'Run canceled' }]
    const { numUpdatedRows } = await this.#context.db
      .updateTable('task_runs')
      .set({
        status: 'canceled',
        is_canceled: 1,
        started_at: run.startedAt ?? now,
        finished_at: now,
        detail: JSON.stringify({ ...detailOf(run), log }),
      })
      .where('id', '=', runId)
      .where('holder', '=', '')
      .where('status', 'in', unfinished)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) {
      const states = new TaskStates(this.#context)
      const state = stateAfter(await states.of(taskId), { ...run, status: 'canceled' })
      await states.save(new Map([[taskId, state]]))
    } else {
      await this.#context.db
        .updateTable('task_runs')
        .set({ is_canceled: 1 })
        .where('id', '=', runId)
        .where('status', 'in', unfinished)
        .execute()
    }
    this.#context.tell('runs-requested', taskId)
  }

  async deleteOfTask(taskId: string): Promise<void> {
    await this.#context.db.deleteFrom('task_runs').where('task_id', '=', taskId).execute()
  }

  async #request(task: RunTask, scheduledFor: string): Promise<TaskRun> {
    const now = timestamp(this.#context)
    const dueAt = scheduledFor > now ? `${scheduledFor.slice(0, 19)}.000000000Z` : now
    const row = newRun(this.#context, task, { scheduledFor, dueAt, requestedAt: now })
    await this.#context.db.insertInto('task_runs').values(row).execute()
    this.#context.tell('runs-requested', task.id)
    return runOf(row)
  }
}

export const unfinished: readonly RunStatus[] = ['scheduled', 'started']

export function isUnfinished(status: RunStatus): boolean {
  return unfinished.includes(status)
}

export function newRun(
  context: CatalogContext,
  task: RunTask,
  moment: {
    readonly scheduledFor: string
    readonly dueAt: string
    readonly requestedAt?: string
    readonly backfillId?: string
  },
): TaskRunRow {
  return {
    id: newRunId(context),
    task_id: task.id,
    org_id: task.orgId,
    kind: task.kind,
    order_number: orderNumbers[task.kind],
    scheduled_for: moment.scheduledFor,
    due_at: moment.dueAt,
    status: 'scheduled',
    requested_at: moment.requestedAt ?? null,
    started_at: null,
    finished_at: null,
    holder: '',
    attempt: 0,
    is_canceled: 0,
    is_recorded: 0,
    backfill_id: moment.backfillId ?? '',
    detail: '{"log":[]}',
    created_at: timestamp(context),
  }
}

/** Ids of runs grow with time: 44 bits of milliseconds, 20 of chance. */
function newRunId({ clock, random, lastRunId }: CatalogContext): string {
  const milliseconds = clock.now() / 1_000_000n
  const chance = BigInt(`0x${Buffer.from(random.bytes(3)).toString('hex')}`) & 0xfffffn
  const id = ((milliseconds << 20n) | chance) & 0x7fff_ffff_ffff_ffffn
  // Several in one millisecond follow each other, and so do those after the clock was set back.
  lastRunId.value = id <= lastRunId.value ? lastRunId.value + 1n : id
  return (lastRunId.value === 0n ? 1n : lastRunId.value).toString(16).padStart(16, '0')
}

export function runOf(row: Selectable<TaskRunRow>): TaskRun {
  const detail: RunDetail = JSON.parse(row.detail)
  return {
    ...detail,
    id: row.id,
    taskId: row.task_id,
    orgId: row.org_id,
    kind: row.kind as TaskKind,
    status: row.status as RunStatus,
    scheduledFor: row.scheduled_for,
    dueAt: row.due_at,
    requestedAt: row.requested_at ?? undefined,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
    attempt: row.attempt,
    isCanceled: row.is_canceled === 1,
    backfillId: row.backfill_id,
  }
}

export function detailOf(run: RunDetail): RunDetail {
  const { log, taskName, error, durationMs, rowsRead, rowsWritten, bytesMax } = run
  return { log, taskName, error, durationMs, rowsRead, rowsWritten, bytesMax }
}

export function wholeSeconds(ns: bigint): string {
  return `${formatTimestamp(ns).slice(0, 19)}Z`
}

export function runMissing(what: 'find' | 'cancel' | 'retry'): UserError {
  return new UserError('not found', `failed to ${what} run: run not found`)
}
