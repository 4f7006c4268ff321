// Runs tasks: sees which boundaries have come, claims runs in the catalog, executes a few at a time, and has what
// becomes of them written down. Several processes may do so over one catalog. What a task does is its executor's.

import { parseTimestamp } from '../catalog/base/timestamps.js'
import type { Catalog } from '../catalog/catalog.js'
import type { TaskRun } from '../catalog/tasks/task-runs.js'
import type { TaskState } from '../catalog/tasks/task-states.js'
import type { Clock } from '../platform/clock.js'
import type { StatisticsModule } from '../query/statistics.js'
import type { Log } from '../service/base/log.js'
import type { TaskExecutors } from './executor.js'
import { KnownTasks, type ScheduledTask } from './known-tasks.js'
import { RunExecution } from './run-execution.js'
import { RunRecorder } from './run-recorder.js'
import { type Collected, collectDue, dueTasks, moveOn } from './scheduler.js'
import { TaskFigures } from './task-figures.js'

export interface TaskRunnerOptions {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly executors: TaskExecutors
  /** Puts ended runs into the buckets of their organizations. May be called again with the same. */
  readonly keep: (runs: readonly TaskRun[]) => Promise<void>
  readonly concurrentMax: number
  /** Of a run whose task says nothing; 0: no limit. */
  readonly timeoutSeconds: number
  readonly catchUpMax: number
  /** Whether nobody else uses the catalog: then what a process of before has left is taken over at once. */
  readonly isAlone: boolean
  /** Called before each thing that takes a moment: resolves when people have been served. */
  readonly giveWay?: () => Promise<void>
  readonly log: Log
}

/** A process that was not heard of for so long has lost what it claimed; a shorter silence counts as none. */
export const leaseNs = 30_000_000_000n
const beatNs = leaseNs / 3n
/** How often the clock is looked at, at least. */
const tickMsMax = 1000
const tickNsMax = 1_000_000_000n
/** Tasks whose boundaries are dealt with in one transaction: a few milliseconds. */
const scheduledMax = 100
/** Runs that are claimed ahead of their turn: a claim is a commit. */
const claimedMax = 32

export class TaskRunner {
  readonly #options: TaskRunnerOptions
  readonly #known: KnownTasks
  readonly #recorder: RunRecorder
  readonly #figures = new TaskFigures()
  readonly #running = new Map<string, RunExecution>()
  /** Ended, and not yet written down: the task of each. */
  readonly #settling = new Map<string, string>()
  /** One for each run under way: it has ended and that is written down. */
  readonly #ending = new Set<Promise<void>>()
  /** Tasks whose runs somebody asked for or called off. */
  readonly #requested = new Set<string>()
  #claimed: TaskRun[] = []
  /** By run that waits for others of its task: how many it was told are in front. */
  #fronts: ReadonlyMap<string, number> = new Map()
  #claimedStates: ReadonlyMap<string, TaskState> = new Map()
  #id = ''
  /** When the clock was last looked at, here or by a process of before. */
  #lastLook: bigint | undefined
  #renewedAt = 0n
  #lastStart = 0n
  #isStopping = false
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #filling: Promise<void> | undefined
  #isMoreToFill = false

  constructor(options: TaskRunnerOptions) {
    const { catalog, clock, keep, giveWay, log } = options
    this.#options = options
    this.#known = new KnownTasks(catalog, clock, this.#figures, log)
    const isMoreToCome = () => this.#claimed.length > 0
    this.#recorder = new RunRecorder({ catalog, keep, giveWay, isMoreToCome, log })
  }

