// Writes down what becomes of runs: first in the catalog, which decides whether a run has ended, then in the bucket of
// ended runs. A point there is named by its task and the moment it began, so that writing it again after a crash
// changes nothing. Changes are collected for a few milliseconds, and longer while more runs wait to be begun: a commit
// of the catalog is a sync of the disk, and a thousand runs of one second share a few.

import type { Catalog } from '../catalog/catalog.js'
import { isUnfinished, type TaskRun } from '../catalog/tasks/task-runs.js'
import type { Log } from '../service/base/log.js'

export interface RunRecorderOptions {
  readonly catalog: Catalog
  /** Puts ended runs into the buckets of their organizations. May be called again with the same. */
  readonly keep: (runs: readonly TaskRun[]) => Promise<void>
  /** Resolves when people have been served. */
  readonly giveWay?: (() => Promise<void>) | undefined
  /** Whether more changes will come at once: runs are claimed that have not begun. */
  readonly isMoreToCome?: () => boolean
  readonly log: Log
}

const collectMs = 20
/** So many times 20 ms at most. Who waits for a run to end waits for this too. */
const collectTimesMax = 5
/** So many changes are worth a commit of their own. */
const collectedMax = 64
/** Ended runs of before a crash, written down at a time. */
const leftMax = 500

export class RunRecorder {
  readonly #options: RunRecorderOptions
  #pending = new Map<string, TaskRun>()
  /** Written into their buckets; the catalog is told with the next change. */
  #kept: TaskRun[] = []
  #timer: NodeJS.Timeout | undefined
  #collectedTimes = 0
  #flushing: Promise<void> = Promise.resolve()
  #runnerId = ''
  #next: Promise<void> | undefined
  #resolveNext: () => void = () => {}

  constructor(options: RunRecorderOptions) {
    this.#options = options
  }

  /** For whom runs are changed from now on. */
  set runnerId(id: string) {
    this.#runnerId = id
  }

  /** Need not be waited for: a run that began and is not known to have is begun again, under the same id. */
  changed(run: TaskRun): void {
    this.#pending.set(run.id, run)
    if (this.#timer !== undefined) return
    this.#collectedTimes = 0
    this.#collect()
  }

  #collect(): void {
    this.#timer = setTimeout(() => {
      const isEnough = this.#pending.size >= collectedMax
      const isLong = ++this.#collectedTimes >= collectTimesMax
      if (isEnough || isLong || this.#options.isMoreToCome?.() !== true) void this.flush()
      else this.#collect()
    }, collectMs)
    this.#timer.unref()
  }

  /** Resolves when all changes so far are durable, with those that come within the next milliseconds. */
  settled(): Promise<void> {
    if (this.#timer === undefined) return this.#flushing
    this.#next ??= new Promise((resolve) => {
      this.#resolveNext = resolve
    })
    return this.#next
  }

  /** Resolves when all changes so far are durable. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      const resolve = this.#resolveNext
      this.#next = undefined
      this.#resolveNext = () => {}
      await this.#flush()
      resolve()
    })
    return this.#flushing
  }

  /** What ended before a crash, or was called off before it began, and may not have reached its bucket. */
  async keepLeft(taskId?: string): Promise<void> {
    const { catalog } = this.#options
    for (;;) {
      const left = await catalog.tasks.queue.unrecorded(leftMax, taskId)
      if (left.length === 0) return
      await this.#options.keep(left)
      await catalog.inTransaction((inside) => inside.tasks.queue.recorded(left))
      if (left.length < leftMax) return
    }
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [runs, kept] = [[...this.#pending.values()], this.#kept]
    if (runs.length === 0 && kept.length === 0) return
    this.#pending = new Map()
    this.#kept = []
    const { catalog, keep, giveWay, log } = this.#options
    try {
      await giveWay?.()
      const saved = await catalog.inTransaction(async ({ tasks: { queue } }) => {
        const changed = await queue.save(this.#runnerId, runs)
        await queue.recorded(kept)
        return changed
      })
      const ended = saved.filter(({ status }) => !isUnfinished(status))
      if (ended.length === 0) return
      await giveWay?.()
      await keep(ended)
      this.#kept.push(...ended)
    } catch (error) {
      // What did not end is executed again, and what was not kept is found by `keepLeft`.
      log('error', 'runs of tasks could not be written down', { error: (error as Error).message })
    }
  }
}
