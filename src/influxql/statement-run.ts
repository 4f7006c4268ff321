// Statements, one after the other. A statement that fails has its error in its own result, and those behind
// it are not executed.

import { UserError } from '../errors.js'
import { type MaybePromise, PullStream, streamOf } from '../platform/pull-stream.js'
import type { ResultBatch, ResultFailure, ResultPiece, ResultStart } from '../query/language.js'
import { explainColumns, explainSelect } from './execute/explain.js'
import { writeInto, writtenBatch } from './execute/into.js'
import { SelectBatches, startSelect } from './execute/select-batches.js'
import { tagArguments } from './functions/functions.js'
import type { PreparedStatement } from './prepared-statement.js'
import type { InfluxqlScope } from './scope/scope.js'
import { continuousQueryInFull, selectInFull } from './statements/continuous-query.js'
import { runStatement } from './statements/statement.js'
import { tableOf } from './statements/table.js'
import type { MeasurementSource, Select, Statement } from './syntax/ast.js'
import type { SlotValues } from './syntax/literal-slots.js'
import { printStatement } from './syntax/printer.js'

export class StatementRun extends PullStream<ResultPiece> {
  readonly #statements: readonly PreparedStatement[]
  readonly #scope: InfluxqlScope
  readonly #signal: AbortSignal
  readonly #literals: SlotValues
  /** The statement that begins next. */
  #at = 0
  /** Of the statement under way. */
  #batches: PullStream<ResultBatch> | undefined
  #failure: ResultFailure | undefined
  #hasFailed = false

  constructor(
    statements: readonly PreparedStatement[],
    scope: InfluxqlScope,
    signal: AbortSignal,
    literals: SlotValues,
  ) {
    super()
    this.#statements = statements
    this.#scope = scope
    this.#signal = signal
    this.#literals = literals
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
    const prepared = this.#statements[this.#at++]
    const { statement } = prepared
    const isWarned = this.#scope.isReadOnly && !this.#hasFailed && !isPlainRead(statement)
    if (!isWarned) return this.#begin(prepared, [])
    return warnings(statement, this.#scope).then((messages) => this.#begin(prepared, messages))
  }

  #begin(prepared: PreparedStatement, messages: readonly string[]): ResultStart {
    const result = this.#at - 1
    if (this.#hasFailed) {
      this.#failure = { kind: 'failure', result, error: new UserError('invalid', 'not executed') }
    } else {
      this.#batches = run(prepared, this.#scope, result, this.#signal, this.#literals)
    }
    return { kind: 'start', result, messages, chunks: chunksOf(prepared.statement) }
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
  prepared: PreparedStatement,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
  literals: SlotValues,
): PullStream<ResultBatch> {
  switch (prepared.kind) {
    case 'select': {
      const batches = new SelectBatches(prepared.select, scope, result, signal, literals)
      const { statement } = prepared
      if (statement.target === undefined) return batches
      return streamOf(runInto(batches, statement, statement.target, scope, result))
    }
    case 'explain':
      return streamOf(explain(prepared, scope, result, signal))
    default:
      if (scope.isTest && !prepared.statement.kind.startsWith('show-')) {
        throw new UserError('invalid', 'a dry run only reads, and tells what points it would write')
      }
      return streamOf(runStatement(prepared.statement, scope, result, signal))
  }
}

async function* runInto(
  batches: PullStream<ResultBatch>,
  { fields }: Select,
  target: MeasurementSource,
  scope: InfluxqlScope,
  result: number,
): AsyncGenerator<ResultBatch, void, void> {
  const tags = fields.flatMap(({ expression }) => tagArguments(expression))
  const names = tags.flatMap((tag) => (tag.kind === 'reference' ? tag.name : []))
  yield writtenBatch(await writeInto(batches, target, names, scope), result)
}

async function* explain(
  { select, statement: { analyze } }: Extract<PreparedStatement, { kind: 'explain' }>,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  const { context, ...planned } = await startSelect(select, scope, signal, undefined)
  const lines = await explainSelect(planned, context, analyze, scope.clock)
  const shape = { name: '', columns: explainColumns(analyze) }
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
