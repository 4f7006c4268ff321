// Runs of tasks: which were asked for, how far each got, and what it had to say. Who executes them
// moves them from `scheduled` through `started` to an end; this file keeps them and their order.

import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import { type CatalogRecord, Records } from '../base/records.js'
import { formatTimestamp } from '../base/timestamps.js'

export type RunStatus = 'scheduled' | 'started' | 'failed' | 'success' | 'canceled'

export interface RunLog {
  readonly time: string
  readonly message: string
}

export interface RunBody {
  readonly status: RunStatus
  readonly scheduledFor: string
  readonly requestedAt?: string | undefined
  readonly startedAt?: string | undefined
  readonly finishedAt?: string | undefined
  readonly log: readonly RunLog[]
}

/** Its parent is the task. */
export type TaskRun = CatalogRecord<RunBody>

export class TaskRuns {
  readonly records: Records<RunBody>
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
    this.records = new Records(context, { kind: 'task-run', noun: 'run' })
  }

  /** In a transaction: a moment is waited for by one run at most. */
  async schedule(
    task: { readonly id: string; readonly orgId: string },
    scheduledForNs: bigint,
  ): Promise<TaskRun> {
    const scheduledFor = wholeSeconds(scheduledForNs)
    const waiting = await this.list(task.id)
    const isQueued = waiting.some(
      ({ body }) => isUnfinished(body.status) && body.scheduledFor === scheduledFor,
    )
    if (isQueued) throw new UserError('conflict', 'run already queued')
    return this.#create(task, scheduledFor)
  }

  /** The latest moment first, and among equals the run that was asked for last. */
  async list(taskId: string): Promise<TaskRun[]> {
    const found = await this.records.list({ parentId: taskId })
    return found.reverse().sort((a, b) => order(b.body.scheduledFor, a.body.scheduledFor))
  }

  async require(taskId: string, runId: string): Promise<TaskRun> {
    const run = await this.records.findById(runId)
    if (run === undefined || run.parentId !== taskId) throw runMissing()
    return run
  }

  /** A new run for the moment of another one. */
  async retry(task: { readonly id: string; readonly orgId: string }, runId: string) {
    const { body } = await this.require(task.id, runId)
    return this.#create(task, body.scheduledFor)
  }

  /** In a transaction. What has ended cannot be called off any more. */
  async cancel(taskId: string, runId: string): Promise<void> {
    const { body } = await this.require(taskId, runId)
    if (!isUnfinished(body.status)) throw runMissing()
    const now = timestamp(this.#context)
    const log = [...body.log, { time: now, message: 'Run canceled' }]
    await this.records.update(runId, {
      body: { ...body, status: 'canceled', finishedAt: now, log },
    })
  }

  async deleteOfTask(taskId: string): Promise<void> {
    await this.#context.db
      .deleteFrom('records')
      .where('kind', '=', 'task-run')
      .where('parent_id', '=', taskId)
      .execute()
  }

  #create(task: { readonly id: string; readonly orgId: string }, scheduledFor: string) {
    const requestedAt = timestamp(this.#context)
    const body: RunBody = { status: 'scheduled', scheduledFor, requestedAt, log: [] }
    return this.records.create({ orgId: task.orgId, parentId: task.id, name: scheduledFor, body })
  }
}

function isUnfinished(status: RunStatus): boolean {
  return status === 'scheduled' || status === 'started'
}

function wholeSeconds(ns: bigint): string {
  return `${formatTimestamp(ns).slice(0, 19)}Z`
}

function order(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function runMissing(): UserError {
  return new UserError('not found', 'run not found')
}
