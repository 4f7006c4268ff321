// Backfills: a task run once for every boundary of a span of the past. The catalog remembers how far each has come,
// so that it goes on after a restart; of the runs only as many are made at a time as may be under way, and those that
// the schedule asks for come first. Ends are counted in the transaction that ends a run: each counts once.

import type { Selectable } from 'kysely'
import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import { newId } from '../base/ids.js'
import type { BackfillRow } from '../base/tables.js'
import { formatTimestamp, parseTimestamp } from '../base/timestamps.js'
import { newRun, type TaskRun, TaskRuns, unfinished, wholeSeconds } from './task-runs.js'
import { type ScheduleOptions, scheduleOf } from './task-schedule.js'

export type BackfillStatus = 'running' | 'paused' | 'done' | 'canceled'

export interface BackfillRequest {
  /** Boundaries from here on, and before `stop`. */
  readonly start: bigint
  readonly stop: bigint
  /** Runs under way at once; absent: as many as the task allows. */
  readonly concurrency?: number | undefined
}

export interface Backfill {
  readonly id: string
  readonly taskId: string
  readonly orgId: string
  readonly status: BackfillStatus
  readonly start: string
  readonly stop: string
  readonly concurrency: number
  /** Runs that it will have had in the end. */
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  /** Called off one by one, or with the whole. */
  readonly canceled: number
  /** Made, and not ended. */
  readonly underWay: number
  readonly lastError: string | undefined
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a backfill would do. */
export interface BackfillPlan {
  readonly concurrency: number
  readonly total: number
  readonly first: bigint
  readonly last: bigint
}

/** The task that is run, as far as it matters here. */
export interface BackfilledTask {
  readonly id: string
  readonly orgId: string
  readonly body: ScheduleOptions & { readonly status: string; readonly concurrency: number }
}

export const backfillRunsMax = 10_000
/** Ended ones that are remembered for a task. */
const endedKept = 20
const open: readonly BackfillStatus[] = ['running', 'paused']

/** Throws UserError where the span has no boundary, or too many. */
export function planBackfill(
  { body }: BackfilledTask,
  { start, stop, concurrency = body.concurrency }: BackfillRequest,
  now: bigint,
): BackfillPlan {
  if (body.status !== 'active') throw invalid('inactive task')
  if (start < 0n) throw invalid('start must not be before 1970')
  if (stop <= start) throw invalid('stop must be later than start')
  if (stop > now) throw invalid('stop must not be in the future')
  if (concurrency < 1 || concurrency > body.concurrency) {
    throw invalid(`concurrency must be between 1 and ${body.concurrency}, that of the task`)
  }
  const schedule = scheduleOf(body)
  const first = schedule.next(start - 1n)
  if (first === undefined || first >= stop) throw invalid('the task has no run in this span')
  let last = first
  let total = 1
  for (let at = schedule.next(last); at !== undefined && at < stop; at = schedule.next(at)) {
    if (++total > backfillRunsMax) {
      throw invalid(`the span has more than ${backfillRunsMax} runs of the task`)
    }
    last = at
  }
  return { concurrency, total, first, last }
}

export class Backfills {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** In a transaction. A task has one under way at most. */
  async create(task: BackfilledTask, request: BackfillRequest): Promise<Backfill> {
    const { db, clock, random, tell } = this.#context
    const plan = planBackfill(task, request, clock.now())
    const now = timestamp(this.#context)
    const { every, cron, offset, zone } = task.body
    const row: BackfillRow = {
      id: newId(random),
      task_id: task.id,
      org_id: task.orgId,
      status: 'running',
      start: formatTimestamp(request.start),
      stop: formatTimestamp(request.stop),
      schedule: JSON.stringify({ every, cron, offset, zone }),
      concurrency: plan.concurrency,
      next: wholeSeconds(plan.first),
      total: plan.total,
      made: 0,
      succeeded: 0,
      failed: 0,
      last_error: '',
      created_at: now,
      updated_at: now,
    }
    // The first statement takes the lock on the catalog: of two requests at once one finds the other's.
    await db.insertInto('backfills').values(row).execute()
    const others = await this.#rows(task.id)
    if (others.some(({ id, status }) => id !== row.id && open.includes(status as BackfillStatus))) {
      throw new UserError(
        'conflict',
        'failed to backfill: another backfill of the task is under way',
      )
    }
    const old = others.filter(({ id }) => id !== row.id).slice(endedKept)
    for (const { id } of old) await db.deleteFrom('backfills').where('id', '=', id).execute()
    tell('runs-requested', task.id)
    return backfillOf(row, 0)
  }

  /** The latest first. */
  async list(taskId: string): Promise<Backfill[]> {
    const rows = await this.#rows(taskId)
    return Promise.all(rows.map((row) => this.#shown(row)))
  }

  async require(taskId: string, id: string): Promise<Backfill> {
    return this.#shown(await this.#require(taskId, id))
  }

  /** In a transaction. Runs that are made already come to their end. */
  async pause(taskId: string, id: string): Promise<Backfill> {
    return this.#turn(taskId, id, 'running', 'paused')
  }

  /** In a transaction. */
  async resume(task: BackfilledTask, id: string): Promise<Backfill> {
    if (task.body.status !== 'active') throw invalid('inactive task')
    const resumed = await this.#turn(task.id, id, 'paused', 'running')
    this.#context.tell('runs-requested', task.id)
    return resumed
  }

  /** In a transaction. Stops its runs too. */
  async cancel(taskId: string, id: string): Promise<Backfill> {
    const { status } = await this.#require(taskId, id)
    if (!open.includes(status as BackfillStatus)) throw notNow(`the backfill is ${status}`)
    await this.#set(id, { status: 'canceled', next: null })
    const runs = new TaskRuns(this.#context)
    for (const runId of await this.#unfinished(taskId, id)) await runs.cancel(taskId, runId)
    return this.require(taskId, id)
  }

  /** In a transaction. A task that is not to run has no backfill that goes on. */
  async pauseOfTask(taskId: string): Promise<void> {
    await this.#context.db
      .updateTable('backfills')
      .set({ status: 'paused', updated_at: timestamp(this.#context) })
      .where('task_id', '=', taskId)
      .where('status', '=', 'running')
      .execute()
  }

  async deleteOfTask(taskId: string): Promise<void> {
    await this.#context.db.deleteFrom('backfills').where('task_id', '=', taskId).execute()
  }

  /** Ids of those that have fewer runs under way than they may have. */
  async hungry(): Promise<string[]> {
    const { db } = this.#context
    const rows = await db
      .selectFrom('backfills as b')
      .select('b.id')
      .where('b.status', '=', 'running')
      .where(
        ({ selectFrom }) =>
          selectFrom('task_runs as r')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('r.task_id', '=', 'b.task_id')
            .whereRef('r.backfill_id', '=', 'b.id')
            .where('r.status', 'in', unfinished),
        '<',
        ({ ref }) => ref('b.concurrency'),
      )
      .execute()
    return rows.map(({ id }) => id)
  }

  /** In a transaction. Counts runs that have just ended, and lets those follow that are next. */
  async ended(runs: readonly TaskRun[]): Promise<void> {
    const ids = new Set<string>()
    for (const { backfillId, status, error } of runs) {
      if (backfillId === '') continue
      ids.add(backfillId)
      if (status === 'canceled') continue
      const counter = status === 'success' ? 'succeeded' : 'failed'
      await this.#context.db
        .updateTable('backfills')
        .set(({ eb, ref }) => ({ [counter]: eb(ref(counter), '+', 1) }))
        .where('id', '=', backfillId)
        .execute()
      if (status === 'failed') await this.#set(backfillId, { last_error: error ?? '' })
    }
    await this.feed([...ids])
  }

  /** In a transaction. Makes the next runs of those that are running, or ends them. */
  async feed(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      // As the first statement it takes the lock: two processes do not make the same runs.
      const row = await this.#context.db
        .updateTable('backfills')
        .set({ updated_at: timestamp(this.#context) })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .returningAll()
        .executeTakeFirst()
      if (row !== undefined) await this.#feed(row)
    }
  }

  async #feed(row: Selectable<BackfillRow>): Promise<void> {
    const { db } = this.#context
    const schedule = scheduleOf(JSON.parse(row.schedule))
    const stop = parseTimestamp(row.stop)
    const task = { id: row.task_id, orgId: row.org_id, kind: 'task' } as const
    const now = timestamp(this.#context)
    let underWay = (await this.#unfinished(row.task_id, row.id)).length
    let { next, made } = row
    while (next !== null && underWay < row.concurrency) {
      const moment = { scheduledFor: next, dueAt: now, requestedAt: now, backfillId: row.id }
      await db
        .insertInto('task_runs')
        .values(newRun(this.#context, task, moment))
        .execute()
      made++
      underWay++
      const following = schedule.next(parseTimestamp(next))
      next = following === undefined || following >= stop ? null : wholeSeconds(following)
    }
    await this.#set(row.id, { next, made, status: underWay === 0 ? 'done' : row.status })
  }

  async #rows(taskId: string): Promise<Selectable<BackfillRow>[]> {
    return this.#context.db
      .selectFrom('backfills')
      .selectAll()
      .where('task_id', '=', taskId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
  }

  async #require(taskId: string, id: string): Promise<Selectable<BackfillRow>> {
    const row = await this.#context.db
      .selectFrom('backfills')
      .selectAll()
      .where('id', '=', id)
      .where('task_id', '=', taskId)
      .executeTakeFirst()
    if (row === undefined) throw new UserError('not found', 'backfill not found')
    return row
  }

  async #turn(
    taskId: string,
    id: string,
    from: BackfillStatus,
    to: BackfillStatus,
  ): Promise<Backfill> {
    const { status } = await this.#require(taskId, id)
    if (status !== from) throw notNow(`the backfill is ${status}, not ${from}`)
    await this.#set(id, { status: to })
    return this.require(taskId, id)
  }

  async #set(id: string, change: Partial<BackfillRow>): Promise<void> {
    await this.#context.db
      .updateTable('backfills')
      .set({ ...change, updated_at: timestamp(this.#context) })
      .where('id', '=', id)
      .execute()
  }

  async #unfinished(taskId: string, id: string): Promise<string[]> {
    const rows = await this.#context.db
      .selectFrom('task_runs')
      .select('id')
      .where('task_id', '=', taskId)
      .where('backfill_id', '=', id)
      .where('status', 'in', unfinished)
      .execute()
    return rows.map((run) => run.id)
  }

  async #shown(row: Selectable<BackfillRow>): Promise<Backfill> {
    return backfillOf(row, (await this.#unfinished(row.task_id, row.id)).length)
  }
}

function backfillOf(row: Selectable<BackfillRow>, underWay: number): Backfill {
  const { made, succeeded, failed } = row
  return {
    id: row.id,
    taskId: row.task_id,
    orgId: row.org_id,
    status: row.status as BackfillStatus,
    start: row.start,
    stop: row.stop,
    concurrency: row.concurrency,
    total: row.total,
    succeeded,
    failed,
    canceled: made - underWay - succeeded - failed,
    underWay,
    lastError: row.last_error || undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function invalid(reason: string): UserError {
  return new UserError('invalid', `failed to backfill: ${reason}`)
}

function notNow(reason: string): UserError {
  return new UserError('conflict', reason)
}
