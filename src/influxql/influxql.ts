// InfluxQL as a language of the service: text is parsed at once, statements run one after the other. A
// statement that fails has its error in its own result, and those behind it are not executed.

import { UserError } from '../errors.js'
import { type MaybePromise, PullStream, streamOf } from '../platform/pull-stream.js'
import type {
  Language,
  Prepared,
  QueryParameters,
  ResultBatch,
  ResultFailure,
  ResultPiece,
  ResultStart,
} from '../query/language.js'
import { QueryMeter } from '../query/limits.js'
import { describeAnswer } from './describe.js'
import type { ExecuteContext } from './execute/context.js'
import { newFigures } from './execute/context.js'
import { explainColumns, explainSelect } from './execute/explain.js'
import { writeInto, writtenBatch } from './execute/into.js'
import { readableRange } from './execute/readable-range.js'
import { resultBatch } from './execute/result-batches.js'
import { runSelect, type SelectPiece } from './execute/select.js'
import { KeptQueries, readsOnly } from './kept-queries.js'
import { planOf } from './plan/kept-plans.js'
import type { SelectPlan } from './plan/select-plan.js'
import type { InfluxqlScope } from './scope.js'
import { continuousQueryInFull, selectInFull } from './statements/continuous-query.js'
import { runStatement } from './statements/statement.js'
import { tableOf } from './statements/table.js'
import type { MeasurementSource, Select, Statement } from './syntax/ast.js'
import { parseQuery } from './syntax/parser.js'
import { printStatement } from './syntax/printer.js'

const keptQueries = new KeptQueries()

export const influxql: Language<InfluxqlScope> = {
  prepare(text: string, parameters?: QueryParameters): Prepared<InfluxqlScope> {
    const values = parameters?.values
    const isPlain = values === undefined || values.size === 0
    return new PreparedStatements(isPlain ? keptQueries.parse(text) : parseQuery(text, values))
  },
}

class PreparedStatements implements Prepared<InfluxqlScope> {
  readonly isCacheable: boolean
  readonly #statements: readonly Statement[]

  constructor(statements: readonly Statement[]) {
    this.isCacheable = statements.every(readsOnly)
    this.#statements = statements
  }

