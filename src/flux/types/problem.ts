// What is wrong with a script before it runs, as checks find it and answers tell it. The shape is that of
// the mistakes in syntax: readers do not care which check found what.

import type { LocatedError } from '../syntax/syntax-errors.js'
import { errorText } from '../syntax/syntax-errors.js'

export type TypeProblem = LocatedError

/** `error @1:5-1:9: undefined identifier foo`. */
export function problemText(problem: TypeProblem): string {
  return errorText(problem)
}

/** Several stand apart by an empty line. */
export function problemsText(problems: readonly TypeProblem[]): string {
  return problems.map(problemText).join('\n\n')
}
