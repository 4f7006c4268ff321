// What of the work of a SELECT follows from its plan whatever its literals are: found when it is first
// needed, and the same for every run of the query.

import type { FieldType } from '../../column/column.js'
import type { SelectPlan } from '../plan/select-plan.js'
import { valueTypes } from './value-types.js'
import { type WindowCalls, windowCallsOf } from './window-select.js'

export class SelectSteps {
  readonly #plan: SelectPlan
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

  /** Undefined: it is not answered by windows in one table. */
  get windowCalls(): WindowCalls | undefined {
    this.#windowCalls ??= windowCallsOf(this.#plan) ?? 'none'
    return this.#windowCalls === 'none' ? undefined : this.#windowCalls
  }
}
