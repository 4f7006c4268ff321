// Plans of queries that are asked again and again. A plan follows from the tree of the statement and
// from what its sources are like; the sources are looked up each time, with the right to read them,
// and while they are the same objects as before the plan is too. A fifth of a point query is saved.

import type { TimeRange } from '../../column/time.js'
import type { Select } from '../syntax/ast.js'
import { type CompiledSelect, compileSelect } from './compile.js'
import {
  type ResolveContext,
  type ResolvedSource,
  resolveNames,
  resolveSources,
  wildcardRange,
} from './resolve.js'
import { planSelect, type SelectPlan } from './select-plan.js'

/** What a statement says by itself. */
interface Statement {
  readonly compiled: CompiledSelect
  /** Where its wildcards look; undefined: there are none. */
  readonly range: TimeRange | undefined
}

interface KeptPlan extends Statement {
  readonly sources: readonly ResolvedSource[]
  readonly plan: SelectPlan
}

/** By the tree: gone with it. Undefined: its plan is to be kept, and there is none yet. */
const keptPlans = new WeakMap<Select, KeptPlan | undefined>()

/** The statement is asked again: its plan is worth keeping. It must not say `now()`. */
export function keepPlanOf(select: Select): void {
  keptPlans.set(select, undefined)
}

/** At once where the sources are known. */
export function planOf(
  select: Select,
  now: bigint,
  context: ResolveContext,
): SelectPlan | Promise<SelectPlan> {
  const statement = keptPlans.get(select) ?? statementOf(select, now)
  const sources = resolveSources(statement.compiled, statement.range, context)
  if (!(sources instanceof Promise)) return planWith(sources, statement, select, now)
  return sources.then((found) => planWith(found, statement, select, now))
}

function statementOf(select: Select, now: bigint): Statement {
  const compiled = compileSelect(select, now)
  return { compiled, range: wildcardRange(compiled) }
}

function planWith(
  sources: readonly ResolvedSource[],
  { compiled, range }: Statement,
  select: Select,
  now: bigint,
): SelectPlan {
  const kept = keptPlans.get(select)
  if (kept?.compiled === compiled && areSame(kept.sources, sources)) return kept.plan
  const plan = planSelect(resolveNames(compiled, sources))
  if (keptPlans.has(select) && !endsAt(compiled, now)) {
    keptPlans.set(select, { compiled, range, sources, plan })
  }
  return plan
}

function areSame(a: readonly ResolvedSource[], b: readonly ResolvedSource[]): boolean {
  return a.length === b.length && a.every((source, i) => source === b[i])
}

/** Windows without an end are laid up to the moment of the query. */
function endsAt({ range, sources }: CompiledSelect, now: bigint): boolean {
  if (range.max === now) return true
  return sources.some((source) => source.kind === 'subquery' && endsAt(source.select, now))
}
