// What of the work of a SELECT follows from its plan whatever its literals are: found when it is first
// needed, and the same for every run of the query.

import type { FieldType } from '../../column/column.js'
import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { SelectPlan } from '../plan/select-plan.js'
import { sourcesApart } from './source-order.js'
import { valueTypes } from './value-types.js'
import { type WindowCalls, windowCallsOf } from './window-select.js'

/** One of several measurements, asked by itself. */
export interface SourceSteps {
  readonly source: ResolvedMeasurement
  readonly steps: SelectSteps
}

export class SelectSteps {
  readonly #plan: SelectPlan
  #apart: readonly SourceSteps[] | 'none' | undefined
  #valueTypes: readonly FieldType[] | undefined
  #windowCalls: WindowCalls | 'none' | undefined

  /** Of the plan with any literals. */
  constructor(plan: SelectPlan) {
    this.#plan = plan
  }

  /** One per column behind `time`. */
  get valueTypes(): readonly FieldType[] {
    this.#valueTypes ??= valueTypes(this.#plan)
    return this.#valueTypes
  }

  /** Of several measurements that are answered one after the other; undefined: they are not. */
  get apart(): readonly SourceSteps[] | undefined {
    this.#apart ??=
      sourcesApart(this.#plan)?.map((source) => ({
        source,
        steps: new SelectSteps({ ...this.#plan, sources: [source] }),
      })) ?? 'none'
    return this.#apart === 'none' ? undefined : this.#apart
  }

  /** Undefined: it is not answered by windows in one table. */
  get windowCalls(): WindowCalls | undefined {
    this.#windowCalls ??= windowCallsOf(this.#plan) ?? 'none'
    return this.#windowCalls === 'none' ? undefined : this.#windowCalls
  }
}
