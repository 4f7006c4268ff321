// What a SELECT gives, in the shape that leaves the language: `time` and the computed columns, group by
// group. A column without any value is a column of its type, or where that is not known of floats.

import type { FieldType, Utf8Dictionary } from '../../column/column.js'
import type { ResultBatch, ResultColumn } from '../../query/language.js'
import type { SelectPlan } from '../plan/select-plan.js'
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
      ...block.columns.map((column, i) => column ?? noValues(plan.columnTypes[i], block.count)),
    ],
    columnRoles: plan.columnRoles,
    rowCount: block.count,
    zone: plan.zone,
  }
}

function noValues(type: FieldType | undefined, count: number): ResultColumn {
  const validity = new Uint8Array(count)
  switch (type) {
    case 'string':
      return { type, values: new Uint32Array(count), dictionary: noTexts, validity }
    case 'boolean':
      return { type, values: new Uint8Array(count), validity }
    default:
      return { type: type ?? 'float', values: new Float64Array(count), validity }
  }
}

/** With one entry, the empty text: rows without a value point at it. */
const noTexts: Utf8Dictionary = {
  offsets: new Uint32Array(2),
  bytes: new Uint8Array(0),
  count: 1,
}
