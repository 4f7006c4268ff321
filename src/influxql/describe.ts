// The columns of an answer before there are rows: from the plan of a SELECT, and for other statements where
// their tables always look the same. No points are read. Types are those that the expressions really give,
// found by evaluating them over columns without rows: a quotient of integers, for one, is a float.

import type { ResultBatch } from '../query/language.js'
import { explainColumns } from './execute/explain.js'
import { emptyBatch } from './execute/result-batches.js'
import { hasKnownTypes } from './execute/value-types.js'
import { planOf } from './plan/kept-plans.js'
import type { InfluxqlScope } from './scope.js'
import { showColumns } from './statements/show-columns.js'
import { tableOf } from './statements/table.js'
import type { Select, Statement } from './syntax/ast.js'

/** Undefined: only the rows can tell. */
export async function describeAnswer(
  statements: readonly Statement[],
  scope: InfluxqlScope,
): Promise<ResultBatch | undefined> {
  const [statement, ...others] = statements
  if (statement === undefined || others.length > 0) return undefined
  switch (statement.kind) {
    case 'select':
      return describeSelect(statement, scope)
    case 'explain':
      return tableOf(0, { name: '', columns: explainColumns(statement.analyze) }, [])
    case 'show-measurements':
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
  select: Select,
  scope: InfluxqlScope,
): Promise<ResultBatch | undefined> {
  if (select.target !== undefined) return undefined
  const plan = await planOf(select, scope.clock.now(), scope)
  return hasKnownTypes(plan) ? emptyBatch(plan) : undefined
}
