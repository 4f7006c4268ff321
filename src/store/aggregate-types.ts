// What aggregates there are of values of which type, and what type they have: rules of every engine. Whoever plans a
// window asks here before anything is read.

import type { FieldType } from '../column/column.js'
import { UserError } from '../errors.js'
import type { AggregateFunction, WindowAggregate } from './store.js'

/** The type of an aggregate's result. */
export function resultType(fn: AggregateFunction, type: FieldType): FieldType {
  if (fn === 'count' || fn === 'rows') return 'integer'
  return fn === 'mean' ? 'float' : type
}

/** The same for a field that may not be there: undefined, and the aggregate is left out. */
export function knownResultType(
  fn: AggregateFunction,
  type: FieldType | undefined,
): FieldType | undefined {
  if (fn === 'rows') return 'integer'
  return type && resultType(fn, type)
}

/** The fields that aggregates are computed from, each once. */
export function aggregatedFields({ aggregates }: WindowAggregate): string[] {
  const computed = aggregates.filter((each) => each.function !== 'rows')
  return [...new Set(computed.map(({ field }) => field))]
}

export function countsRows({ aggregates }: WindowAggregate): boolean {
  return aggregates.some((each) => each.function === 'rows')
}

/** A sum in 64 bits: what goes beyond them wraps, or is refused. */
export function sumOf64Bits(type: FieldType, sum: bigint, refusesOverflow: boolean): bigint {
  const wrapped = type === 'unsigned' ? BigInt.asUintN(64, sum) : BigInt.asIntN(64, sum)
  if (wrapped === sum || !refusesOverflow) return wrapped
  throw new UserError('invalid', `Arithmetic overflow: ${sum} has more than 64 bits`)
}

/** Throws where there is no such thing of values of this type. */
export function checkAggregate(fn: AggregateFunction, field: string, type: FieldType): void {
  if (fn === 'rows') return
  if (type !== 'string' && type !== 'boolean') return
  if (fn === 'count' || fn === 'first' || fn === 'last') return
  throw new UserError('invalid', `cannot compute ${fn} of field "${field}": it is a ${type}`)
}
