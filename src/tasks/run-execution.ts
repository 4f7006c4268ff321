// One run under way: begun, stopped by its time limit or by whoever calls it off, and ended as success, failed or
// canceled, with the lines of its log that InfluxDB's users know. A failure that may pass puts it back into the queue
// while the task's `retry` allows.

import { parseDuration, roughNs } from '../catalog/base/durations.js'
import { formatTimestamp, parseTimestamp } from '../catalog/base/timestamps.js'
import type { RunLog, TaskRun } from '../catalog/tasks/task-runs.js'
import type { Task } from '../catalog/tasks/tasks.js'
import { BusyError, DiskError, OverloadError, UserError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../service/base/log.js'
import type { TaskFigures as RunFigures, RunStage, TaskExecutor } from './executor.js'
import type { TaskFigures } from './task-figures.js'

export interface RunExecutionOptions {
  readonly task: Task
  readonly run: TaskRun
  readonly executor: TaskExecutor
  readonly lastSuccess: bigint | undefined
  readonly clock: Clock
  readonly startedNs: bigint
  readonly timeoutSeconds: number
  readonly figures: TaskFigures
  readonly changed: (run: TaskRun) => void
  readonly log: Log
}

/** Lines of one run's log; what a script logs beyond them is left out. */
const logLinesMax = 200
const logLineCharactersMax = 4000
const retrySecondsMax = 60

export class RunExecution {
  /** Resolves when it is over, and never fails. */
  readonly done: Promise<void>
  readonly #options: RunExecutionOptions
  readonly #stop = new AbortController()
  readonly #lines: RunLog[]
  #end: 'canceled' | 'abandoned' | undefined
  #stage: RunStage = 'running'

  constructor(options: RunExecutionOptions) {
    this.#options = options
    this.#lines = [...options.run.log]
    this.done = this.#execute()
  }

  get taskId(): string {
    return this.#options.task.id
  }

  cancel(): void {
    this.#end ??= 'canceled'
    this.#stop.abort(new UserError('invalid', 'run canceled'))
  }

  /** Nothing is written down: it will be executed again. */
  abandon(): void {
    this.#end = 'abandoned'
    this.#stop.abort(new UserError('unavailable', 'the service is being stopped'))
  }

  async #execute(): Promise<void> {
    const { task, run, startedNs, changed, executor, lastSuccess } = this.#options
    const attempt = run.attempt + 1
    const startedAt = formatTimestamp(startedNs)
    const begun = { ...run, taskName: task.name, attempt, status: 'started', startedAt } as const
    this.#say(`Started task from script: ${JSON.stringify(task.body.flux)}`)
    changed({ ...begun, log: [...this.#lines] })
    const { figures: counted } = this.#options
    counted.begun(
      run,
      secondsSince(run.dueAt, startedNs),
      secondsSince(run.scheduledFor, startedNs),
    )
    const timer = this.#limit()
    let outcome: Outcome
    try {
      const figures = await executor.run({
        task,
        run: begun,
        now: parseTimestamp(run.scheduledFor),
        attempt,
        lastSuccess,
        signal: this.#stop.signal,
        log: (message) => this.#say(message),
        stage: (stage) => {
          this.#stage = stage
        },
      })
      outcome = { figures, error: undefined }
    } catch (error) {
      outcome = { figures: undefined, error }
    } finally {
      clearTimeout(timer)
      counted.over()
    }
    if (this.#end !== 'abandoned') this.#finish(begun, outcome, startedNs)
  }

  #finish(run: TaskRun, { figures, error }: Outcome, startedNs: bigint): void {
    const { clock, changed, task } = this.#options
    if (error === undefined) {
      this.#say('Completed(success)')
      return this.#ended({ ...run, ...this.#ending(startedNs), ...figures, status: 'success' })
    }
    if (this.#end === 'canceled') {
      this.#say('Run canceled')
      return this.#ended({ ...run, ...this.#ending(startedNs), status: 'canceled' })
    }
    const reason = this.#stop.signal.aborted ? this.#stop.signal.reason : error
    const text = messageOf(reason)
    const logged = loggedText(task, reason, this.#stage)
    if (mayPass(reason) && run.attempt < task.body.retry) {
      const waitSeconds = Math.min(2 ** (run.attempt - 1), retrySecondsMax)
      this.#say(`Attempt ${run.attempt} failed, the next one follows in ${waitSeconds} s: ${text}`)
      const dueAt = formatTimestamp(clock.now() + BigInt(waitSeconds) * 1_000_000_000n)
      return changed({ ...run, status: 'scheduled', dueAt, log: [...this.#lines] })
    }
    this.#say('Completed(failed)')
    this.#say(logged)
    if (needsAdmin.test(text)) {
      this.#say(`Task encountered unrecoverable error, requires admin action: ${logged}`)
    }
    this.#reportOwn(reason)
    this.#ended({ ...run, ...this.#ending(startedNs), status: 'failed', error: text })
  }

  #ended(run: TaskRun): void {
    this.#options.figures.ended(run, needsAdmin.test(run.error ?? ''))
    this.#options.changed(run)
  }

  #ending(startedNs: bigint) {
    const now = this.#options.clock.now()
    const durationMs = now > startedNs ? Number(now - startedNs) / 1e6 : 0
    return { finishedAt: formatTimestamp(now), durationMs, log: [...this.#lines] }
  }

  #limit(): NodeJS.Timeout | undefined {
    const { task, timeoutSeconds } = this.#options
    const own = task.body.timeout === undefined ? undefined : parseDuration(task.body.timeout)
    const seconds = own === undefined ? timeoutSeconds : Number(roughNs(own) / 1_000_000_000n)
    if (seconds === 0) return undefined
    const error = new UserError('unavailable', `the run took longer than ${seconds} s`)
    // Longer ones a timer cannot wait for.
    const waitMs = Math.min(seconds * 1000, 2 ** 31 - 1)
    return setTimeout(() => this.#stop.abort(error), waitMs).unref()
  }

  #say(message: string): void {
    if (this.#lines.length >= logLinesMax) return
    const time = formatTimestamp(this.#options.clock.now())
    this.#lines.push({ time, message: message.slice(0, logLineCharactersMax) })
  }

  #reportOwn(error: unknown): void {
    if (error instanceof UserError || isOverload(error) || error instanceof DiskError) return
    const { task, run, log } = this.#options
    log('error', 'a run of a task failed by our own fault', {
      taskId: task.id,
      runId: run.id,
      error: error instanceof Error ? error.stack : String(error),
    })
  }
}

/** As InfluxDB words what fails while a script runs: its users' filters look for it. The error itself is without. */
function loggedText({ body }: Task, error: unknown, stage: RunStage): string {
  const text = messageOf(error)
  const isFlux = body.flux !== '' || body.scriptId !== undefined
  if (!isFlux || text.startsWith('could not parse Flux script')) return text
  // What is not the script's fault, nor its owner's.
  if (!(error instanceof UserError)) return `could not execute task run: ${text}`
  const begin =
    stage === 'preparing' ? 'unexpected error from queryd' : 'error exhausting result iterator'
  return `${begin}: ${text}`
}

function secondsSince(time: string, now: bigint): number {
  return Math.max(Number(now - parseTimestamp(time)) / 1e9, 0)
}

interface Outcome {
  readonly figures: RunFigures | undefined
  readonly error: unknown
}

const needsAdmin =
  /could not find bucket|could not parse Flux script|filesystem service uninitialized/

function isOverload(error: unknown): error is BusyError | OverloadError {
  return error instanceof BusyError || error instanceof OverloadError
}

/** Too much to do, no network, a time limit: the same may go well a little later. */
function mayPass(error: unknown): boolean {
  if (isOverload(error) || error instanceof DiskError) return true
  return error instanceof UserError && passing.has(error.code)
}

const passing: ReadonlySet<string> = new Set(['unavailable', 'too many requests'])

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
