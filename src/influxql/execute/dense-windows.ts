// The windows of a group as one column, filled on the way: for numbers, and fills that ask for nothing
// but the window itself. This is what most dashboards want, and it needs no look at single points, except
// where integers are so large that a float64 does not tell them.

import type { Column, FieldType, Value } from '../../column/column.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { StoreParts } from '../functions/function-spec.js'
import type { Fill } from '../syntax/ast.js'
import { fillValue } from './fill-step.js'
import type { WindowTable } from './window-table.js'

/** What a call is made of: means are a sum by a count, spreads the largest less the smallest. */
export interface DenseCall {
  readonly join: StoreParts['join']
  readonly type: FieldType
  readonly first: WindowTable
  readonly second: WindowTable | undefined
}

/**
 * `count`: how many windows of the group have a value. Undefined: values are no numbers. Its arrays may be those of the
 * tables.
 */
export function denseWindows(
  call: DenseCall,
  group: number,
  count: number,
  fill: Fill,
  ascending: boolean,
): Column | undefined {
  const { join, type, first, second } = call
  if (type === 'string' || type === 'boolean') return undefined
  const marks = first.marks(group)
  const isWhole = count === marks.length
  const filling = isWhole || fill.kind !== 'number' ? null : fillingOf(fill.value, type)
  let values = first.numbers(group)
  const others = second?.numbers(group)
  const isWide = typeof filling === 'bigint' || (second !== undefined && others === undefined)
  if (values === undefined || isWide) {
    return wideWindows(call, group, filling, ascending)
  }
  if (others !== undefined) values = joined(join, values, others)
  if (filling !== null) fillGaps(values, marks, filling)
  if (!ascending) values = values.toReversed()
  const isFull = isWhole || filling !== null
  const validity = isFull ? undefined : ascending ? marks : marks.toReversed()
  return { type, values, validity } as Column
}

/** The same with a look at each value. */
function wideWindows(
  { join, type, first, second }: DenseCall,
  group: number,
  filling: number | bigint | null,
  ascending: boolean,
): Column {
  const windowCount = first.marks(group).length
  const out = new ColumnBuilder(type, windowCount)
  for (let i = 0; i < windowCount; i++) {
    const window = ascending ? i : windowCount - 1 - i
    if (!first.hasValue(group, window)) out.push(filling)
    else out.push(combined(join, first.value(group, window), second?.value(group, window)))
  }
  return out.finish()
}

/** What a call makes of its parts. */
export function combined(join: StoreParts['join'], first: Value, second: Value | undefined): Value {
  if (join === undefined) return first
  if (join === 'quotient') return Number(first) / Number(second)
  if (typeof first === 'bigint' || typeof second === 'bigint') {
    return BigInt(first as bigint) - BigInt(second as bigint)
  }
  return (first as number) - (second as number)
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

/** As bigint only where a float64 does not tell it. */
function fillingOf(value: number | bigint, type: FieldType): number | bigint {
  const filling = fillValue(value, type) as number | bigint
  return Number.isSafeInteger(Number(filling)) ? Number(filling) : filling
}
