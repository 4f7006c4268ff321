// What a SELECT gives, in the shape that leaves the language: `time` and the computed columns, group by
// group. A column without any value is a column of the type that it has in other rows, or where that is not
// known of floats.

import type { ResultBatch } from '../../query/language.js'
import type { SelectPlan } from '../plan/select-plan.js'
import { noValues } from './no-values.js'
import type { SelectPiece } from './rows.js'
import type { SelectSteps } from './select-steps.js'

export function resultBatch(
  piece: SelectPiece,
  plan: SelectPlan,
  steps: SelectSteps,
  result: number,
): ResultBatch {
  const { key, block } = piece
  return {
    kind: 'batch',
    result,
    name: key.name,
    tags: key.tags,
    columnNames: plan.columnNames,
    columns: [
      { type: 'time', times: block.times, validity: undefined },
      ...block.columns.map((column, i) => column ?? noValues(steps.valueTypes[i], block.count)),
    ],
    columnRoles: plan.columnRoles,
    rowCount: block.count,
    zone: plan.zone,
  }
}

/** The columns that all batches of the SELECT have. */
export function emptyBatch(plan: SelectPlan, steps: SelectSteps): ResultBatch {
  const tags = [...plan.dimensions].sort().map((key) => ({ key, value: '' }))
  const columns = steps.valueTypes.map(() => undefined)
  const block = { count: 0, times: { base: 0n, offsets: new Float64Array(0) }, columns }
  return resultBatch({ key: { name: '', tags }, block }, plan, steps, 0)
}
