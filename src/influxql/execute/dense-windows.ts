// The windows of a group as one column, filled on the way: for numbers, and fills that ask for nothing
// but the window itself. This is what most dashboards want, and it needs no look at single points.

import type { Column, FieldType } from '../../column/column.js'
import { type StoreParts, storeParts } from '../functions/function-spec.js'
import type { Fill } from '../syntax/ast.js'
import type { CallChain } from './call-chain.js'
import type { AggregateWindows } from './window-table.js'

/** Undefined: it takes more than this to fill them. */
export function denseWindows(
  chain: CallChain,
  first: AggregateWindows,
  second: AggregateWindows | undefined,
  fill: Fill,
  { ascending }: { readonly ascending: boolean },
): Column | undefined {
  const { spec, outputType } = chain.steps[0]
  const join = storeParts(spec)?.join
  const isNumber = outputType === 'float' || outputType === 'integer' || outputType === 'unsigned'
  const numbers = first.numbers
  const others = second?.numbers
  if (!isNumber || numbers === undefined || (second !== undefined && others === undefined)) {
    return undefined
  }
  if (fill.kind !== 'null' && fill.kind !== 'number') return undefined
  const filling = fill.kind === 'number' ? wholeIfInteger(fill.value, outputType) : 0
  const { length } = numbers.has
  const values = new Float64Array(length)
  for (let i = 0; i < length; i++) {
    if (numbers.has[i] === 0) values[i] = filling
    else
      values[i] =
        others === undefined ? numbers.values[i] : joined(join, numbers.values[i], others.values[i])
  }
  const isWhole = fill.kind === 'number' || first.count === length
  const validity = isWhole ? undefined : numbers.has.slice()
  if (!ascending) {
    values.reverse()
    validity?.reverse()
  }
  return { type: outputType, values, validity } as Column
}

/** Means come as sum and count, spreads as largest and smallest. */
function joined(join: StoreParts['join'], a: number, b: number): number {
  return join === 'quotient' ? a / b : a - b
}

export function wholeIfInteger(value: number | bigint, type: FieldType): number {
  return type === 'float' ? Number(value) : Math.trunc(Number(value))
}
