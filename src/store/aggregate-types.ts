// What aggregates there are of values of which type, and what type they have: rules of every engine. Whoever plans a
// window asks here before anything is read.

import type { FieldType } from '../column/column.js'
import { UserError } from '../errors.js'
import type { AggregateFunction } from './store.js'

/** The type of an aggregate's result. */
export function resultType(fn: AggregateFunction, type: FieldType): FieldType {
  if (fn === 'count') return 'integer'
  return fn === 'mean' ? 'float' : type
}

/** A sum in 64 bits: what goes beyond them wraps, or is refused. */
export function sumOf64Bits(type: FieldType, sum: bigint, refusesOverflow: boolean): bigint {
  const wrapped = type === 'unsigned' ? BigInt.asUintN(64, sum) : BigInt.asIntN(64, sum)
  if (wrapped === sum || !refusesOverflow) return wrapped
  throw new UserError('invalid', `Arithmetic overflow: ${sum} has more than 64 bits`)
}

/** Throws where there is no such thing of values of this type. */
export function checkAggregate(fn: AggregateFunction, field: string, type: FieldType): void {
  if (type !== 'string' && type !== 'boolean') return
  if (fn === 'count' || fn === 'first' || fn === 'last') return
  throw new UserError('invalid', `cannot compute ${fn} of field "${field}": it is a ${type}`)
}
