// A small answer of texts as one batch: what EXPLAIN, SHOW and DESCRIBE say. Rows come as lists of cells;
// these answers have a few dozen.

import { ColumnBuilder } from '../../query/column-builder.js'
import type { ResultBatch } from '../../query/language.js'

export function textTable(
  columnNames: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): ResultBatch {
  const columns = columnNames.map((_, i) => {
    const builder = new ColumnBuilder('string')
    for (const row of rows) builder.push(row[i])
    return builder.finish()
  })
  return {
    kind: 'batch',
    result: 0,
    name: '',
    tags: [],
    columnNames,
    columns,
    rowCount: rows.length,
  }
}
