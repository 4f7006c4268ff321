// SQL as a language of the service: DuckDB over the tables of a database, read-only, with the functions and
// the names of the v3 products. One statement, one result.

import type { Language, Query, ResultBatch, ResultPiece } from '../query/language.js'
import { execute } from './execution.js'
import { missingTable } from './failure.js'
import { informationTable } from './information.js'
import { outsideName } from './names.js'
import { arrowType, tableSchema } from './schema.js'
import type { SqlScope } from './scope.js'
import { readStatement, type StatementText } from './text.js'
import { textTable } from './text-table.js'

export const sql: Language<SqlScope> = {
  prepare(text: string, scope: SqlScope): Query {
    const statement = readStatement(text, scope.params)
    return { run: (signal) => runStatement(statement, scope, signal) }
  },
}

async function* runStatement(
  statement: StatementText,
  scope: SqlScope,
  signal: AbortSignal,
): AsyncGenerator<ResultPiece, void, void> {
  yield { kind: 'start', result: 0, messages: [] }
  try {
    switch (statement.kind) {
      case 'query':
        yield* execute({ text: statement.text, explains: 'no' }, scope, signal)
        break
      case 'explain': {
        const explains = statement.isAnalyzed ? 'analysis' : 'plan'
        yield* execute({ text: statement.text, explains }, scope, signal)
        break
      }
      default:
        yield await describe(statement, scope)
    }
  } catch (error) {
    yield { kind: 'failure', result: 0, error: error as Error }
  }
}

async function describe(
  statement: Exclude<StatementText, { kind: 'query' | 'explain' }>,
  scope: SqlScope,
): Promise<ResultBatch> {
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
