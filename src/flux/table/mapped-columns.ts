// `map` column by column, for functions that make a record of expressions which can be worked out so:
// what is not set is handed on as it is, and no record is made of any row.

import { compareUtf8 } from '../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../query/table.js'
import {
  type ColumnExpression,
  cellsByColumns,
  columnExpression,
  rowBody,
} from './column-expression.js'
import { propertyName, type RowExpression } from './row-expression.js'

export interface MappedColumn extends TableColumn, ColumnExpression {}

export class MappedColumns {
  readonly columns: readonly MappedColumn[]

  constructor(columns: readonly MappedColumn[]) {
    this.columns = columns
  }

  /** Whether rows may fail. */
  get canFail(): boolean {
    return this.columns.some(({ canFail }) => canFail)
  }

  /** undefined: the function must be called with these rows. */
  chunk(chunk: Chunk): Chunk | undefined {
    const columns: Cells[] = []
    for (const column of this.columns) {
      const cells = cellsByColumns(column, chunk)
      if (cells === undefined) return undefined
      columns.push(cells)
    }
    return { rowCount: chunk.rowCount, columns }
  }
}

/** Columns as they are. */
export function ownColumns(own: readonly TableColumn[]): readonly MappedColumn[] {
  return own.map(({ name, type }, place) => {
    return { name, type, reads: [place], canFail: false, cells: ({ columns }) => columns[place] }
  })
}

/** What the function makes of tables with these columns; undefined: it must be called. */
export function mappedColumns(
  { record, extendsRow, fn }: RowExpression,
  own: readonly TableColumn[],
): MappedColumns | undefined {
  if (rowBody(fn) === undefined || (record.with !== undefined && !extendsRow)) return undefined
  const columns = new Map<string, MappedColumn>()
  if (extendsRow) for (const column of ownColumns(own)) columns.set(column.name, column)
  for (const property of record.properties) {
    const name = propertyName(property)
    const value = property.value ?? property.key
    const expression = columnExpression(value, fn, own)
    if (expression === undefined) return undefined
    columns.set(name, { name, ...expression })
  }
  if (columns.size === 0) return undefined
  return new MappedColumns([...columns.values()].sort((a, b) => compareUtf8(a.name, b.name)))
}
