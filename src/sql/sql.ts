// SQL as a language of the service: DuckDB over the tables of a database, read-only, with the functions and
// the names of the v3 products. One statement, one result. DuckDB runs in processes of its own.

import { type PullStream, streamOf } from '../platform/pull-stream.js'
import { staysHere } from '../platform/run-turns.js'
import type {
  Language,
  Prepared,
  QueryParameters,
  ResultBatch,
  ResultPiece,
} from '../query/language.js'
import { LeftToEngine } from './direct/computed-column.js'
import { type DirectRun, DirectSelect } from './direct/direct-select.js'
import { EnginePool, type EnginePoolOptions } from './engine/engine-pool.js'
import { Session } from './engine/session.js'
import { describeColumns, execute, explainColumns } from './execute/execution.js'
import { textTable } from './execute/text-table.js'
import { informationTable } from './plan/information.js'
import { arrowType, tableSchema } from './plan/schema.js'
import type { SqlScope } from './plan/scope.js'
import { missingTable } from './statement/failure.js'
import { outsideName } from './statement/names.js'
import { SqlQuery } from './statement/query.js'
import { readStatement, type StatementText } from './statement/text.js'

const noValues: ReadonlyMap<string, unknown> = new Map()

export class SqlLanguage implements Language<SqlScope> {
  readonly enginePool: EnginePool

  constructor(options: EnginePoolOptions = {}) {
    this.enginePool = new EnginePool(options)
  }

  prepare(text: string, { values = noValues }: QueryParameters = {}): Prepared<SqlScope> {
    return new PreparedSql(this.enginePool, readStatement(text, values))
  }

  async check(text: string, memoryBytesMax: number, signal: AbortSignal): Promise<void> {
    const statement = readStatement(text, noValues)
    if (isDescription(statement)) return
    const session = await Session.open(this.enginePool, memoryBytesMax, signal)
    try {
      await queryOf(statement).parsed(session)
    } finally {
      await session.close()
    }
  }

  /** Ends all engines; statements under way fail. */
  close(): Promise<void> {
    return this.enginePool.close()
  }
}

class PreparedSql implements Prepared<SqlScope> {
  readonly isCacheable = true
  readonly onlyReads: boolean
  readonly #pool: EnginePool
  readonly #statement: SqlQuery | Description
  /** The same query where the store can answer it. */
  readonly #direct: DirectSelect | undefined

  constructor(pool: EnginePool, statement: StatementText) {
    this.#pool = pool
    this.#statement = isDescription(statement) ? statement : queryOf(statement)
    this.#direct = 'text' in statement ? DirectSelect.of(statement.text) : undefined
    this.onlyReads = this.#direct !== undefined && statement.kind === 'query'
  }

  run(scope: SqlScope, signal: AbortSignal): PullStream<ResultPiece> {
    return streamOf(this.#pieces(scope, signal))
  }

  async describe(scope: SqlScope, signal: AbortSignal): Promise<ResultBatch> {
    const statement = this.#statement
    if (!(statement instanceof SqlQuery)) {
      const { columnNames } = await describe(statement, scope)
      return textTable(columnNames, [])
    }
    const direct = statement.explains === 'no' ? await this.#planned(scope, signal) : undefined
    if (direct !== undefined) return direct.describe()
    let columns: ResultBatch | undefined
    const found = describeColumns(this.#pool, statement, scope, signal)
    for await (const batch of found) columns = batch
    return columns!
  }

  /** Undefined: an engine carries it out. What is analyzed is: it tells of DuckDB's own work. */
  async #planned(scope: SqlScope, signal: AbortSignal): Promise<DirectRun | undefined> {
    const isAnalyzed =
      this.#statement instanceof SqlQuery && this.#statement.explains === 'analysis'
    return isAnalyzed ? undefined : await this.#direct?.plan(scope, signal)
  }

  async *#pieces(scope: SqlScope, signal: AbortSignal): AsyncGenerator<ResultPiece, void, void> {
    const statement = this.#statement
    yield { kind: 'start', result: 0, messages: [] }
    try {
      if (statement instanceof SqlQuery) yield* this.#answer(statement, scope, signal)
      else yield await describe(statement, scope)
    } catch (error) {
      yield { kind: 'failure', result: 0, error: error as Error }
    }
  }

  async *#answer(
    query: SqlQuery,
    scope: SqlScope,
    signal: AbortSignal,
  ): AsyncGenerator<ResultBatch, void, void> {
    const direct = await this.#planned(scope, signal)
    if (direct !== undefined && query.explains === 'plan') {
      yield textTable(explainColumns, await direct.explain(signal))
      return
    }
    try {
      if (direct !== undefined) return yield* direct.run(signal)
    } catch (error) {
      if (!(error instanceof LeftToEngine)) throw error
    }
    // Engines are this thread's.
    staysHere(signal)
    yield* execute(this.#pool, query, scope, signal)
  }
}

type QueryText = Extract<StatementText, { kind: 'query' | 'explain' }>

function isDescription(statement: StatementText): statement is Description {
  return statement.kind !== 'query' && statement.kind !== 'explain'
}

function queryOf(statement: QueryText): SqlQuery {
  if (statement.kind === 'query') return new SqlQuery(statement.text, 'no')
  return new SqlQuery(statement.text, statement.isAnalyzed ? 'analysis' : 'plan')
}

/** What DuckDB is not needed for. */
type Description = Exclude<StatementText, QueryText>

async function describe(statement: Description, scope: SqlScope): Promise<ResultBatch> {
  const { store } = scope
  const bucket = await scope.bucket(scope.database)
  if (statement.kind === 'show-tables' || statement.kind === 'show-settings') {
    const name = statement.kind === 'show-tables' ? 'tables' : 'df_settings'
    const { columns, rows } = await informationTable(name, store, bucket)
    return textTable(columns, rows as string[][])
  }
  const name = outsideName(statement.table)
  const schema = await tableSchema(store, bucket, name)
  if (schema === undefined) throw missingTable(name)
  const rows = schema.columns.map((column) => {
    const isNullable = column.kind === 'time' ? 'NO' : 'YES'
    return { name: column.name, type: arrowType(column), isNullable }
  })
  if (statement.kind === 'describe') {
    const cells = rows.map(({ name, type, isNullable }) => [name, type, isNullable])
    return textTable(['column_name', 'data_type', 'is_nullable'], cells)
  }
  const columns = 'table_catalog table_schema table_name column_name data_type is_nullable'
  return textTable(
    columns.split(' '),
    rows.map(({ name: column, type, isNullable }) => [
      'public',
      'iox',
      name,
      column,
      type,
      isNullable,
    ]),
  )
}