  run(scope: InfluxqlScope, signal: AbortSignal): PullStream<ResultPiece> {
    return new StatementRun(this.#statements, scope, signal)
  }

  describe(scope: InfluxqlScope): Promise<ResultBatch | undefined> {
    return describeAnswer(this.#statements, scope)
  }
}

class StatementRun extends PullStream<ResultPiece> {
  readonly #statements: readonly Statement[]
  readonly #scope: InfluxqlScope
  readonly #signal: AbortSignal
  /** The statement that begins next. */
  #at = 0
  /** Of the statement under way. */
  #batches: PullStream<ResultBatch> | undefined
  #failure: ResultFailure | undefined
  #hasFailed = false

  constructor(statements: readonly Statement[], scope: InfluxqlScope, signal: AbortSignal) {
    super()
    this.#statements = statements
    this.#scope = scope
    this.#signal = signal
  }

  take(): MaybePromise<ResultPiece | undefined> {
    if (this.#failure !== undefined) return this.#takeFailure()
    if (this.#batches === undefined) return this.#nextStatement()
    let batch: MaybePromise<ResultBatch | undefined>
    try {
      batch = this.#batches.take()
    } catch (error) {
      return this.#fail(error as Error)
    }
    return batch instanceof Promise ? this.#later(batch) : (batch ?? this.#nextStatement())
  }

  async #later(next: Promise<ResultBatch | undefined>): Promise<ResultPiece | undefined> {
    try {
      const batch = await next
      if (batch !== undefined) return batch
    } catch (error) {
      return this.#fail(error as Error)
    }
    return this.#nextStatement()
  }

  #nextStatement(): MaybePromise<ResultPiece | undefined> {
    this.#batches = undefined
    if (this.#at === this.#statements.length) return undefined
    const statement = this.#statements[this.#at++]
    const isWarned = this.#scope.isReadOnly && !this.#hasFailed && !isPlainRead(statement)
    if (!isWarned) return this.#begin(statement, [])
    return warnings(statement, this.#scope).then((messages) => this.#begin(statement, messages))
  }

  #begin(statement: Statement, messages: readonly string[]): ResultStart {
    const result = this.#at - 1
    if (this.#hasFailed) {
      this.#failure = { kind: 'failure', result, error: new UserError('invalid', 'not executed') }
    } else {
      this.#batches = run(statement, this.#scope, result, this.#signal)
    }
    return { kind: 'start', result, messages, chunks: chunksOf(statement) }
  }

  #fail(error: Error): ResultFailure {
    this.#hasFailed = true
    this.#batches = undefined
    // Whatever breaks under a query that was stopped, being stopped is the reason.
    const reason = this.#signal.aborted ? (this.#signal.reason as Error) : error
    return { kind: 'failure', result: this.#at - 1, error: reason }
  }

  #takeFailure(): ResultFailure {
    const failure = this.#failure!
    this.#failure = undefined
    return failure
  }

  async close(): Promise<void> {
    this.#at = this.#statements.length
    await this.#batches?.close()
    this.#batches = undefined
  }
}

function run(
  statement: Statement,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
): PullStream<ResultBatch> {
  switch (statement.kind) {
    case 'select':
      return statement.target === undefined
        ? new SelectBatches(statement, scope, result, signal)
        : streamOf(runSelectInto(statement, statement.target, scope, result, signal))
    case 'explain':
      return streamOf(explain(statement.select, statement.analyze, scope, result, signal))
    default:
      return streamOf(runStatement(statement, scope, result, signal))
  }
}

interface PreparedSelect {
  readonly plan: SelectPlan
  readonly context: ExecuteContext
}

/** At once where the plan is. */
function prepareSelect(
  select: Select,
  scope: InfluxqlScope,
  signal: AbortSignal,
): PreparedSelect | Promise<PreparedSelect> {
  const now = scope.clock.now()
  const plan = planOf(select, now, scope)
  if (!(plan instanceof Promise)) return withContext(plan, now, scope, signal)
  return plan.then((made) => withContext(made, now, scope, signal))
}

function withContext(
  plan: SelectPlan,
  now: bigint,
  scope: InfluxqlScope,
  signal: AbortSignal,
): PreparedSelect {
  const { store, random, limits, pushesCalls = true } = scope
  const meter = new QueryMeter(limits)
  const figures = newFigures()
  const readable = readableRange(plan)
  return { plan, context: { store, signal, random, meter, now, readable, figures, pushesCalls } }
}

class SelectBatches extends PullStream<ResultBatch> {
  readonly #select: Select
  readonly #scope: InfluxqlScope
  readonly #signal: AbortSignal
  readonly #result: number
  #running: RunningSelect | undefined

  constructor(select: Select, scope: InfluxqlScope, result: number, signal: AbortSignal) {
    super()
    this.#select = select
    this.#scope = scope
    this.#signal = signal
    this.#result = result
  }

  take(): MaybePromise<ResultBatch | undefined> {
    if (this.#running !== undefined) return this.#batch(this.#running)
    const prepared = prepareSelect(this.#select, this.#scope, this.#signal)
    if (prepared instanceof Promise) return prepared.then((made) => this.#begin(made))
    return this.#begin(prepared)
  }

  #begin({ plan, context }: PreparedSelect): MaybePromise<ResultBatch | undefined> {
    this.#running = { plan, pieces: runSelect(plan, context) }
    return this.#batch(this.#running)
  }

  #batch(running: RunningSelect): MaybePromise<ResultBatch | undefined> {
    for (;;) {
      const piece = running.pieces.take()
      if (piece instanceof Promise) return this.#later(running, piece)
      if (piece === undefined) return undefined
      if (piece.block.count > 0) return resultBatch(piece, running.plan, this.#result)
    }
  }

  async #later(
    running: RunningSelect,
    next: Promise<SelectPiece | undefined>,
  ): Promise<ResultBatch | undefined> {
    let piece = await next
    while (piece?.block.count === 0) piece = await running.pieces.take()
    return piece && resultBatch(piece, running.plan, this.#result)
  }

  async close(): Promise<void> {
    await this.#running?.pieces.close()
  }
}

interface RunningSelect {
  readonly plan: SelectPlan
  readonly pieces: PullStream<SelectPiece>
}

async function* runSelectInto(
  select: Select,
  target: MeasurementSource,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  const batches = new SelectBatches(select, scope, result, signal)
  yield writtenBatch(await writeInto(batches, target, scope), result)
}

async function* explain(
  select: Select,
  isAnalyzed: boolean,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  const { plan, context } = await prepareSelect(select, scope, signal)
  const lines = await explainSelect(plan, context, isAnalyzed, scope.clock)
  const shape = { name: '', columns: explainColumns(isAnalyzed) }
  yield tableOf(
    result,
    shape,
    lines.map((line) => [line]),
  )
}

/** How an answer in chunks is cut: InfluxDB makes these answers whole before it sends them. */
function chunksOf({ kind }: Statement): ResultStart['chunks'] {
  if (kind === 'show-tag-keys' || kind === 'show-tag-values') return 'tables'
  const isCutByRows = kind === 'show-series' || kind === 'show-field-keys'
  return kind.startsWith('show-') && !isCutByRows ? 'one' : undefined
}

function isPlainRead(statement: Statement): boolean {
  return statement.kind === 'select' && statement.target === undefined
}

/** Statements that change something belong in a POST request. */
async function warnings(statement: Statement, scope: InfluxqlScope): Promise<string[]> {
  const changing = await changingStatement(statement, scope)
  if (changing === undefined) return []
  const rest = 'in a read only context, please use a POST request instead'
  return [`deprecated use of '${printStatement(changing)}' ${rest}`]
}

/** As InfluxDB prints it: with the places of measurements, where it has looked them up by then. */
async function changingStatement(
  statement: Statement,
  scope: InfluxqlScope,
): Promise<Statement | undefined> {
  switch (statement.kind) {
    case 'explain':
    case 'delete-series':
    case 'kill-query':
      return undefined
    case 'select':
      if (statement.target === undefined) return undefined
      return selectInFull(statement, '', scope).catch(() => undefined)
    case 'create-continuous-query':
      return continuousQueryInFull(statement, scope).catch(() => undefined)
    default:
      return statement.kind.startsWith('show-') ? undefined : statement
  }
}
