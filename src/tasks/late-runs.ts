// Points that come late: of tasks with the option `late` the store is asked every few seconds which spans of their
// buckets have changed, and boundaries that had their run before the change, and whose interval it touches, are run
// again, behind everything that the schedule asks for. How far that has come is kept in the catalog; after a crash,
// where nobody knows what came last, all boundaries within `late` are run again.

import { parseDuration, roughNs } from '../catalog/base/durations.js'
import { parseTimestamp } from '../catalog/base/timestamps.js'
import type { Catalog } from '../catalog/catalog.js'
import type { LateMark } from '../catalog/tasks/late-marks.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../service/base/log.js'
import type { Change, Store } from '../store/store.js'
import type { ScheduledTask } from './known-tasks.js'

export interface LateRunsOptions {
  readonly catalog: Catalog
  readonly store: Pick<Store, 'changes'>
  readonly clock: Clock
  readonly log: Log
}

const lookMs = 5000
/** Boundaries of one task that are run again at a time; the latest of them where there are more. */
const boundariesMax = 10_000

export class LateRuns {
  readonly #options: LateRunsOptions
  #tasks: () => Iterable<ScheduledTask> = () => []
  /** Tasks that this process has looked at. */
  readonly #begun = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: LateRunsOptions) {
    this.#options = options
  }

  start(tasks: () => Iterable<ScheduledTask>): void {
    this.#tasks = tasks
    this.#timer = setInterval(() => void this.look(), lookMs).unref()
  }

  /** Nothing is looked at any more until `finish`. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** When nobody writes any more: the next process knows that nothing has changed in between. */
  async finish(): Promise<void> {
    if (this.#timer !== undefined) await this.look(true)
  }

  look(isLast = false): Promise<void> {
    const { log } = this.#options
    this.#looking = this.#looking.then(async () => {
      for (const known of this.#tasks()) {
        if (known.task.body.late === undefined || known.task.body.status !== 'active') continue
        try {
          await this.#lookAt(known, isLast)
        } catch (error) {
          const fields = { taskId: known.task.id, error: (error as Error).message }
          log('error', 'late points of a task cannot be looked for', fields)
        }
      }
    })
    return this.#looking
  }

  async #lookAt(known: ScheduledTask, isLast: boolean): Promise<void> {
    const { catalog, log } = this.#options
    const { task, kind } = known
    const before = await catalog.tasks.lateMarks.of(task.id)
    const { seenAt, changes } = await this.#changes(known, before)
    const boundaries = touchedBoundaries(known, changes, this.#options.clock.now())
    const count = await catalog.inTransaction(async ({ tasks }) => {
      await tasks.lateMarks.set(task.id, { seenAt, isClosed: isLast })
      const runTask = { id: task.id, orgId: task.orgId, kind }
      return boundaries.length === 0 ? 0 : tasks.lateMarks.runAgain(runTask, boundaries)
    })
    if (count > 0) log('info', 'runs are repeated for late points', { taskId: task.id, count })
  }

  async #changes(
    { task }: ScheduledTask,
    before: LateMark | undefined,
  ): Promise<{ readonly seenAt: bigint; readonly changes: readonly Change[] }> {
    const { catalog, store, clock } = this.#options
    const buckets = await catalog.tasks.lateSources.bucketIds(task.orgId, task.body)
    const now = clock.now()
    const isFirst = !this.#begun.has(task.id)
    this.#begun.add(task.id)
    // All are watched before the first answer counts: from then on no moment is missing for any of them.
    for (const id of isFirst ? buckets : []) await store.changes(id, now)
    // A task that is new to it begins now; and what came while nobody ran is nothing.
    const isBeginning = before === undefined || (isFirst && before.isClosed)
    let seenAt: bigint | undefined
    const changes: Change[] = []
    for (const id of buckets) {
      const found = await store.changes(id, before?.seenAt ?? now)
      if (seenAt === undefined || found.until < seenAt) seenAt = found.until
      if (isBeginning) continue
      changes.push(...found.changes)
      if (found.knownSince > before.seenAt) changes.push(anything(task.body.late, found.until))
    }
    return { seenAt: seenAt ?? now, changes }
  }
}

/** Nobody knows what has changed. */
function anything(late: string | undefined, now: bigint): Change {
  return { range: { start: now - lateNs(late), stop: now }, at: now }
}

function lateNs(late: string | undefined): bigint {
  const duration = late === undefined ? undefined : parseDuration(late)
  return duration === undefined ? 0n : roughNs(duration)
}

/**
 * Boundaries whose run was due before a change of the interval in front of them: that run has not seen it. Only those
 * that had one, since the task was switched on, and within `late`.
 */
export function touchedBoundaries(
  { task, schedule, latest }: Pick<ScheduledTask, 'task' | 'schedule' | 'latest'>,
  changes: readonly Change[],
  now: bigint,
): bigint[] {
  const active = parseTimestamp(task.body.activeSince)
  const oldest = now - lateNs(task.body.late)
  const from = active > oldest ? active : oldest
  const touched = new Set<bigint>()
  for (const { range, at } of changes) {
    if (range.stop <= from) continue
    let boundary = schedule.next(range.start > from ? range.start : from)
    while (boundary !== undefined && boundary <= latest && schedule.dueAt(boundary) <= at) {
      touched.add(boundary)
      if (boundary >= range.stop || touched.size > 2 * boundariesMax) break
      boundary = schedule.next(boundary)
    }
  }
  const inOrder = [...touched].sort((a, b) => (a < b ? -1 : 1))
  return inOrder.slice(-boundariesMax)
}
