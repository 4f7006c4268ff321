// The columns of an answer before there are rows: from the plan of a SELECT, and for other statements where
// their tables always look the same. No points are read. Types are those that the expressions really give,
// found by evaluating them over columns without rows: a quotient of integers, for one, is a float.

import type { ResultBatch } from '../query/language.js'
import { explainColumns } from './execute/explain.js'
import type { PreparedSelect } from './execute/prepared-select.js'
import { emptyBatch } from './execute/result-batches.js'
import { hasKnownTypes } from './execute/value-types.js'
import type { PreparedStatement } from './prepared-statement.js'
import type { InfluxqlScope } from './scope/scope.js'
import { measurementColumns, showColumns } from './statements/show-columns.js'
import { tableOf } from './statements/table.js'
import type { SlotValues } from './syntax/literal-slots.js'

/** Undefined: only the rows can tell. */
export async function describeAnswer(
  statements: readonly PreparedStatement[],
  scope: InfluxqlScope,
  literals: SlotValues,
): Promise<ResultBatch | undefined> {
  if (statements.length !== 1) return undefined
  const [prepared] = statements
  if (prepared.kind === 'select') return describeSelect(prepared.select, scope, literals)
  const { statement } = prepared
  switch (statement.kind) {
    case 'explain':
      return tableOf(0, { name: '', columns: explainColumns(statement.analyze) }, [])
    case 'show-measurements':
      return tableOf(0, { name: '', columns: measurementColumns(statement) }, [])
    case 'show-series':
    case 'show-tag-keys':
    case 'show-tag-values':
    case 'show-field-keys':
      return tableOf(0, { name: '', columns: showColumns[statement.kind] }, [])
    default:
      return undefined
  }
}

async function describeSelect(
  select: PreparedSelect,
  scope: InfluxqlScope,
  literals: SlotValues,
): Promise<ResultBatch | undefined> {
  if (select.select.target !== undefined) return undefined
  const { plan, steps } = await select.plan(scope, scope.clock.now(), literals)
  return hasKnownTypes(plan) ? emptyBatch(plan, steps) : undefined
}
