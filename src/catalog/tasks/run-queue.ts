// The runs of tasks as those see them that execute them, one or several processes over one catalog. A process (runner)
// lives by a lease that it renews; it claims runs, and what it has claimed is free again when its lease is over. Every
// change is fenced by the lease: it happens in a transaction whose first statement renews or checks it, so that of two
// processes that take themselves for the holder only one gets through.

import { type RawBuilder, sql } from 'kysely'
import { type CatalogContext, timestamp } from '../base/context.js'
import { listParameter, rowsParameter } from '../base/dialect.js'
import { newId } from '../base/ids.js'
import type { TaskRunRow } from '../base/tables.js'
import { formatTimestamp } from '../base/timestamps.js'
import { Backfills } from './backfills.js'
import {
  detailOf,
  newRun,
  orderNumbers,
  type RunDetail,
  type RunTask,
  runOf,
  type TaskRun,
  unfinished,
  wholeSeconds,
} from './task-runs.js'
import { stateAfter, TaskStates } from './task-states.js'

/** A boundary that has come, with the moment at which its run is to begin. */
export interface DueRun {
  readonly task: RunTask
  readonly boundary: bigint
  readonly dueAt: bigint
}

/** Boundaries of a task up to here are dealt with, with or without a run. */
export interface ScheduledUpTo {
  readonly taskId: string
  readonly boundary: bigint
}

export interface Claim {
  readonly limit: number
  /** Tasks that have as many runs under way as they may have. */
  readonly busyTasks: readonly string[]
}

export interface LimitedRun {
  readonly id: string
  readonly front: number
}

/** Waiting runs that are told how many are in front of them. */
const limitedMax = 50
/** Ended runs of a task that the catalog keeps for lists. */
const endedRunsKept = 20

export class RunQueue {
  readonly #context: CatalogContext
  readonly #states: TaskStates
  readonly #backfills: Backfills

  constructor(context: CatalogContext) {
    this.#context = context
    this.#states = new TaskStates(context)
    this.#backfills = new Backfills(context)
  }

