// What the runner of tasks is given to execute them: one executor per kind of task. The runner knows when, how often
// and with what limits; an executor knows what a task does. `index.ts` joins the two.

import type { TaskKind, TaskRun } from '../catalog/tasks/task-runs.js'
import type { Task } from '../catalog/tasks/tasks.js'

export interface TaskWork {
  readonly task: Task
  readonly run: TaskRun
  /** What `now()` is: the moment that the run is for, however late it begins. */
  readonly now: bigint
  /** Counted from 1. */
  readonly attempt: number
  /** The moment of the last run that ended well; undefined: none has. */
  readonly lastSuccess: bigint | undefined
  /** Aborted when the run is called off, takes too long, or the service stops. What it throws must then come soon. */
  readonly signal: AbortSignal
  /** A line for the log of the run. */
  log(message: string): void
  /** How far it is: what fails while its query is only being prepared is told in other words. */
  stage(stage: RunStage): void
}

export type RunStage = 'preparing' | 'running'

export interface TaskFigures {
  readonly rowsRead: number
  readonly rowsWritten: number
  /** The most memory that it held, as far as that is known. */
  readonly bytesMax?: number | undefined
}

/**
 * Throws where the run failed: the message is what users read. A run is executed again, under the same id, if the
 * process dies in the midst of it, and where `retry` allows it after BusyError, OverloadError, DiskError and UserErrors
 * with the codes of failures that may pass.
 */
export interface TaskExecutor {
  run(work: TaskWork): Promise<TaskFigures>
}

/**
 * Of runs for one moment those of tasks are begun first, then checks, then rules; and a rule's run only when all runs
 * of checks of its organization for that moment, and for earlier ones, have ended.
 */
export type TaskExecutors = Readonly<Record<TaskKind, TaskExecutor>>