  start(): void {
    const { catalog, clock } = this.#options
    catalog.on('runs-requested', (taskId) => {
      this.#requested.add(taskId)
      this.#wake(0)
    })
    catalog.on('tasks-changed', () => this.#wake(0))
    catalog.on('continuous-queries-changed', () => this.#wake(0))
    clock.onSet?.(() => this.#wake(0))
    this.#wake(0)
  }

  /** Runs under way are stopped and executed again at the next start, or by another process. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#ticking
    for (const execution of this.#running.values()) execution.abandon()
    await this.idle()
    if (this.#id === '') return
    const { catalog, log } = this.#options
    await catalog.tasks.queue.leave(this.#id).catch((error: unknown) => {
      log('warn', 'claimed runs of tasks are free only when their lease is over', { error })
    })
  }

  /** As it knows them. */
  tasks(): Iterable<ScheduledTask> {
    return this.#known.all()
  }

  /** In Prometheus' text form. */
  metrics(): string {
    const { clock, concurrentMax } = this.#options
    const busy = this.#running.size / concurrentMax
    return this.#figures.text(clock.now(), { busy, waiting: this.#claimed.length / claimedMax })
  }

  statistics(): StatisticsModule {
    return this.#figures.continuousQueries()
  }

  /** Resolves when nothing that was claimed is left to do. */
  async idle(): Promise<void> {
    while (this.#ending.size > 0 || this.#filling !== undefined) {
      await Promise.all(this.#ending)
      await this.#filling
    }
    await this.#recorder.flush()
    await this.#recorder.flush()
  }

  /** One look at the clock; those that come while one is under way wait for it. */
  tick(): Promise<void> {
    this.#ticking = this.#ticking
      .then(() => this.#tick())
      .catch((error: Error) => {
        this.#figures.scheduleFailed()
        this.#options.log('error', 'tasks cannot be run', { error: error.message })
      })
    return this.#ticking
  }

  #wake(afterMs: number): void {
    if (this.#isStopping) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.tick().then(() => this.#wake(this.#untilNextMs()))
    }, afterMs)
    this.#timer.unref()
  }

  #untilNextMs(): number {
    const now = this.#options.clock.now()
    let waitMs = tickMsMax
    for (const { dueAt } of this.#known.all()) {
      if (dueAt === undefined || dueAt - now >= tickNsMax) continue
      waitMs = Math.min(waitMs, Math.max(Number((dueAt - now) / 1_000_000n) + 1, 1))
    }
    return waitMs
  }

  async #tick(): Promise<void> {
    if (this.#isStopping) return
    await this.#keepLease()
    await this.#known.refresh()
    await this.#schedule()
    await this.#stopCanceled()
    await this.#feedBackfills()
    await this.#fill()
    await this.#noteLimited()
  }

  /** Runs that wait because their task may have no more under way say so, in words that InfluxDB's users know. */
  async #noteLimited(): Promise<void> {
    const { queue } = this.#options.catalog.tasks
    const limited = await queue.limited(this.#busyTasks())
    const fronts = new Map(limited.map(({ id, front }) => [id, front]))
    const told = [...fronts].filter(([id, front]) => this.#fronts.get(id) !== front)
    this.#fronts = fronts
    const reason = 'could not execute task, concurrency limit reached, runs in front'
    await queue.note(new Map(told.map(([id, n]) => [id, `Task limit reached: ${reason}: ${n}`])))
  }

  async #keepLease(): Promise<void> {
    const { catalog, clock, isAlone } = this.#options
    const now = clock.now()
    const { queue } = catalog.tasks
    if (this.#id === '') return this.#join()
    const isDue = now >= this.#renewedAt + beatNs || now < this.#renewedAt
    if (!isDue) return
    if (!(await queue.renew(this.#id, leaseNs, isAlone))) return this.#lost()
    this.#renewedAt = now
    await queue.takeOver(this.#id, isAlone)
  }

  async #join(): Promise<void> {
    const { catalog, clock, isAlone, log } = this.#options
    const { queue } = catalog.tasks
    const lastBeat = await queue.lastBeat()
    this.#lastLook = lastBeat === undefined ? undefined : parseTimestamp(lastBeat)
    this.#id = await queue.join(leaseNs)
    this.#renewedAt = clock.now()
    const lastStart = await queue.lastStart()
    if (lastStart !== undefined) this.#lastStart = parseTimestamp(lastStart)
    this.#recorder.runnerId = this.#id
    const count = await queue.takeOver(this.#id, isAlone)
    this.#figures.resumed(count)
    if (count > 0) log('info', 'runs of tasks are executed again', { count })
    await this.#recorder.keepLeft()
  }

  /** Others may be at what this one held: nothing of it counts any more. */
  async #lost(): Promise<void> {
    for (const execution of this.#running.values()) execution.abandon()
    await Promise.all(this.#ending)
    this.#claimed = []
    await this.#join()
  }

  async #schedule(): Promise<void> {
    const { clock, catchUpMax, giveWay } = this.#options
    const now = clock.now()
    const before = this.#lastLook
    const isGap = before === undefined || now - before > leaseNs
    const downUntil = isGap ? now : undefined
    const due = dueTasks(this.#known.all(), now)
    for (let at = 0; at < due.length; at += scheduledMax) {
      const part = due.slice(at, at + scheduledMax)
      // Without the lease nothing is scheduled: the next look at the clock gets a new one first.
      if (!(await this.#scheduleThese(collectDue(part, { now, downUntil, catchUpMax })))) return
      await giveWay?.()
    }
    this.#lastLook = now
  }

  async #scheduleThese(collected: Collected): Promise<boolean> {
    const { catalog, isAlone, log } = this.#options
    if (collected.upTo.length === 0) return true
    const isDone = await catalog.inTransaction(async ({ tasks: { queue } }) => {
      if (!(await queue.renew(this.#id, leaseNs, isAlone))) return false
      await queue.schedule(collected.due, collected.upTo)
      return true
    })
    if (!isDone) return false
    moveOn(collected)
    const skipped = collected.skipped.reduce((sum, { count }) => sum + count, 0)
    this.#figures.scheduled(collected.due.length, skipped)
    for (const { taskId, count } of collected.skipped) {
      log('info', 'runs of a task were skipped', { taskId, count })
    }
    return true
  }

  async #stopCanceled(): Promise<void> {
    for (const taskId of this.#requested) {
      this.#requested.delete(taskId)
      await this.#recorder.keepLeft(taskId)
    }
    if (this.#running.size === 0) return
    const ids = [...this.#running.keys()]
    const stopped = await this.#options.catalog.tasks.queue.stopped(this.#id, ids)
    for (const id of stopped) this.#running.get(id)?.cancel()
  }

  async #feedBackfills(): Promise<void> {
    const { catalog } = this.#options
    const ids = await catalog.tasks.backfills.hungry()
    if (ids.length > 0) await catalog.inTransaction(({ tasks }) => tasks.backfills.feed(ids))
  }

  /** Begins runs while there are any and places for them. One at a time does so. */
  #fill(): Promise<void> {
    const { log } = this.#options
    this.#isMoreToFill = true
    this.#filling ??= this.#fillAll()
      .catch((error: Error) => log('error', 'runs cannot be begun', { error: error.message }))
      .finally(() => {
        this.#filling = undefined
      })
    return this.#filling
  }

  async #fillAll(): Promise<void> {
    const { concurrentMax, giveWay } = this.#options
    // A place that falls free while this is about to end must not be overlooked.
    while (this.#isMoreToFill) {
      this.#isMoreToFill = false
      while (!this.#isStopping && this.#running.size < concurrentMax) {
        if (this.#claimed.length === 0) await this.#claim()
        const run = this.#claimed.shift()
        if (run === undefined) break
        await giveWay?.()
        await this.#begin(run)
      }
    }
  }

  /** Tasks that have as many runs under way as they may have. */
  #busyTasks(): string[] {
    const counts = new Map<string, number>()
    const running = [...this.#running.values()].map(({ taskId }) => taskId)
    for (const taskId of [...running, ...this.#settling.values()]) {
      counts.set(taskId, (counts.get(taskId) ?? 0) + 1)
    }
    return [...counts.keys()].filter((id) => {
      const { concurrency = 1 } = this.#known.get(id)?.task.body ?? {}
      return (counts.get(id) ?? 0) >= concurrency
    })
  }

  async #claim(): Promise<void> {
    const busyTasks = this.#busyTasks()
    const { queue, states } = this.#options.catalog.tasks
    this.#claimed = await queue.claim(this.#id, { limit: claimedMax, busyTasks })
    // No run of theirs is under way that another has to wait for: what they go on from stays as it is.
    this.#claimedStates = await states.ofAll(this.#claimed.map(({ taskId }) => taskId))
  }

  async #begin(run: TaskRun): Promise<void> {
    const { catalog, executors, clock, timeoutSeconds, log } = this.#options
    const task =
      this.#known.get(run.taskId)?.task ?? (await catalog.tasks.records.findById(run.taskId))
    if (task === undefined) return
    const latestSuccess = this.#claimedStates.get(task.id)?.latestSuccess
    const execution = new RunExecution({
      task,
      run,
      executor: executors[run.kind],
      lastSuccess: successBefore(run, latestSuccess),
      clock,
      startedNs: this.#newStart(),
      timeoutSeconds,
      figures: this.#figures,
      changed: (changed) => this.#recorder.changed(changed),
      log,
    })
    this.#running.set(run.id, execution)
    const over = this.#afterwards(run, execution).finally(() => this.#ending.delete(over))
    this.#ending.add(over)
  }

  /** No two runs begin at the same moment: it names their points in the bucket. */
  #newStart(): bigint {
    const now = this.#options.clock.now()
    this.#lastStart = now > this.#lastStart ? now : this.#lastStart + 1n
    return this.#lastStart
  }

  async #afterwards(run: TaskRun, execution: RunExecution): Promise<void> {
    await execution.done
    this.#running.delete(run.id)
    // The next run of its task may be claimed only when the catalog knows that this one is over.
    this.#settling.set(run.id, run.taskId)
    if (!this.#isStopping) void this.#fill()
    await this.#recorder.settled()
    this.#settling.delete(run.id)
    if (!this.#isStopping) void this.#fill()
  }
}

/** A success for a later moment is none that a run for an earlier one could go on from. */
function successBefore(run: TaskRun, latestSuccess: string | undefined): bigint | undefined {
  if (latestSuccess === undefined) return undefined
  const moment = parseTimestamp(latestSuccess)
  return moment > parseTimestamp(run.scheduledFor) ? undefined : moment
}
