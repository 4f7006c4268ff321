// The table of functions: every name that a call may have. A new function is an entry in its family,
// the code that the entry makes, and cases in the corpus.

import type { Expression } from '../syntax/ast.js'
import { aggregates } from './aggregates.js'
import type { FunctionSpec } from './function-spec.js'
import { indicators } from './indicators.js'
import { mathFunctions } from './math.js'
import { selectors } from './selectors.js'
import { transforms } from './transforms.js'

export const functions = {
  ...aggregates,
  ...selectors,
  ...transforms,
  ...indicators,
  ...mathFunctions,
} satisfies Record<string, FunctionSpec>

export type FunctionName = keyof typeof functions

const byName: ReadonlyMap<string, FunctionSpec> = new Map(Object.entries(functions))

/** Undefined: there is no such function. */
export function findFunction(name: string): FunctionSpec | undefined {
  return byName.get(name)
}

export function isMath(name: string): boolean {
  return findFunction(name)?.kind === 'math'
}

/** The tags among the arguments of `top(field, tag, 3)`; none of any other expression. */
export function tagArguments(expression: Expression): readonly Expression[] {
  if (expression.kind !== 'call') return []
  const spec = findFunction(expression.name)
  return spec?.kind === 'selector' && spec.bestOfTags !== undefined
    ? expression.args.slice(1, -1)
    : []
}
