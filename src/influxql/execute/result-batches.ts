// What a SELECT gives, in the shape that leaves the language: `time` and the computed columns, group by
// group. A column without any value is a column of floats with none.

import type { ResultBatch, ResultColumn } from '../../query/language.js'
import type { SelectPlan } from '../plan/select-plan.js'
import type { MaybeColumn } from './evaluate.js'
import type { SelectPiece } from './select.js'

export function resultBatch(piece: SelectPiece, plan: SelectPlan, result: number): ResultBatch {
  const { key, block } = piece
  return {
    kind: 'batch',
    result,
    name: key.name,
    tags: key.tags,
    columnNames: plan.columnNames,
    columns: [
      { type: 'time', times: block.times, validity: undefined },
      ...block.columns.map((column) => resultColumn(column, block.count)),
    ],
    rowCount: block.count,
    zone: plan.zone,
  }
}

function resultColumn(column: MaybeColumn, count: number): ResultColumn {
  if (column !== undefined) return column
  return { type: 'float', values: new Float64Array(count), validity: new Uint8Array(count) }
}
