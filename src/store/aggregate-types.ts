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

/** Throws where there is no such thing of values of this type. */
export function checkAggregate(fn: AggregateFunction, field: string, type: FieldType): void {
  if (type !== 'string' && type !== 'boolean') return
  if (fn === 'count' || fn === 'first' || fn === 'last') return
  throw new UserError('invalid', `cannot compute ${fn} of field "${field}": it is a ${type}`)
}
