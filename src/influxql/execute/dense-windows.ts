// The windows of a group as one column, filled on the way: for numbers, and fills that ask for nothing
// but the window itself. This is what most dashboards want, and it needs no look at single points.

import type { Column, FieldType } from '../../column/column.js'
import type { StoreParts } from '../functions/function-spec.js'
import type { Fill } from '../syntax/ast.js'
import type { WindowTable } from './window-table.js'

/** What a call is made of: means are a sum by a count, spreads the largest less the smallest. */
export interface DenseCall {
  readonly join: StoreParts['join']
  readonly type: FieldType
  readonly first: WindowTable
  readonly second: WindowTable | undefined
}

/**
 * `count`: how many windows of the group have a value. Undefined: values are not plain numbers. Its arrays may be those
 * of the tables.
 */
export function denseWindows(
  { join, type, first, second }: DenseCall,
  group: number,
  count: number,
  fill: Fill,
  ascending: boolean,
): Column | undefined {
  const isNumber = type === 'float' || type === 'integer' || type === 'unsigned'
  let values = isNumber ? first.numbers(group) : undefined
  const others = second?.numbers(group)
  if (values === undefined || (second !== undefined && others === undefined)) return undefined
  const marks = first.marks(group)
  if (others !== undefined) values = joined(join, values, others)
  const isWhole = count === marks.length
  const isFilled = fill.kind === 'number'
  if (!isWhole && isFilled) fillGaps(values, marks, wholeIfInteger(fill.value, type))
  if (!ascending) values = values.toReversed()
  const validity = isWhole || isFilled ? undefined : ascending ? marks : marks.toReversed()
  return { type, values, validity } as Column
}

function joined(join: StoreParts['join'], a: Float64Array, b: Float64Array): Float64Array {
  const values = new Float64Array(a.length)
  const isQuotient = join === 'quotient'
  for (let i = 0; i < a.length; i++)
    values[i] = isQuotient ? (b[i] === 0 ? 0 : a[i] / b[i]) : a[i] - b[i]
  return values
}

function fillGaps(values: Float64Array, marks: Uint8Array, filling: number): void {
  for (let i = 0; i < values.length; i++) if (marks[i] === 0) values[i] = filling
}

function wholeIfInteger(value: number | bigint, type: FieldType): number {
  return type === 'float' ? Number(value) : Math.trunc(Number(value))
}
