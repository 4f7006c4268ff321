// InfluxQL as a language of the service: text is parsed at once, statements run one after the other. A
// statement that fails has its error in its own result, and those behind it are not executed.

import { UserError } from '../errors.js'
import type {
  Language,
  Query,
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
import { KeptQueries } from './kept-queries.js'
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
  prepare(text: string, scope: InfluxqlScope): Query {
    const isKept = scope.params.size === 0 && scope.keepsPlans !== false
    const statements = isKept ? keptQueries.parse(text) : parseQuery(text, scope.params)
    return {
      run: (signal) => new StatementRun(statements, scope, signal),
      describe: () => describeAnswer(statements, scope),
    }
  },
}

/** Not a generator: one around another takes several microseconds for each piece. */
class StatementRun implements AsyncIterableIterator<ResultPiece> {
  readonly #statements: readonly Statement[]
  readonly #scope: InfluxqlScope
  readonly #signal: AbortSignal
  /** The statement that begins next. */
  #at = 0
  /** Of the statement under way. */
  #batches: AsyncIterator<ResultBatch, unknown> | undefined
  #failure: ResultFailure | undefined
  #hasFailed = false

  constructor(statements: readonly Statement[], scope: InfluxqlScope, signal: AbortSignal) {
    this.#statements = statements
    this.#scope = scope
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<ResultPiece, undefined>> {
    if (this.#failure !== undefined) return { done: false, value: this.#takeFailure() }
    if (this.#batches !== undefined) {
      try {
        const { done, value } = await this.#batches.next()
        if (done !== true) return { done: false, value: value as ResultBatch }
      } catch (error) {
        this.#fail(error as Error)
        return { done: false, value: this.#takeFailure() }
      }
      this.#batches = undefined
    }
    if (this.#at === this.#statements.length) return { done: true, value: undefined }
    const statement = this.#statements[this.#at++]
    const isWarned = this.#scope.isReadOnly && !this.#hasFailed && !isPlainRead(statement)
    const messages = isWarned ? await warnings(statement, this.#scope) : []
    return { done: false, value: this.#begin(statement, messages) }
  }

  #begin(statement: Statement, messages: readonly string[]): ResultStart {
    const result = this.#at - 1
    if (this.#hasFailed) {
      this.#failure = { kind: 'failure', result, error: new UserError('invalid', 'not executed') }
    } else {
      const batches = run(statement, this.#scope, result, this.#signal)
      this.#batches = batches[Symbol.asyncIterator]()
    }
    return { kind: 'start', result, messages, chunks: chunksOf(statement) }
  }

  #fail(error: Error): void {
    this.#hasFailed = true
    this.#batches = undefined
    // Whatever breaks under a query that was stopped, being stopped is the reason.
    const reason = this.#signal.aborted ? (this.#signal.reason as Error) : error
    this.#failure = { kind: 'failure', result: this.#at - 1, error: reason }
  }

  #takeFailure(): ResultFailure {
    const failure = this.#failure!
    this.#failure = undefined
    return failure
  }

  async return(): Promise<IteratorResult<ResultPiece, undefined>> {
    this.#at = this.#statements.length
    await this.#batches?.return?.()
    this.#batches = undefined
    return { done: true, value: undefined }
  }
}

function run(
  statement: Statement,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
): AsyncIterable<ResultBatch> {
  switch (statement.kind) {
    case 'select':
      return statement.target === undefined
        ? new SelectBatches(statement, scope, result, signal)
        : runSelectInto(statement, statement.target, scope, result, signal)
    case 'explain':
      return explain(statement.select, statement.analyze, scope, result, signal)
    default:
      return runStatement(statement, scope, result, signal)
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

/** Not a generator: there is a batch for each group, and a generator more makes each dearer. */
class SelectBatches implements AsyncIterableIterator<ResultBatch> {
  readonly #select: Select
  readonly #scope: InfluxqlScope
  readonly #signal: AbortSignal
  readonly #result: number
  #running: { readonly plan: SelectPlan; readonly pieces: AsyncIterator<SelectPiece> } | undefined

  constructor(select: Select, scope: InfluxqlScope, result: number, signal: AbortSignal) {
    this.#select = select
    this.#scope = scope
    this.#signal = signal
    this.#result = result
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<ResultBatch, undefined>> {
    if (this.#running === undefined) {
      const prepared = prepareSelect(this.#select, this.#scope, this.#signal)
      const { plan, context } = prepared instanceof Promise ? await prepared : prepared
      this.#running = { plan, pieces: runSelect(plan, context) }
    }
    const { plan, pieces } = this.#running
    for (;;) {
      const { done, value } = await pieces.next()
      if (done === true) return { done, value: undefined }
      if (value.block.count > 0)
        return { done: false, value: resultBatch(value, plan, this.#result) }
    }
  }

  async return(): Promise<IteratorResult<ResultBatch, undefined>> {
    await this.#running?.pieces.return?.()
    return { done: true, value: undefined }
  }
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
