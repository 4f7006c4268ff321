// `map` column by column, for functions that make a record of expressions which can be worked out so:
// what is not set is handed on as it is, and no record is made of any row.

import { compareUtf8 } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import { columnExpression, rowBody } from '../../table/column-expression.js'
import { propertyName, type RowExpression } from '../../table/row-expression.js'

interface MappedColumn extends TableColumn {
  cells(chunk: Chunk): Cells
}

export class MappedColumns {
  readonly columns: readonly MappedColumn[]

  constructor(columns: readonly MappedColumn[]) {
    this.columns = columns
  }

  chunk(chunk: Chunk): Chunk {
    return { rowCount: chunk.rowCount, columns: this.columns.map((column) => column.cells(chunk)) }
  }
}

/** What the function makes of tables with these columns; undefined: it must be called. */
export function mappedColumns(
  { record, extendsRow, fn }: RowExpression,
  own: readonly TableColumn[],
): MappedColumns | undefined {
  if (rowBody(fn) === undefined || (record.with !== undefined && !extendsRow)) return undefined
  const columns = new Map<string, MappedColumn>()
  if (extendsRow) {
    for (const [place, column] of own.entries()) {
      columns.set(column.name, { ...column, cells: (chunk) => chunk.columns[place] })
    }
  }
  for (const property of record.properties) {
    const name = propertyName(property)
    const value = property.value ?? property.key
    const expression = columnExpression(value, fn, own)
    if (expression === undefined) return undefined
    columns.set(name, { name, type: expression.type, cells: expression.cells })
  }
  if (columns.size === 0) return undefined
  return new MappedColumns([...columns.values()].sort((a, b) => compareUtf8(a.name, b.name)))
}
