// Runs the continuous queries of every database on time. Each run is the query's own SELECT … INTO
// with the range of time that is due; whether its maker may read and write there was judged when it
// was made. When a query last ran is remembered while the service runs, as InfluxDB does it: after a
// start it goes on with the interval under way.

import type { Catalog } from '../catalog/catalog.js'
import type { ContinuousQueryRecord } from '../catalog/storage/continuous-queries.js'
import type { TimeRange } from '../column/time.js'
import { UserError } from '../errors.js'
import { pruned } from '../influxql/statements/tag-condition.js'
import type { Binary, Expression, Select } from '../influxql/syntax/ast.js'
import { parseStatement } from '../influxql/syntax/parser.js'
import { printSelect } from '../influxql/syntax/printer.js'
import type { Clock } from '../platform/clock.js'
import { type CreateContinuousQuery, dueRun } from './continuous-query-schedule.js'

export interface ContinuousQueryOptions {
  readonly catalog: Pick<Catalog, 'continuousQueries' | 'versions'>
  readonly clock: Clock
  /** Runs a SELECT … INTO, with one of the organization's databases as the default. */
  readonly run: (
    orgId: string,
    database: string,
    text: string,
    signal: AbortSignal,
  ) => Promise<void>
  readonly log: (level: 'error' | 'info', message: string, fields: Record<string, unknown>) => void
}

/** How often the clock is looked at. */
const tickMs = 1000

interface Known {
  readonly record: ContinuousQueryRecord
  readonly statement: CreateContinuousQuery
}

export class ContinuousQueryRunner {
  readonly #options: ContinuousQueryOptions
  readonly #stop = new AbortController()
  /** By id: when it ran last. */
  readonly #lastRuns = new Map<string, bigint>()
  #known: readonly Known[] = []
  #version = -1
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: ContinuousQueryOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#stop.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#running = this.runDue()
        .catch((error: Error) => {
          const message = 'the continuous queries cannot be read'
          this.#options.log('error', message, { error: error.message })
        })
        .finally(() => this.start())
    }, tickMs)
    this.#timer.unref()
  }

  /** Stops the run under way, and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort(new UserError('invalid', 'query interrupted'))
    clearTimeout(this.#timer)
    await this.#running
    clearTimeout(this.#timer)
  }

  /** One after the other. What fails is logged, and tried again with the next interval. */
  async runDue(): Promise<void> {
    const now = this.#options.clock.now()
    for (const known of await this.#list()) {
      if (this.#stop.signal.aborted) return
      try {
        await this.#runIfDue(known, now)
      } catch (error) {
        const { database, name } = known.statement
        const message = 'a continuous query failed'
        this.#options.log('error', message, { database, name, error: (error as Error).message })
      }
    }
  }

  async #runIfDue({ record, statement }: Known, now: bigint): Promise<void> {
    const due = dueRun(statement, this.#lastRuns.get(record.id), now)
    if (due === undefined) return
    this.#lastRuns.set(record.id, due.lastRun)
    if (due.range === undefined) return
    await this.#run(record.orgId, statement, due.range)
  }

  async #run(orgId: string, statement: CreateContinuousQuery, range: TimeRange): Promise<void> {
    const text = printSelect(within(statement.select, range))
    await this.#options.run(orgId, statement.database, text, this.#stop.signal)
  }

  /** Read again only when something was made or dropped. */
  async #list(): Promise<readonly Known[]> {
    const { catalog } = this.#options
    const version = catalog.versions['continuous-queries']
    if (version === this.#version) return this.#known
    const records = await catalog.continuousQueries.list(undefined)
    this.#known = records.flatMap((record) => {
      const statement = parseStatement(record.body.text)
      return statement.kind === 'create-continuous-query' ? [{ record, statement }] : []
    })
    this.#version = version
    const ids = new Set(records.map(({ id }) => id))
    for (const id of this.#lastRuns.keys()) if (!ids.has(id)) this.#lastRuns.delete(id)
    return this.#known
  }
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
