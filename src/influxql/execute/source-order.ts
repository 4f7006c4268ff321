// Several measurements in one SELECT: each is a table of its own in the answer, and so each can be asked by itself,
// one after the other, as quickly as if it stood alone.

import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { PlannedCall, SelectPlan } from '../plan/select-plan.js'
import { chainOf } from './call-chain.js'
import { compareGroups, type GroupKey } from './rows.js'

/**
 * The measurements in the order of the answer. Undefined: there are not several, or they make one table (of one name in
 * two databases), or are cast to a type that only all of them together tell. Rows as they are gain nothing.
 */
export function sourcesApart(plan: SelectPlan): readonly ResolvedMeasurement[] | undefined {
  const { sources, calls, isRaw, ascending } = plan
  if (isRaw || sources.length < 2) return undefined
  const measurements = sources.filter((source) => source.kind === 'measurement')
  const names = new Set(measurements.map(({ name }) => name))
  if (names.size < sources.length || !calls.every((call) => isOfOneType(call, measurements)))
    return undefined
  const order = ascending ? 1 : -1
  return measurements.toSorted((a, b) => compareGroups(keyOf(a), keyOf(b)) * order)
}

function keyOf({ name }: ResolvedMeasurement): GroupKey {
  return { name, tags: [] }
}

/** Among the measurements that have its field. */
function isOfOneType({ call }: PlannedCall, sources: readonly ResolvedMeasurement[]): boolean {
  const types = new Set<string>()
  for (const source of sources) {
    const chain = chainOf(call, [source])
    if (chain !== undefined) types.add(`${chain.steps[0].inputType} ${chain.type}`)
  }
  return types.size <= 1
}
