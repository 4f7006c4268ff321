// Until when the changes of a task's buckets are dealt with, for tasks that run again for points that come late. A mark
// is closed where the service was stopped in order: then nothing has changed since, until it was started again.

import { type CatalogContext, timestamp } from '../base/context.js'
import { newRun, type RunTask, wholeSeconds } from './task-runs.js'

export interface LateMark {
  /** By the store's clock, in nanoseconds since 1970. */
  readonly seenAt: bigint
  readonly isClosed: boolean
}

/** Stands for the backfill of runs that are made for late points: they give way to those of the schedule, as its do. */
export const lateBackfillId = 'late'

export class LateMarks {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async of(taskId: string): Promise<LateMark | undefined> {
    const row = await this.#context.db
      .selectFrom('late_marks')
      .selectAll()
      .where('task_id', '=', taskId)
      .executeTakeFirst()
    return row && { seenAt: BigInt(row.seen_at), isClosed: row.is_closed === 1 }
  }

  async set(taskId: string, { seenAt, isClosed }: LateMark): Promise<void> {
    const row = { seen_at: String(seenAt), is_closed: isClosed ? 1 : 0 }
    await this.#context.db
      .insertInto('late_marks')
      .values({ task_id: taskId, ...row })
      .onConflict((conflict) => conflict.column('task_id').doUpdateSet(row))
      .execute()
  }

  async delete(taskId: string): Promise<void> {
    await this.#context.db.deleteFrom('late_marks').where('task_id', '=', taskId).execute()
  }

  /** In a transaction. Runs for boundaries that had theirs; none where one is waited for anyway. Answers how many. */
  async runAgain(task: RunTask, boundaries: readonly bigint[]): Promise<number> {
    const waiting = await this.#context.db
      .selectFrom('task_runs')
      .select('scheduled_for')
      .where('task_id', '=', task.id)
      .where('status', '=', 'scheduled')
      .execute()
    const known = new Set(waiting.map((row) => row.scheduled_for.slice(0, 19)))
    const moments = boundaries.map(wholeSeconds).filter((moment) => !known.has(moment.slice(0, 19)))
    for (const scheduledFor of moments) {
      const now = timestamp(this.#context)
      const row = newRun(this.#context, task, {
        scheduledFor,
        dueAt: now,
        requestedAt: now,
        backfillId: lateBackfillId,
      })
      await this.#context.db.insertInto('task_runs').values(row).execute()
    }
    if (moments.length > 0) this.#context.tell('runs-requested', task.id)
    return moments.length
  }
}
