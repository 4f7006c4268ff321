// What is counted of tasks and their runs, in Prometheus' text form and under the names that dashboards for InfluxDB
// know, beside a few of our own. Figures by task are kept for so many tasks and no more: the rest share one label.

import type { TaskKind, TaskRun } from '../catalog/tasks/task-runs.js'
import { metricText } from '../platform/metric-text.js'
import type { StatisticsModule } from '../query/statistics.js'

type Labels = Readonly<Record<string, string>>

const tasksMax = 1000
const others = 'other'

/** As InfluxDB calls the kinds of tasks. */
const types: Readonly<Record<TaskKind, string>> = {
  task: 'system',
  check: 'check',
  rule: 'rule',
  'continuous-query': 'continuous_query',
}

interface Family {
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly values: Map<string, number>
}

export class TaskFigures {
  readonly #families = new Map<string, Family>()
  readonly #taskIds = new Set<string>()
  /** By task: when its last run that ended well was for, in seconds since 1970. */
  readonly #successes = new Map<string, number>()
  #active = 0

  constructor() {
    this.#declare('task_executor_total_runs_complete', 'counter', 'Runs that ended.')
    this.#declare('task_executor_total_runs_active', 'gauge', 'Runs under way.')
    this.#declare(
      'task_executor_workers_busy',
      'gauge',
      'Share of the places for runs that are taken.',
    )
    this.#declare('task_executor_promise_queue_usage', 'gauge', 'Share of claimed runs that wait.')
    this.#declare('task_executor_run_queue_delta_sum', 'counter', 'Seconds from due to begun.')
    this.#declare('task_executor_run_queue_delta_count', 'counter', 'Runs that were begun.')
    this.#declare('task_executor_run_duration_sum', 'counter', 'Seconds of runs.')
    this.#declare('task_executor_run_duration_count', 'counter', 'Runs that ended.')
    this.#declare('task_executor_errors_counter', 'counter', 'Runs that failed.')
    this.#declare('task_executor_manual_runs_counter', 'counter', 'Runs that somebody asked for.')
    this.#declare('task_executor_resume_runs_counter', 'counter', 'Runs executed again.')
    this.#declare('task_executor_unrecoverable_counter', 'counter', 'Failures that stay.')
    this.#declare('task_executor_run_latency_seconds_sum', 'counter', 'Seconds behind the moment.')
    this.#declare('task_executor_run_latency_seconds_count', 'counter', 'Runs that were begun.')
    this.#declare('task_scheduler_total_execution_calls', 'counter', 'Runs that were begun.')
    this.#declare('task_scheduler_total_execute_failure', 'counter', 'Runs that failed.')
    this.#declare('task_scheduler_total_schedule_calls', 'counter', 'Boundaries that came.')
    this.#declare(
      'task_scheduler_total_schedule_fails',
      'counter',
      'Looks at the clock that failed.',
    )
    this.#declare('task_scheduler_total_release_calls', 'counter', 'Tasks that are run no more.')
    this.#declare('task_scheduler_current_execution', 'gauge', 'Runs under way.')
    this.#declare('task_scheduler_execute_delta_sum', 'counter', 'Seconds of runs.')
    this.#declare('task_scheduler_execute_delta_count', 'counter', 'Runs that ended.')
    this.#declare('task_scheduler_schedule_delay_sum', 'counter', 'Seconds from due to begun.')
    this.#declare('task_scheduler_schedule_delay_count', 'counter', 'Runs that were begun.')
    this.#declare('millrace_task_runs_skipped_total', 'counter', 'Boundaries that got no run.')
    this.#declare(
      'millrace_task_success_age_seconds',
      'gauge',
      'Age of the last run that went well.',
    )
  }

  scheduled(count: number, skipped: number): void {
    this.#add('task_scheduler_total_schedule_calls', count)
    if (skipped > 0) this.#add('millrace_task_runs_skipped_total', skipped)
  }

  scheduleFailed(): void {
    this.#add('task_scheduler_total_schedule_fails', 1)
  }

  resumed(count: number): void {
    this.#add('task_executor_resume_runs_counter', count)
  }

  released(taskId: string): void {
    this.#add('task_scheduler_total_release_calls', 1)
    this.#successes.delete(taskId)
  }

  /** What was known of a task before it ran here. */
  known(taskId: string, latestSuccess: bigint | undefined): void {
    if (latestSuccess === undefined || this.#labelOf(taskId) === others) return
    this.#successes.set(taskId, Number(latestSuccess / 1_000_000_000n))
  }

  begun(run: TaskRun, lateSeconds: number, behindSeconds: number): void {
    this.#active++
    const type = types[run.kind]
    const taskID = this.#labelOf(run.taskId)
    this.#add('task_scheduler_total_execution_calls', 1)
    this.#observe('task_executor_run_queue_delta', lateSeconds, { task_type: type, taskID })
    this.#observe('task_executor_run_latency_seconds', behindSeconds, { task_type: type })
    this.#observe('task_scheduler_schedule_delay', lateSeconds, {})
    const isManual = run.requestedAt !== undefined && run.backfillId === '' && run.attempt === 0
    if (isManual) this.#add('task_executor_manual_runs_counter', 1, { taskID })
  }

  /** However it came: also one that waits for another attempt. */
  over(): void {
    this.#active--
  }

  ended(run: TaskRun, isUnrecoverable: boolean): void {
    const { status, durationMs = 0 } = run
    const type = types[run.kind]
    const taskID = this.#labelOf(run.taskId)
    this.#add('task_executor_total_runs_complete', 1, { task_type: type, status })
    this.#observe('task_executor_run_duration', durationMs / 1000, { task_type: type, taskID })
    this.#observe('task_scheduler_execute_delta', durationMs / 1000, {})
    if (status === 'success' && taskID !== others) {
      const seconds = Date.parse(run.scheduledFor) / 1000
      this.#successes.set(taskID, Math.max(seconds, this.#successes.get(taskID) ?? 0))
    }
    if (status !== 'failed') return
    this.#add('task_scheduler_total_execute_failure', 1)
    const errorType = isUnrecoverable ? 'unrecoverable' : 'run'
    this.#add('task_executor_errors_counter', 1, { task_type: type, errorType })
    if (isUnrecoverable) this.#add('task_executor_unrecoverable_counter', 1, { taskID, errorType })
  }

  continuousQueries(): StatisticsModule {
    const ended = this.#families.get('task_executor_total_runs_complete')?.values
    const count = (status: string) =>
      ended?.get(labelText({ task_type: types['continuous-query'], status })) ?? 0
    const values = { queryOk: count('success'), queryFail: count('failed') }
    return { name: 'cq', tags: {}, values }
  }

  /** `now`: nanoseconds since 1970. */
  text(now: bigint, places: { readonly busy: number; readonly waiting: number }): string {
    this.#set('task_executor_total_runs_active', this.#active)
    this.#set('task_scheduler_current_execution', this.#active)
    this.#set('task_executor_workers_busy', places.busy)
    this.#set('task_executor_promise_queue_usage', places.waiting)
    const ages = this.#families.get('millrace_task_success_age_seconds')?.values
    ages?.clear()
    for (const [taskID, seconds] of this.#successes) {
      ages?.set(labelText({ taskID }), Math.max(Number(now / 1_000_000_000n) - seconds, 0))
    }
    return [...this.#families].map(([name, family]) => familyText(name, family)).join('')
  }

  #declare(name: string, type: Family['type'], help: string): void {
    const isPlain = /_(calls|failure|fails|total)$/.test(name)
    this.#families.set(name, { help, type, values: new Map(isPlain ? [['', 0]] : []) })
  }

  #add(name: string, by: number, labels: Labels = {}): void {
    const values = this.#families.get(name)?.values
    const key = labelText(labels)
    values?.set(key, (values.get(key) ?? 0) + by)
  }

  #set(name: string, value: number): void {
    this.#families.get(name)?.values.set('', value)
  }

  #observe(name: string, value: number, labels: Labels): void {
    this.#add(`${name}_sum`, value, labels)
    this.#add(`${name}_count`, 1, labels)
  }

  #labelOf(taskId: string): string {
    if (this.#taskIds.has(taskId)) return taskId
    if (this.#taskIds.size >= tasksMax) return others
    this.#taskIds.add(taskId)
    return taskId
  }
}

/** Values are ids and words of ours: nothing in them needs to be escaped. */
function labelText(labels: Labels): string {
  const entries = Object.entries(labels)
  if (entries.length === 0) return ''
  return `{${entries.map(([name, value]) => `${name}="${value}"`).join(',')}}`
}

function familyText(name: string, { help, type, values }: Family): string {
  const lines = [...values].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return metricText(name, help, type, lines)
}
