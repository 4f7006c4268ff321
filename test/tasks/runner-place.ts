// A catalog in memory or in a file with runners over it, a clock that stands still until it is moved, and executors
// that write down what they were asked to do.

import { parseTimestamp } from '../../src/catalog/base/timestamps.js'
import { Catalog } from '../../src/catalog/catalog.js'
import type { TaskInput } from '../../src/catalog/tasks/tasks.js'
import { scriptTools } from '../../src/flux/tools/script-tools.js'
import { selectPlaces } from '../../src/influxql/statements/select-places.js'
import { ManualClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import type { TaskExecutor, TaskExecutors, TaskWork } from '../../src/tasks/executor.js'
import { TaskRunner, type TaskRunnerOptions } from '../../src/tasks/task-runner.js'

export interface Done {
  readonly name: string
  readonly at: string
  readonly attempt: number
}

export class Place {
  readonly clock: ManualClock
  readonly catalog: Catalog
  readonly orgId: string
  readonly ownerId: string
  /** What ended well, in order. */
  readonly done: Done[] = []
  /** Ids of runs that were put into the bucket, with their ends. */
  readonly kept: string[] = []
  readonly logged: string[] = []
  /** What a run does besides being written down. */
  work: (work: TaskWork) => Promise<void> | void = () => {}

  private constructor(clock: ManualClock, catalog: Catalog, orgId: string, ownerId: string) {
    this.clock = clock
    this.catalog = catalog
    this.orgId = orgId
    this.ownerId = ownerId
  }

  static async open(now: string, path = ':memory:', shared?: Place): Promise<Place> {
    const clock = shared?.clock ?? new ManualClock(parseTimestamp(now))
    const loadTools = async () => scriptTools
    const catalog = await Catalog.open({
      path,
      clock,
      random: systemRandom,
      scriptTools: loadTools,
      queryPlaces: selectPlaces,
    })
    const first = await catalog.organizations.findFirst()
    if (first !== undefined) return new Place(clock, catalog, first.id, shared?.ownerId ?? '')
    const org = await catalog.organizations.create({ name: 'o' })
    const user = await catalog.users.create({ name: 'u', passwordHash: undefined })
    return new Place(clock, catalog, org.id, user.id)
  }

  /** `options` as in `option task = {…}`, without the name. */
  async task(name: string, options: string, input: TaskInput = {}) {
    const flux = `option task = {name: "${name}", ${options}}\nfrom(bucket: "b") |> range(start: -1h)`
    return this.catalog.inTransaction((inside) =>
      inside.tasks.create(this.orgId, this.ownerId, { flux, ...input }),
    )
  }

  runner(options: Partial<TaskRunnerOptions> = {}): TaskRunner {
    const { catalog, clock } = this
    return new TaskRunner({
      catalog,
      clock,
      executors: this.executors,
      keep: async (runs) => {
        for (const { id, status } of runs) this.kept.push(`${id} ${status}`)
      },
      concurrentMax: 4,
      timeoutSeconds: 0,
      catchUpMax: 1000,
      isAlone: true,
      log: (_level, message, fields) => {
        this.logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
      },
      ...options,
    })
  }

  get executors(): TaskExecutors {
    const executor: TaskExecutor = {
      run: async (work) => {
        await this.work(work)
        const { task, run, attempt } = work
        this.done.push({ name: task.name, at: run.scheduledFor, attempt })
        return { rowsRead: 1, rowsWritten: 2 }
      },
    }
    return { task: executor, check: executor, rule: executor, 'continuous-query': executor }
  }

  /** Sets the clock and lets the runner do all that follows. */
  async at(runner: TaskRunner, time: string): Promise<void> {
    this.clock.set(parseTimestamp(time))
    await this.settle(runner)
  }

  async settle(runner: TaskRunner): Promise<void> {
    for (let round = 0; round < 1000; round++) {
      await runner.tick()
      await runner.idle()
      if (!(await this.catalog.tasks.queue.hasWaiting())) return
    }
    throw new Error('something waits that nobody can claim')
  }

  /** The moments of what ended well since it was last asked, in order. */
  taken(): string[] {
    return this.done.splice(0).map(({ name, at }) => `${name} ${at}`)
  }
}
