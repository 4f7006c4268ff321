// Tables of statements' answers: rows of plain values become the columns that results are made of.
// These answers are about names and figures, not about points, so that a row may be an array.

import type { Tag } from '../../column/series.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { ResultBatch, ResultColumn } from '../../query/language.js'

export type CellType = 'string' | 'integer' | 'float' | 'boolean' | 'list'
export type Cell = string | number | bigint | boolean | readonly string[]

export interface TableShape {
  readonly name: string
  readonly tags?: readonly Tag[]
  /** Names and types, in order. */
  readonly columns: readonly (readonly [name: string, type: CellType])[]
}

/** A table without rows is shown with its columns alone. */
export function tableOf(
  result: number,
  shape: TableShape,
  rows: readonly (readonly Cell[])[],
): ResultBatch {
  const { name, tags = [], columns } = shape
  return {
    kind: 'batch',
    result,
    name,
    tags,
    columnNames: columns.map(([columnName]) => columnName),
    columns: columns.map(([, type], i) => columnOf(type, rows, i)),
    rowCount: rows.length,
  }
}

function columnOf(type: CellType, rows: readonly (readonly Cell[])[], index: number): ResultColumn {
  if (type === 'list') {
    const lists = rows.map((row) => row[index] as readonly string[])
    return { type, lists, validity: undefined }
  }
  const builder = new ColumnBuilder(type, rows.length)
  for (const row of rows) builder.push(row[index] as Exclude<Cell, readonly string[]>)
  return builder.finish()
}

/** Rows of one piece: what is waited for before the first ones can be sent. */
const rowsPerPiece = 10_000

/** The same table in pieces. Without rows there is no table at all. */
export function* tablePieces(
  result: number,
  shape: TableShape,
  rows: readonly (readonly Cell[])[],
): Generator<ResultBatch, void, void> {
  for (let i = 0; i < rows.length; i += rowsPerPiece) {
    yield tableOf(result, shape, rows.slice(i, i + rowsPerPiece))
  }
}

/** LIMIT and OFFSET; a limit of 0 is none. */
export function cut<T>(rows: readonly T[], limit: number, offset: number): readonly T[] {
  if (limit === 0 && offset === 0) return rows
  return rows.slice(offset, limit === 0 ? undefined : offset + limit)
}
