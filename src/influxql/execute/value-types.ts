// The types that the columns of a SELECT have in its rows. They are not always those that InfluxDB's rules
// of types give: a quotient of integers is a float. So the expressions are evaluated, over columns of the
// right types without any row.

import type { Column, FieldType } from '../../column/column.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { PlannedSource, SelectPlan } from '../plan/select-plan.js'
import { columnType } from '../plan/types.js'
import type { DataType } from '../syntax/ast.js'
import { chainOf } from './call-chain.js'
import { evaluate, type MaybeColumn } from './evaluate.js'

/** Not where a subquery has a column of a type that its plan does not tell. */
export function hasKnownTypes({ references, sources }: SelectPlan): boolean {
  return references.every(({ name, type }) => {
    if (columnType(type) !== undefined) return true
    return !sources.some(
      (source) => source.kind === 'subquery' && source.select.fieldNames.includes(name),
    )
  })
}

/** One per column behind `time`; a column of which nothing is known is one of floats. */
export function valueTypes(plan: SelectPlan): readonly FieldType[] {
  const calls = plan.calls.map(({ call }) => noRows(chainOf(call, plan.sources)?.type))
  const references = plan.references.map(({ type }) => noRows(referenceType(type, plan)))
  const column = (name: string): MaybeColumn => {
    const slots = name[0] === 'c' ? calls : references
    return slots[Number(name.slice(1))]
  }
  return plan.expressions.map((expression, i) => {
    const type = evaluate(expression, { column, rowCount: 0 })?.type
    return type ?? plan.columnTypes[i] ?? 'float'
  })
}

/** In the rows of a measurement a name that nobody knows is a tag that no series has. */
function referenceType(type: DataType | undefined, plan: SelectPlan): FieldType | undefined {
  const isTag = type === undefined && plan.isRaw && plan.sources.some(isMeasurement)
  return isTag ? 'string' : columnType(type)
}

function isMeasurement({ kind }: PlannedSource): boolean {
  return kind === 'measurement'
}

function noRows(type: FieldType | undefined): Column | undefined {
  return type && new ColumnBuilder(type, 0).finish()
}