  /** The id of a new runner, whose lease must be renewed before it is over. */
  async join(leaseNs: bigint): Promise<string> {
    const id = newId(this.#context.random)
    const row = { id, beat_at: timestamp(this.#context), until: this.#in(leaseNs) }
    await this.#context.db.insertInto('task_runners').values(row).execute()
    return id
  }

  /** When a runner of any process was last heard of; undefined: never. */
  async lastBeat(): Promise<string | undefined> {
    const row = await this.#context.db
      .selectFrom('task_runners')
      .select(({ fn }) => fn.max('beat_at').as('beat_at'))
      .executeTakeFirst()
    return row?.beat_at ?? undefined
  }

  /** The latest moment at which a run is known to have begun. */
  async lastStart(): Promise<string | undefined> {
    const row = await this.#context.db
      .selectFrom('task_runs')
      .select(({ fn }) => fn.max('started_at').as('started_at'))
      .executeTakeFirst()
    return row?.started_at ?? undefined
  }

  /**
   * False: the lease was over, and others may have what it held; whoever is alone keeps it all the same. Also takes the
   * lock on the catalog.
   */
  async renew(runnerId: string, leaseNs: bigint, isAlone = false): Promise<boolean> {
    const now = timestamp(this.#context)
    let update = this.#context.db
      .updateTable('task_runners')
      .set({ beat_at: now, until: this.#in(leaseNs) })
      .where('id', '=', runnerId)
    if (!isAlone) update = update.where('until', '>', now)
    return (await update.executeTakeFirst()).numUpdatedRows > 0n
  }

  /** Gives back what it holds. */
  async leave(runnerId: string): Promise<void> {
    await this.#release(runnerId)
    // The row stays until others sweep it: it tells when somebody was last here.
    const now = timestamp(this.#context)
    await this.#context.db
      .updateTable('task_runners')
      .set({ beat_at: now, until: now })
      .where('id', '=', runnerId)
      .execute()
  }

  /**
   * Frees the runs of runners whose lease is over, or, for whoever knows to be alone, of all others. Answers with how
   * many there were: they are executed again, under the same ids.
   */
  async takeOver(runnerId: string, isAlone: boolean): Promise<number> {
    const { db } = this.#context
    let lost = db.selectFrom('task_runners').select('id').where('id', '!=', runnerId)
    if (!isAlone) lost = lost.where('until', '<=', timestamp(this.#context))
    let count = 0
    for (const { id } of await lost.execute()) {
      count += await this.#release(id)
      await db.deleteFrom('task_runners').where('id', '=', id).execute()
    }
    return count
  }

  async #release(runnerId: string): Promise<number> {
    const { numUpdatedRows } = await this.#context.db
      .updateTable('task_runs')
      .set({ holder: '', status: 'scheduled' })
      .where('holder', '=', runnerId)
      .where('status', 'in', unfinished)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }

  /**
   * In a transaction that began with `renew`. Makes the runs of boundaries that nobody has dealt with yet, and
   * remembers how far each task is: a boundary has one run, however many processes look at it.
   */
  async schedule(due: readonly DueRun[], upTo: readonly ScheduledUpTo[]): Promise<TaskRun[]> {
    const states = await this.#states.ofAll(upTo.map(({ taskId }) => taskId))
    const isNew = (taskId: string, boundary: bigint) => {
      const latest = states.get(taskId)?.latestScheduled
      return latest === undefined || latest.slice(0, 19) < wholeSeconds(boundary).slice(0, 19)
    }
    const rows = due
      .filter(({ task, boundary }) => isNew(task.id, boundary))
      .map(({ task, boundary, dueAt }) =>
        newRun(this.#context, task, {
          scheduledFor: wholeSeconds(boundary),
          dueAt: formatTimestamp(dueAt),
        }),
      )
    await this.#insert(rows)
    const moved = upTo.filter(({ taskId, boundary }) => isNew(taskId, boundary))
    for (const { taskId, boundary } of moved) {
      const latestScheduled = wholeSeconds(boundary)
      states.set(taskId, { ...states.get(taskId), latestScheduled })
    }
    await this.#states.save(states)
    return rows.map(runOf)
  }

  async #insert(rows: readonly TaskRunRow[]): Promise<void> {
    const { db } = this.#context
    const columns = sql.join(runColumns.map((column) => sql.ref(column)))
    const made = rowsParameter(db, 'task_runs', runColumns, rows)
    await sql`INSERT INTO task_runs (${columns}) SELECT ${columns} FROM ${made} AS made`.execute(db)
  }

  /**
   * Claims what is next: the earliest moment first, of each task the earliest run and only that, nothing of a task that
   * another runner is at, and a rule only when no check of its organization and moment is left. What backfills ask
   * for is next when nothing else can be begun.
   */
  async claim(runnerId: string, claim: Claim): Promise<TaskRun[]> {
    const runs = await this.#claim(runnerId, claim, sql`r.backfill_id = ''`)
    return runs.length > 0 ? runs : this.#claim(runnerId, claim, sql`r.backfill_id <> ''`)
  }

  async #claim(
    runnerId: string,
    { limit, busyTasks }: Claim,
    condition: RawBuilder<unknown>,
  ): Promise<TaskRun[]> {
    const now = timestamp(this.#context)
    const busy =
      busyTasks.length === 0
        ? sql``
        : sql`AND r.task_id NOT IN ${listParameter(this.#context.db, busyTasks)}`
    const { rows } = await sql<TaskRunRow>`
      UPDATE task_runs SET holder = ${runnerId} WHERE id IN (
        SELECT r.id FROM task_runs r
        WHERE r.status = 'scheduled' AND r.holder = '' AND r.due_at <= ${now} ${busy} AND ${condition}
        AND (r.kind <> 'rule' OR NOT EXISTS (
          SELECT 1 FROM task_runs c WHERE c.status IN ('scheduled', 'started') AND c.kind = 'check'
          AND c.org_id = r.org_id AND c.scheduled_for <= r.scheduled_for))
        AND NOT EXISTS (
          SELECT 1 FROM task_runs o WHERE o.task_id = r.task_id
          AND o.status IN ('scheduled', 'started') AND o.holder NOT IN ('', ${runnerId}))
        AND NOT EXISTS (
          SELECT 1 FROM task_runs e WHERE e.task_id = r.task_id AND e.status = 'scheduled'
          AND e.holder = '' AND e.backfill_id = r.backfill_id AND (e.scheduled_for < r.scheduled_for
            OR (e.scheduled_for = r.scheduled_for AND e.id < r.id)))
        ORDER BY r.scheduled_for, r.order_number, r.id LIMIT ${limit})
      AND EXISTS (SELECT 1 FROM task_runners WHERE id = ${runnerId} AND until > ${now})
      RETURNING *`.execute(this.#context.db)
    return rows.map(runOf).sort(inOrder)
  }

  /** Runs that are due and not begun of tasks that may have no more under way, with how many are in front of each. */
  async limited(taskIds: readonly string[]): Promise<LimitedRun[]> {
    if (taskIds.length === 0) return []
    const { rows } = await sql<{ readonly id: string; readonly front: number }>`
      SELECT r.id, (SELECT count(*) FROM task_runs o WHERE o.task_id = r.task_id AND (o.status = 'started'
        OR o.holder <> '' OR (o.status = 'scheduled' AND o.due_at <= ${timestamp(this.#context)}
        AND o.scheduled_for < r.scheduled_for))) AS front
      FROM task_runs r WHERE r.task_id IN ${listParameter(this.#context.db, taskIds)} AND r.status = 'scheduled'
        AND r.holder = '' AND r.backfill_id = '' AND r.due_at <= ${timestamp(this.#context)}
      ORDER BY r.scheduled_for LIMIT ${limitedMax}`.execute(this.#context.db)
    return rows.map(({ id, front }) => ({ id, front: Number(front) }))
  }

  /** Adds a line to the logs of runs that are still waiting. */
  async note(notes: ReadonlyMap<string, string>): Promise<void> {
    const time = timestamp(this.#context)
    const { db } = this.#context
    for (const [id, message] of notes) {
      const row = await db
        .selectFrom('task_runs')
        .select('detail')
        .where('id', '=', id)
        .executeTakeFirst()
      if (row === undefined) continue
      const detail: RunDetail = JSON.parse(row.detail)
      const log = [...detail.log, { time, message }]
      await db
        .updateTable('task_runs')
        .set({ detail: JSON.stringify({ ...detail, log }) })
        .where('id', '=', id)
        .where('detail', '=', row.detail)
        .where('status', '=', 'scheduled')
        .where('holder', '=', '')
        .execute()
    }
  }

  /** Whether anything waits that could be claimed by and by. */
  async hasWaiting(): Promise<boolean> {
    const row = await this.#context.db
      .selectFrom('task_runs')
      .select('id')
      .where('status', '=', 'scheduled')
      .where('holder', '=', '')
      .where('due_at', '<=', timestamp(this.#context))
      .executeTakeFirst()
    return row !== undefined
  }

  /** Of those that it holds: which somebody wants stopped, and which are gone with their task. */
  async stopped(runnerId: string, runIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.#context.db
      .selectFrom('task_runs')
      .select(['id', 'is_canceled'])
      .where('holder', '=', runnerId)
      .execute()
    const going = new Set(rows.filter((row) => row.is_canceled === 0).map(({ id }) => id))
    return new Set(runIds.filter((id) => !going.has(id)))
  }

  /**
   * In a transaction. Changes runs that the runner holds: they began, they wait for another attempt, they ended.
   * Answers with those it did hold; of others nothing is kept.
   */
  async save(runnerId: string, runs: readonly TaskRun[]): Promise<TaskRun[]> {
    if (runs.length === 0) return []
    const changes = rowsParameter(
      this.#context.db,
      'task_runs',
      changedColumns,
      runs.map((run) => changeOf(run, runnerId)),
    )
    const { rows } = await sql<{ readonly id: string }>`
      UPDATE task_runs SET status = c.status, due_at = c.due_at, started_at = c.started_at,
        finished_at = c.finished_at, holder = c.holder, attempt = c.attempt, detail = c.detail
      FROM ${changes} AS c WHERE task_runs.id = c.id AND task_runs.holder = ${runnerId}
      RETURNING task_runs.id`.execute(this.#context.db)
    const ids = new Set(rows.map(({ id }) => id))
    const saved = runs.filter(({ id }) => ids.has(id))
    await this.#end(saved.filter(({ status }) => !unfinished.includes(status)))
    return saved
  }

  async #end(ended: readonly TaskRun[]): Promise<void> {
    const states = await this.#states.ofAll([...new Set(ended.map(({ taskId }) => taskId))])
    for (const run of ended) states.set(run.taskId, stateAfter(states.get(run.taskId) ?? {}, run))
    await this.#states.save(states)
    await this.#backfills.ended(ended)
  }

  /** Ended, and not known to be in the bucket of ended runs. `taskId` absent: of all tasks. */
  async unrecorded(limit: number, taskId?: string): Promise<TaskRun[]> {
    let query = this.#context.db
      .selectFrom('task_runs')
      .selectAll()
      .where('status', 'in', ['success', 'failed', 'canceled'])
      .where('is_recorded', '=', 0)
    if (taskId !== undefined) query = query.where('task_id', '=', taskId)
    const rows = await query.orderBy('id').limit(limit).execute()
    return rows.map(runOf)
  }

  /** In a transaction. Of each task only the last ones stay here. */
  async recorded(runs: readonly TaskRun[]): Promise<void> {
    if (runs.length === 0) return
    const { db } = this.#context
    const ids = listParameter(
      db,
      runs.map(({ id }) => id),
    )
    await db.updateTable('task_runs').set({ is_recorded: 1 }).where('id', 'in', ids).execute()
    const taskIds = listParameter(db, [...new Set(runs.map(({ taskId }) => taskId))])
    await sql`DELETE FROM task_runs WHERE is_recorded = 1 AND id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY task_id ORDER BY id DESC) AS age FROM task_runs
        WHERE task_id IN ${taskIds} AND status IN ('success', 'failed', 'canceled')) AS ended
      WHERE age > ${endedRunsKept})`.execute(db)
  }

  #in(ns: bigint): string {
    return formatTimestamp(this.#context.clock.now() + ns)
  }
}

const runColumns = [
  'id',
  'task_id',
  'org_id',
  'kind',
  'order_number',
  'scheduled_for',
  'due_at',
  'status',
  'requested_at',
  'started_at',
  'finished_at',
  'holder',
  'attempt',
  'is_canceled',
  'is_recorded',
  'backfill_id',
  'detail',
  'created_at',
] as const satisfies readonly (keyof TaskRunRow)[]

const changedColumns = [
  'id',
  'status',
  'due_at',
  'started_at',
  'finished_at',
  'holder',
  'attempt',
  'detail',
] as const satisfies readonly (keyof TaskRunRow)[]

function changeOf(
  run: TaskRun,
  runnerId: string,
): Pick<TaskRunRow, (typeof changedColumns)[number]> {
  return {
    id: run.id,
    status: run.status,
    due_at: run.dueAt,
    started_at: run.startedAt ?? null,
    finished_at: run.finishedAt ?? null,
    holder: run.status === 'started' ? runnerId : '',
    attempt: run.attempt,
    detail: JSON.stringify(detailOf(run)),
  }
}

function inOrder(a: TaskRun, b: TaskRun): number {
  if (a.scheduledFor !== b.scheduledFor) return a.scheduledFor < b.scheduledFor ? -1 : 1
  return orderNumbers[a.kind] - orderNumbers[b.kind] || (a.id < b.id ? -1 : 1)
}
