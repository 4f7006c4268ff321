// How tasks are doing, told as statuses in the bucket `_monitoring`, where notification rules find them: a run that
// failed, a task whose boundaries pass without any run coming to its end, and that either is over. Watched from beside
// the runner, by what the catalog knows: a queue that stands still is told too.

import { parseTimestamp } from '../catalog/base/timestamps.js'
import type { Catalog } from '../catalog/catalog.js'
import type { TaskRun } from '../catalog/tasks/task-runs.js'
import { escapeName } from '../column/series.js'
import { printString } from '../line-protocol/printer.js'
import type { Clock } from '../platform/clock.js'
import { metricText } from '../platform/metric-text.js'
import type { Log } from '../service/base/log.js'
import type { ScheduledTask } from './known-tasks.js'

export interface TaskHealthOptions {
  readonly catalog: Catalog
  readonly clock: Clock
  /** Puts lines into the bucket `_monitoring` of an organization. */
  readonly write: (orgId: string, lines: readonly string[]) => Promise<void>
  /** What was last told of each task of an organization, by an earlier process too. */
  readonly lastLevels: (orgId: string) => Promise<ReadonlyMap<string, string>>
  readonly log: Log
}

type Level = 'ok' | 'crit'

interface TaskStatus {
  readonly taskId: string
  readonly orgId: string
  readonly name: string
  readonly level: Level
  readonly message: string
  readonly time: bigint
  /** What it is about: the boundary. */
  readonly sourceTime: bigint
}

const lookNs = 60_000_000_000n
const lookMs = 1000
/** Boundaries that pass without the end of any run before that is told. */
const missedMax = 3
const messageCharactersMax = 1000

