// SQL as a language of the service: DuckDB over the tables of a database, read-only, with the functions and
// the names of the v3 products. One statement, one result. DuckDB runs in processes of its own.

import { streamOf } from '../platform/pull-stream.js'
import type {
  Language,
  Prepared,
  QueryParameters,
  ResultBatch,
  ResultPiece,
} from '../query/language.js'
import { Engines, type EnginesOptions } from './engine/engines.js'
import { describeColumns, execute, type SqlQuery } from './execute/execution.js'
import { textTable } from './execute/text-table.js'
import { informationTable } from './plan/information.js'
import { arrowType, tableSchema } from './plan/schema.js'
import type { SqlScope } from './plan/scope.js'
import { missingTable } from './statement/failure.js'
import { outsideName } from './statement/names.js'
import { readStatement, type StatementText } from './statement/text.js'

const noValues: ReadonlyMap<string, unknown> = new Map()

export class SqlLanguage implements Language<SqlScope> {
  readonly engines: Engines

  constructor(options: EnginesOptions = {}) {
    this.engines = new Engines(options)
  }

  prepare(text: string, { values = noValues }: QueryParameters = {}): Prepared<SqlScope> {
    const statement = readStatement(text, values)
    const { engines } = this
    return {
      isCacheable: true,
      run: (scope, signal) => streamOf(runStatement(engines, statement, scope, signal)),
      describe: (scope, signal) => describeStatement(engines, statement, scope, signal),
    }
  }

  /** Ends all engines; statements under way fail. */
  close(): Promise<void> {
    return this.engines.close()
  }
}

/** Undefined: DuckDB is not needed for it. */
function queryOf(statement: StatementText): SqlQuery | undefined {
  if (statement.kind === 'query') return { text: statement.text, explains: 'no' }
  if (statement.kind !== 'explain') return undefined
  return { text: statement.text, explains: statement.isAnalyzed ? 'analysis' : 'plan' }
}

async function* runStatement(
  engines: Engines,
  statement: StatementText,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultPiece, void, void> {
  yield { kind: 'start', result: 0, messages: [] }
  try {
    const query = queryOf(statement)
    if (query === undefined) yield await describe(statement as Description, scope)
    else yield* execute(engines, query, scope, signal)
  } catch (error) {
    yield { kind: 'failure', result: 0, error: error as Error }
  }
}

async function describeStatement(
  engines: Engines,
  statement: StatementText,
  scope: SqlScope,
  signal: AbortSignal,
): Promise<ResultBatch> {
  const query = queryOf(statement)
  if (query === undefined) {
    const { columnNames } = await describe(statement as Description, scope)
    return textTable(columnNames, [])
  }
  let columns: ResultBatch | undefined
  for await (const batch of describeColumns(engines, query, scope, signal)) columns = batch
  return columns!
}

type Description = Exclude<StatementText, { kind: 'query' | 'explain' }>

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
