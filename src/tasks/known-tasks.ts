// The tasks as the runner knows them, continuous queries among them: each with its schedule and its next boundary. Read
// again when the catalog says that they have changed, and only those that did.

import { parseTimestamp } from '../catalog/base/timestamps.js'
import type { Catalog } from '../catalog/catalog.js'
import type { ContinuousQueryRecord } from '../catalog/tasks/continuous-queries.js'
import type { TaskKind } from '../catalog/tasks/task-runs.js'
import { scheduleOf, type TaskSchedule } from '../catalog/tasks/task-schedule.js'
import type { Task } from '../catalog/tasks/tasks.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../service/base/log.js'
import { continuousTask } from './continuous-queries.js'
import type { TaskFigures } from './task-figures.js'

export interface ScheduledTask {
  readonly task: Task
  readonly kind: TaskKind
  readonly schedule: TaskSchedule
  /** Boundaries up to here are dealt with. */
  latest: bigint
  /** When its next boundary's run is to begin; undefined: it does not run by itself. */
  dueAt: bigint | undefined
}

export class KnownTasks {
  readonly #catalog: Catalog
  readonly #clock: Clock
  readonly #figures: TaskFigures
  readonly #log: Log
  readonly #tasks = new Map<string, ScheduledTask>()
  #version = -1

  constructor(catalog: Catalog, clock: Clock, figures: TaskFigures, log: Log) {
    this.#catalog = catalog
    this.#clock = clock
    this.#figures = figures
    this.#log = log
  }

  get(id: string): ScheduledTask | undefined {
    return this.#tasks.get(id)
  }

  all(): Iterable<ScheduledTask> {
    return this.#tasks.values()
  }

  /** Costs nothing where nothing has changed. */
  async refresh(): Promise<void> {
    const { tasks, continuousQueries, versions } = this.#catalog
    const version = versions.tasks + versions['continuous-queries']
    if (version === this.#version) return
    const known = await tasks.known()
    const continuous = await continuousQueries.list(undefined)
    const ids = new Set([...known, ...continuous].map(({ id }) => id))
    for (const id of this.#tasks.keys()) {
      if (ids.has(id)) continue
      this.#tasks.delete(id)
      this.#figures.released(id)
    }
    for (const { id, kind, updatedAt } of known) {
      if (this.#tasks.get(id)?.task.updatedAt !== updatedAt) await this.#load(id, kind)
    }
    for (const record of continuous) {
      if (!this.#tasks.has(record.id)) await this.#loadContinuous(record)
    }
    this.#version = version
  }

  async #load(id: string, kind: TaskKind): Promise<void> {
    const { tasks } = this.#catalog
    const task = await tasks.records.findById(id)
    if (task === undefined) {
      this.#tasks.delete(id)
      return
    }
    await this.#keep(task, kind, () => scheduleOf(task.body))
  }

  /** One that was made before they were in the queue begins with the interval under way. */
  async #loadContinuous(record: ContinuousQueryRecord): Promise<void> {
    const { task, schedule } = continuousTask(record, this.#clock.now())
    await this.#keep(task, 'continuous-query', () => schedule)
  }

  async #keep(task: Task, kind: TaskKind, readSchedule: () => TaskSchedule): Promise<void> {
    const { id } = task
    const { latestScheduled, latestSuccess } = await this.#catalog.tasks.states.of(id)
    this.#figures.known(id, latestSuccess === undefined ? undefined : parseTimestamp(latestSuccess))
    const latest = parseTimestamp(latestScheduled ?? task.body.activeSince)
    try {
      const schedule = readSchedule()
      const dueAt = task.body.status === 'active' ? dueAfter(schedule, latest) : undefined
      this.#tasks.set(id, { task, kind, schedule, latest, dueAt })
    } catch (error) {
      // Made before schedules were read when tasks are made.
      this.#tasks.delete(id)
      const reason = (error as Error).message
      this.#log('error', 'a task cannot run: its schedule cannot be read', { taskId: id, reason })
    }
  }
}

/** When the run of the boundary after this one is to begin. */
export function dueAfter(schedule: TaskSchedule, boundary: bigint): bigint | undefined {
  const next = schedule.next(boundary)
  return next === undefined ? undefined : schedule.dueAt(next)
}
