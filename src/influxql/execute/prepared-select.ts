// A SELECT that is planned once and run with ever new literals: times, hosts, thresholds. A plan follows from
// the tree, from what the sources are like, and from the WHERE clause; the sources are looked up in each run,
// with the right to read them, and while they are what they were only the WHERE clause is planned anew.
// SlotValues of one kind change nothing else. Wildcards stand for what has points where the query looks: their
// sources are looked up there, and are mostly what they were. SELECTs whose other parts depend on time (windows that
// begin with `now()`) and those with subqueries are planned anew.

import { type MaybePromise, whenReady } from '../../platform/pull-stream.js'
import type { Store } from '../../store/store.js'
import { type CompiledSelect, compileSelect, rangeOf } from '../plan/compile.js'
import { splitCondition } from '../plan/condition.js'
import { type ResolveContext, resolveNames, resolveSources, withTypes } from '../plan/resolve.js'
import type { ResolvedSource } from '../plan/resolved.js'
import { planSelect, type SelectPlan, withCondition } from '../plan/select-plan.js'
import { hasWildcard, wildcardRange } from '../plan/wildcards.js'
import type { Select } from '../syntax/ast.js'
import { bindCondition, bindLiterals, type SlotValues } from '../syntax/literal-slots.js'
import { someExpression } from '../syntax/walk.js'
import { SelectSteps } from './select-steps.js'

export interface PlannedSelect {
  readonly plan: SelectPlan
  readonly steps: SelectSteps
}

/** What was planned last, and from what. */
interface Made extends PlannedSelect {
  readonly store: Store
  readonly compiled: CompiledSelect
  readonly sources: readonly ResolvedSource[]
  readonly hasWildcard: boolean
}

export class PreparedSelect {
  readonly select: Select
  /** Undefined: nothing that holds for other literals. */
  #made: Made | undefined

  constructor(select: Select) {
    this.select = select
  }

  /** For one run. `literals`: undefined for those of the text. A promise where the sources must be waited for. */
  plan(context: ResolveContext, now: bigint, literals: SlotValues): MaybePromise<PlannedSelect> {
    const made = this.#made
    if (made?.store !== context.store) return this.#planAnew(context, now, literals)
    const { condition, zone } = this.select
    const bound = condition && literals ? bindCondition(condition, literals) : condition
    const split = splitCondition(bound, now, zone)
    const range = rangeOf(split.bounds, made.compiled.interval, now)
    const looked = made.hasWildcard ? { start: range.min, stop: range.max + 1n } : undefined
    const planWith = (sources: readonly ResolvedSource[]): PlannedSelect => {
      if (!areSame(made.sources, sources))
        return this.#make(this.#compile(now, literals), sources, made.store)
      const typed = split.condition && withTypes(split.condition, sources)
      return { plan: withCondition(made.plan, typed, split.bounds, range), steps: made.steps }
    }
    return whenReady(resolveSources(made.compiled, looked, context, made.sources), planWith)
  }

  #compile(now: bigint, literals: SlotValues): CompiledSelect {
    return compileSelect(literals ? bindLiterals(this.select, literals) : this.select, now)
  }

  #planAnew(
    context: ResolveContext,
    now: bigint,
    literals: SlotValues,
  ): MaybePromise<PlannedSelect> {
    const compiled = this.#compile(now, literals)
    return whenReady(resolveSources(compiled, wildcardRange(compiled), context), (sources) =>
      this.#make(compiled, sources, context.store),
    )
  }

  #make(compiled: CompiledSelect, sources: readonly ResolvedSource[], store: Store): PlannedSelect {
    const plan = planSelect(resolveNames(compiled, sources))
    const steps = new SelectSteps(plan)
    if (!dependsOnTime(compiled)) {
      this.#made = { store, compiled, sources, plan, steps, hasWildcard: hasWildcard(compiled) }
    }
    return { plan, steps }
  }
}

function dependsOnTime(select: CompiledSelect): boolean {
  if (select.sources.some(({ kind }) => kind === 'subquery')) return true
  return select.dimensions.some(({ expression }) =>
    someExpression(expression, (node) => node.kind === 'call' && node.name === 'now'),
  )
}

function areSame(a: readonly ResolvedSource[], b: readonly ResolvedSource[]): boolean {
  return a.length === b.length && a.every((source, i) => source === b[i])
}
