// What runs leave behind about their task: which boundary was scheduled last, how the last run ended. Apart from the
// task's own record, which nobody wants to read again after every run.

import { sql } from 'kysely'
import type { CatalogContext } from '../base/context.js'
import { listParameter, rowsParameter } from '../base/dialect.js'
import type { TaskStateRow } from '../base/tables.js'

export interface TaskState {
  /** The latest boundary for which there is, or was, a run, or that was passed over. */
  readonly latestScheduled?: string | undefined
  /** `scheduledFor` of the latest run that ended. */
  readonly latestCompleted?: string | undefined
  readonly latestSuccess?: string | undefined
  readonly latestFailure?: string | undefined
  readonly lastRunStatus?: 'failed' | 'success' | 'canceled' | undefined
  readonly lastRunError?: string | undefined
}

/** What of a run matters here. */
export interface EndedRun {
  readonly scheduledFor: string
  readonly status: string
  readonly error?: string | undefined
}

const stateColumns = [
  'task_id',
  'latest_scheduled',
  'latest_completed',
  'latest_success',
  'latest_failure',
  'last_run_status',
  'last_run_error',
] as const satisfies readonly (keyof TaskStateRow)[]

export class TaskStates {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async of(taskId: string): Promise<TaskState> {
    return (await this.ofAll([taskId])).get(taskId) ?? {}
  }

  async ofAll(taskIds: readonly string[]): Promise<Map<string, TaskState>> {
    if (taskIds.length === 0) return new Map()
    const query = this.#context.db.selectFrom('task_states').selectAll()
    const rows = await query
      .where('task_id', 'in', listParameter(this.#context.db, taskIds))
      .execute()
    return new Map(rows.map((row) => [row.task_id, stateOf(row)]))
  }

  async save(states: ReadonlyMap<string, TaskState>): Promise<void> {
    if (states.size === 0) return
    const rows = [...states].map(([taskId, state]) => rowOf(taskId, state))
    const columns = sql.join(stateColumns.map((column) => sql.ref(column)))
    const changes = stateColumns.map(
      (column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`,
    )
    const { db } = this.#context
    const given = rowsParameter(db, 'task_states', stateColumns, rows)
    await sql`INSERT INTO task_states (${columns}) SELECT ${columns} FROM ${given} AS given WHERE true
      ON CONFLICT (task_id) DO UPDATE SET ${sql.join(changes)}`.execute(db)
  }

  /** Nothing is made up for the time before `moment`. */
  async restart(taskId: string, moment: string): Promise<void> {
    const state = await this.of(taskId)
    const restarted = { ...state, latestScheduled: moment, latestCompleted: moment }
    await this.save(new Map([[taskId, restarted]]))
  }

  async delete(taskId: string): Promise<void> {
    await this.#context.db.deleteFrom('task_states').where('task_id', '=', taskId).execute()
  }
}

function rowOf(taskId: string, state: TaskState): TaskStateRow {
  return {
    task_id: taskId,
    latest_scheduled: state.latestScheduled ?? null,
    latest_completed: state.latestCompleted ?? null,
    latest_success: state.latestSuccess ?? null,
    latest_failure: state.latestFailure ?? null,
    last_run_status: state.lastRunStatus ?? null,
    last_run_error: state.lastRunError ?? null,
  }
}

function stateOf(row: TaskStateRow): TaskState {
  return {
    latestScheduled: row.latest_scheduled ?? undefined,
    latestCompleted: row.latest_completed ?? undefined,
    latestSuccess: row.latest_success ?? undefined,
    latestFailure: row.latest_failure ?? undefined,
    lastRunStatus: (row.last_run_status ?? undefined) as TaskState['lastRunStatus'],
    lastRunError: row.last_run_error ?? undefined,
  }
}

/** No figure goes back: a run for an earlier moment leaves them as they are. */
export function stateAfter(state: TaskState, run: EndedRun): TaskState {
  const { scheduledFor, status } = run
  const latest = (known: string | undefined) =>
    known === undefined || known.slice(0, 19) < scheduledFor.slice(0, 19) ? scheduledFor : known
  return {
    latestScheduled: state.latestScheduled,
    latestCompleted: latest(state.latestCompleted),
    latestSuccess: status === 'success' ? latest(state.latestSuccess) : state.latestSuccess,
    latestFailure: status === 'failed' ? latest(state.latestFailure) : state.latestFailure,
    lastRunStatus: status as TaskState['lastRunStatus'],
    lastRunError: status === 'failed' ? run.error : undefined,
  }
}
