// Which boundaries have come, for all tasks at a moment. Pure: whoever asks moves the tasks on once the runs are in the
// catalog. While the service runs every boundary gets its run; those that came while it was down (or while the clock
// jumped) get theirs as the task's `catchUp` says: none, the last, or all up to a limit.

import type { DueRun, ScheduledUpTo } from '../catalog/tasks/run-queue.js'
import { orderNumbers } from '../catalog/tasks/task-runs.js'
import type { TaskSchedule } from '../catalog/tasks/task-schedule.js'
import { dueAfter, type ScheduledTask } from './known-tasks.js'

export interface Collected {
  readonly due: readonly DueRun[]
  readonly upTo: readonly ScheduledUpTo[]
  /** Boundaries that get no run, by task. */
  readonly skipped: readonly { readonly taskId: string; readonly count: number }[]
  readonly moved: readonly { readonly known: ScheduledTask; readonly latest: bigint }[]
}

export interface CollectOptions {
  readonly now: bigint
  /** What came before this moment came while nobody was there; undefined: somebody always was. */
  readonly downUntil: bigint | undefined
  /** Runs that are made up for at most, for one task. */
  readonly catchUpMax: number
}

/** Skipped boundaries are counted up to here. */
const countMax = 10_000

export function isDue({ dueAt }: ScheduledTask, now: bigint): boolean {
  return dueAt !== undefined && dueAt <= now
}

/** In the order in which runs of one moment begin: none may be there before what it has to wait for. */
export function dueTasks(tasks: Iterable<ScheduledTask>, now: bigint): ScheduledTask[] {
  const due: ScheduledTask[] = []
  for (const known of tasks) if (isDue(known, now)) due.push(known)
  return due.sort((a, b) => orderNumbers[a.kind] - orderNumbers[b.kind])
}

export function collectDue(
  tasks: Iterable<ScheduledTask>,
  { now, downUntil, catchUpMax }: CollectOptions,
): Collected {
  const due: DueRun[] = []
  const upTo: ScheduledUpTo[] = []
  const skipped: { taskId: string; count: number }[] = []
  const moved: { known: ScheduledTask; latest: bigint }[] = []
  for (const known of tasks) {
    const { task, schedule } = known
    if (!isDue(known, now)) continue
    const policy = downUntil === undefined ? 'all' : (task.body.catchUp ?? 'skip')
    const max = policy === 'all' ? catchUpMax : 1
    const found = lastBoundaries(schedule, known.latest, now, max)
    const latest = found[found.length - 1]
    if (latest === undefined) continue
    const runs = found.filter((boundary) => {
      const isMissed = downUntil !== undefined && schedule.dueAt(boundary) < downUntil
      return !isMissed || policy !== 'skip'
    })
    const runTask = { id: task.id, orgId: task.orgId, kind: known.kind }
    for (const boundary of runs) {
      due.push({ task: runTask, boundary, dueAt: schedule.dueAt(boundary) })
    }
    upTo.push({ taskId: task.id, boundary: latest })
    const count = countBoundaries(schedule, known.latest, latest) - runs.length
    if (count > 0) skipped.push({ taskId: task.id, count })
    moved.push({ known, latest })
  }
  return { due, upTo, skipped, moved }
}

export function moveOn({ moved }: Collected): void {
  for (const { known, latest } of moved) {
    known.latest = latest
    known.dueAt = dueAfter(known.schedule, latest)
  }
}

/** The last `max` boundaries later than `after` whose runs should have begun by `now`, in order. */
function lastBoundaries(
  schedule: TaskSchedule,
  after: bigint,
  now: bigint,
  max: number,
): readonly bigint[] {
  // Looks back further and further: years of seconds are not gone through to find the last one.
  const end = schedule.boundaryFor(now)
  for (let back = 1_000_000_000n; ; back *= 2n) {
    const isAll = end - back <= after
    const found = boundariesBetween(schedule, isAll ? after : end - back, now, max)
    if (isAll || found.length >= max) return found
  }
}

function boundariesBetween(
  schedule: TaskSchedule,
  after: bigint,
  now: bigint,
  max: number,
): bigint[] {
  const found: bigint[] = []
  for (let at = schedule.next(after); at !== undefined; at = schedule.next(at)) {
    if (schedule.dueAt(at) > now) break
    found.push(at)
    if (found.length > max) found.shift()
  }
  return found
}

function countBoundaries(schedule: TaskSchedule, after: bigint, upTo: bigint): number {
  let count = 0
  for (let at = schedule.next(after); at !== undefined && at <= upTo; at = schedule.next(at)) {
    if (++count >= countMax) break
  }
  return count
}
