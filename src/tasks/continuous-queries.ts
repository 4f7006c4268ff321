// Continuous queries as the runner of tasks sees them: tasks of their own kind with the schedule of their intervals.
// A run is the query's own SELECT … INTO with the range of time that is due; whether its maker may read and write there
// was judged when it was made.

import { formatTimestamp, parseTimestamp } from '../catalog/base/timestamps.js'
import type { ContinuousQueryRecord } from '../catalog/tasks/continuous-queries.js'
import type { TaskSchedule } from '../catalog/tasks/task-schedule.js'
import type { Task } from '../catalog/tasks/tasks.js'
import type { TimeRange } from '../column/time.js'
import { assert } from '../errors.js'
import { pruned } from '../influxql/statements/tag-condition.js'
import type { Binary, Expression, Select } from '../influxql/syntax/ast.js'
import { parseStatement } from '../influxql/syntax/parser.js'
import { printSelect } from '../influxql/syntax/printer.js'
import type { Log } from '../service/base/log.js'
import {
  type CreateContinuousQuery,
  continuousSchedule,
  rangeAt,
} from './continuous-query-schedule.js'
import type { TaskExecutor, TaskFigures, TaskWork } from './executor.js'

export interface ContinuousQueryOptions {
  /** Runs a SELECT … INTO, with one of the organization's databases as the default; tells how many points it wrote. */
  readonly run: (
    orgId: string,
    database: string,
    text: string,
    signal: AbortSignal,
  ) => Promise<number>
  readonly log: Log
}

export class ContinuousQueryExecutor implements TaskExecutor {
  readonly #options: ContinuousQueryOptions

  constructor(options: ContinuousQueryOptions) {
    this.#options = options
  }

  async run({ task, now, signal }: TaskWork): Promise<TaskFigures> {
    const statement = statementOf(task.body.flux)
    const range = rangeAt(statement, now)
    if (range === undefined) return { rowsRead: 0, rowsWritten: 0 }
    const { database, name } = statement
    try {
      const text = printSelect(within(statement.select, range))
      const rowsWritten = await this.#options.run(task.orgId, database, text, signal)
      return { rowsRead: 0, rowsWritten }
    } catch (error) {
      const reason = (error as Error).message
      if (!signal.aborted) {
        this.#options.log('error', 'a continuous query failed', { database, name, error: reason })
      }
      throw error
    }
  }
}

/** Throws where the text cannot be read any more. */
export function continuousTask(
  record: ContinuousQueryRecord,
  now: bigint,
): { readonly task: Task; readonly schedule: TaskSchedule } {
  const { id, orgId, parentId, ownerId, createdAt, updatedAt, body } = record
  const { database, name, text } = body
  const task: Task = {
    id,
    orgId,
    parentId,
    ownerId,
    name: `${database}.${name}`,
    body: {
      description: '',
      status: 'active',
      flux: text,
      language: 'influxql',
      database,
      concurrency: 1,
      retry: 1,
      activeSince: formatTimestamp(now),
    },
    createdAt,
    updatedAt,
  }
  return { task, schedule: continuousSchedule(statementOf(text), parseTimestamp(createdAt)) }
}

function statementOf(text: string): CreateContinuousQuery {
  const statement = parseStatement(text)
  assert(
    statement.kind === 'create-continuous-query',
    'a continuous query is kept as its statement',
  )
  return statement
}

/** The query over a range of time, whatever it says about time itself. */
function within(select: Select, { start, stop }: TimeRange): Select {
  const rest = pruned(select.condition, (comparison) => !isOfTime(comparison))
  const range: Expression = {
    kind: 'binary',
    op: 'AND',
    left: { kind: 'binary', op: '>=', left: time, right: { kind: 'integer', value: start } },
    right: { kind: 'binary', op: '<', left: time, right: { kind: 'integer', value: stop } },
  }
  const condition: Expression =
    rest === undefined
      ? range
      : { kind: 'binary', op: 'AND', left: { kind: 'paren', inner: rest }, right: range }
  return { ...select, condition }
}

const time: Expression = { kind: 'reference', name: 'time' }

function isOfTime({ left, right }: Binary): boolean {
  return [left, right].some(
    (side) => side.kind === 'reference' && side.name.toLowerCase() === 'time',
  )
}
