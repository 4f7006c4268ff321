// InfluxQL for clients that take one table as the answer, as
// v3's do: one statement, which only reads.

import { UserError } from '../errors.js'
import { type PullStream, streamOf } from '../platform/pull-stream.js'
import type { ResultPiece } from '../query/language.js'
import type { Statement } from './syntax/ast.js'
import { printStatement } from './syntax/printer.js'

export function requireOneRead(statements: readonly Statement[]): Statement {
  if (statements.length !== 1) {
    const text = `a query must be one statement, not ${statements.length}`
    throw new UserError('not implemented', text)
  }
  const [statement] = statements
  const { kind } = statement
  const isSelect = kind === 'select' && statement.target === undefined
  if (isSelect || kind === 'explain' || kind.startsWith('show-')) return statement
  const text = `only SELECT, SHOW and EXPLAIN are answered here: ${printStatement(statement)}`
  throw new UserError('not implemented', text)
}

/** InfluxDB 1 has no name for the tables of some statements; the v3 products have. */
export function withTableName(
  { kind }: Statement,
  pieces: PullStream<ResultPiece>,
): PullStream<ResultPiece> {
  if (kind === 'show-databases') return streamOf(asDatabases(pieces))
  return kind === 'show-retention-policies' ? streamOf(named(pieces, 'retention_policies')) : pieces
}

/** The v3 products have a name of their own for the one column. */
async function* asDatabases(
  pieces: PullStream<ResultPiece>,
): AsyncGenerator<ResultPiece, void, void> {
  const columnNames = ['iox::database']
  for await (const piece of pieces) yield piece.kind === 'batch' ? { ...piece, columnNames } : piece
}

async function* named(
  pieces: PullStream<ResultPiece>,
  name: string,
): AsyncGenerator<ResultPiece, void, void> {
  for await (const piece of pieces) yield piece.kind === 'batch' ? { ...piece, name } : piece
}
