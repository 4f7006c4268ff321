// What a query may read at all: its range, and before it as many windows as its own calls look at. Calls
// in its subqueries get no more than that, as in InfluxDB, so that the first of their windows may have
// nothing before it.

import { findFunction } from '../functions/functions.js'
import type { SelectPlan } from '../plan/select-plan.js'
import type { Call } from '../syntax/ast.js'
import { intervalLength } from './call-chain.js'

/** Both ends belong to it. */
export interface ReadableRange {
  readonly min: bigint
  readonly max: bigint
}

export function readableRange(plan: SelectPlan): ReadableRange {
  const { interval, range, ascending } = plan
  const windows = plan.calls.reduce((most, { call }) => Math.max(most, windowsLookedAt(call)), 0)
  if (interval === undefined || windows === 0) return range
  const more = intervalLength(interval) * BigInt(windows)
  if (ascending) return { min: range.min - more, max: range.max }
  return { min: range.min, max: range.max + more }
}

function windowsLookedAt(call: Call): number {
  const [arg, size] = call.args
  const inside = arg?.kind === 'call' ? windowsLookedAt(arg) : 0
  const spec = findFunction(call.name)
  const looksBack = spec !== undefined && 'windowsBefore' in spec && spec.windowsBefore !== 'none'
  if (!looksBack) return inside
  return Math.max(inside, size?.kind === 'integer' ? Number(size.value) : 1)
}

export function overlap(a: ReadableRange, b: ReadableRange): ReadableRange {
  return { min: a.min > b.min ? a.min : b.min, max: a.max < b.max ? a.max : b.max }
}
