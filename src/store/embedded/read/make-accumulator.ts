// Which accumulator computes an aggregate of values of which type. Refuses what there is not, before
// anything is read.

import type { FieldType } from '../../../column/column.js'
import { checkAggregate } from '../../aggregate-types.js'
import type { AggregateFunction } from '../../store.js'
import type { Accumulator } from './accumulator.js'
import { Extreme, First, Last } from './chosen-points.js'
import { Count, Sum } from './sums.js'

/** `newestFirst`: stretches of rows come in that order, for an aggregate that can stop at the first with a value. */
export function makeAccumulator(
  fn: AggregateFunction,
  field: string,
  type: FieldType,
  newestFirst: boolean,
  refusesOverflow: boolean,
): Accumulator {
  if (fn === 'count' || fn === 'rows') return new Count()
  if (fn === 'first') return new First()
  if (fn === 'last') return new Last(newestFirst)
  checkAggregate(fn, field, type)
  if (fn === 'min') return new Extreme(-1)
  if (fn === 'max') return new Extreme(1)
  return new Sum(type, fn === 'mean', refusesOverflow)
}