export class TaskHealth {
  readonly #options: TaskHealthOptions
  readonly #startedAt: bigint
  /** What was last told of each task. */
  readonly #levels = new Map<string, Level>()
  readonly #overdue = new Set<string>()
  /** Organizations of which it is known what was told before this process. */
  readonly #known = new Set<string>()
  #lookedAt: bigint
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: TaskHealthOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
    this.#lookedAt = this.#startedAt
  }

  start(tasks: () => Iterable<ScheduledTask>): void {
    const { clock, log } = this.#options
    this.#timer = setInterval(() => {
      if (clock.now() - this.#lookedAt < lookNs) return
      this.#lookedAt = clock.now()
      this.#looking = this.look(tasks()).catch((error: Error) =>
        log('error', 'how tasks are doing cannot be told', { error: error.message }),
      )
    }, lookMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** May be called again with the same runs. Does not fail: runs are written down all the same. */
  async ended(runs: readonly TaskRun[]): Promise<void> {
    const { log } = this.#options
    try {
      for (const orgId of new Set(runs.map((run) => run.orgId))) await this.#recall(orgId)
      await this.#tell(runs.flatMap((run) => this.#statusOf(run) ?? []))
    } catch (error) {
      log('error', 'how tasks are doing cannot be told', { error: (error as Error).message })
    }
  }

  async #recall(orgId: string): Promise<void> {
    if (this.#known.has(orgId)) return
    for (const [taskId, level] of await this.#options.lastLevels(orgId)) {
      if (level === 'crit' && !this.#levels.has(taskId)) this.#levels.set(taskId, level)
    }
    this.#known.add(orgId)
  }

  /** What goes well is told where it did not before; what a backfill does it tells itself. */
  #statusOf(run: TaskRun): TaskStatus | undefined {
    const { taskId, orgId, taskName: name = '', status, finishedAt, scheduledFor } = run
    const isEnd = status === 'success' || status === 'failed'
    if (!isEnd || run.backfillId !== '' || finishedAt === undefined) return undefined
    const level = status === 'success' ? 'ok' : 'crit'
    this.#overdue.delete(taskId)
    if (level === 'ok' && this.#levels.get(taskId) !== 'crit') return undefined
    const what = level === 'ok' ? 'succeeded' : `failed: ${run.error ?? ''}`
    return {
      taskId,
      orgId,
      name,
      level,
      message: `the run of task ${JSON.stringify(name)} for ${scheduledFor} ${what}`,
      time: parseTimestamp(finishedAt),
      sourceTime: parseTimestamp(scheduledFor),
    }
  }

  /** Which tasks have let boundaries pass. */
  async look(tasks: Iterable<ScheduledTask>): Promise<void> {
    const { catalog, clock } = this.#options
    const known = [...tasks]
    const ids = new Set(known.map(({ task }) => task.id))
    for (const id of [...this.#levels.keys()]) if (!ids.has(id)) this.#levels.delete(id)
    for (const id of [...this.#overdue]) if (!ids.has(id)) this.#overdue.delete(id)
    const active = known.filter(({ task }) => task.body.status === 'active')
    const states = await catalog.tasks.states.ofAll(active.map(({ task }) => task.id))
    const told: TaskStatus[] = []
    for (const one of active) {
      const ended = states.get(one.task.id)?.latestCompleted
      const since = ended === undefined ? this.#startedAt : parseTimestamp(ended)
      // While nobody was there none could come to its end.
      const from = since > this.#startedAt ? since : this.#startedAt
      const missed = lastMissed(one, from, clock.now())
      if (missed !== undefined) told.push(overdueStatus(one, missed, ended))
    }
    await this.#tell(told)
    for (const { taskId } of told) this.#overdue.add(taskId)
  }

  async #tell(statuses: readonly TaskStatus[]): Promise<void> {
    const byOrganization = new Map<string, string[]>()
    for (const status of statuses) {
      const lines = byOrganization.get(status.orgId) ?? []
      byOrganization.set(status.orgId, lines)
      lines.push(lineOf(status))
    }
    for (const [orgId, lines] of byOrganization) await this.#options.write(orgId, lines)
    for (const { taskId, level } of statuses) this.#levels.set(taskId, level)
  }

  /** In Prometheus' text form. */
  metrics(): string {
    const failing = [...this.#levels.values()].filter((level) => level === 'crit').length
    return (
      gauge('millrace_tasks_unwell', 'Tasks that failed last, or do not run.', failing) +
      gauge('millrace_tasks_overdue', 'Tasks that do not run.', this.#overdue.size)
    )
  }
}

/** The last of the boundaries that have come since a moment, where there are too many. */
function lastMissed({ schedule }: ScheduledTask, since: bigint, now: bigint): bigint | undefined {
  let at = since
  let count = 0
  for (;;) {
    const next = schedule.next(at)
    if (next === undefined || schedule.dueAt(next) > now) break
    at = next
    // Years of seconds need not be counted: what came long ago is as good as what came last.
    if (++count > 10_000) break
  }
  return count >= missedMax ? at : undefined
}

function overdueStatus(
  { task }: ScheduledTask,
  boundary: bigint,
  ended: string | undefined,
): TaskStatus {
  const since = ended === undefined ? '' : ` since the one for ${ended}`
  return {
    taskId: task.id,
    orgId: task.orgId,
    name: task.name,
    level: 'crit',
    message: `no run of task ${JSON.stringify(task.name)} has come to its end${since}`,
    // The same in every process that looks.
    time: boundary,
    sourceTime: boundary,
  }
}

/** In the shape of a check's status. */
function lineOf({ taskId, name, level, message, time, sourceTime }: TaskStatus): string {
  const shown = escapeName(name.replace(/\s*\n\s*/g, ' ').replace(/\\+$/, ''))
  const check = shown === '' ? '' : `,_check_name=${shown}`
  const tags = `_check_id=${taskId}${check},_level=${level},_source_measurement=runs,_type=task`
  const text = printString(message.slice(0, messageCharactersMax))
  return `statuses,${tags} _message=${text},_source_timestamp=${sourceTime}i ${time}`
}

function gauge(name: string, help: string, value: number): string {
  return metricText(name, help, 'gauge', value)
}
