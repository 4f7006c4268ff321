// What a `SELECT … INTO` answers: how many points it wrote, in a column of that name. For those who run statements
// without showing their answers.

import { valueAt } from '../../column/column.js'
import type { ResultBatch } from '../../query/language.js'

/** 0 where the batch tells no such thing. */
export function writtenCount({ columnNames, columns, rowCount }: ResultBatch): number {
  const column = columns[columnNames.indexOf('written')]
  if (column === undefined || column.type === 'time' || column.type === 'list') return 0
  let count = 0
  for (let row = 0; row < rowCount; row++) count += Number(valueAt(column, row))
  return count
}
