// The check of a whole script before anything of it runs: its syntax, its form, its assignments, and
// the types of everything in it. All mistakes are told together, in the order in which Flux tells them.

import type { File, FunctionExpression } from '../syntax/ast.js'
import { syntaxErrors } from '../syntax/syntax-errors.js'
import { tooDeep, tooLong } from '../syntax/token-stream.js'
import { assignmentProblem } from './assignments.js'
import { failureText } from './failure.js'
import { formProblems } from './form.js'
import { inferFile } from './infer-statements.js'
import { Inference } from './inference.js'
import type { TypeLibrary } from './library.js'
import type { TypeProblem } from './problem.js'
import { type Scheme, TypeTooLarge } from './scheme.js'
import type { Type } from './terms.js'

export interface CheckOptions {
  /** Statements that stand before the script, in a file of their own. */
  readonly extern?: File | undefined
}

export interface Checked {
  readonly errors: readonly TypeProblem[]
  /** The names that the script assigns at its top. */
  readonly names: ReadonlyMap<string, Scheme>
  readonly functions: ReadonlyMap<FunctionExpression, Type>
}

export function checkScript(
  file: File,
  library: TypeLibrary,
  { extern }: CheckOptions = {},
): Checked {
  const files = extern === undefined ? [file] : [extern, file]
  const errors: TypeProblem[] = files.flatMap(syntaxErrors)
  // Trees of any depth would overflow the stack of those who walk them.
  const isHuge = errors.some(({ message }) => message === tooDeep || message === tooLong)
  if (isHuge) return failed(errors)
  for (const part of files) errors.push(...formProblems(part))
  const assignment = assignmentProblem(files)
  if (assignment !== undefined) errors.push(assignment)
  const inference = new Inference(library, library, file.location)
  try {
    for (const part of files) inferFile(inference, part)
  } catch (error) {
    if (!(error instanceof TypeTooLarge)) throw error
    return failed([...errors, { location: inference.unifier.location, message: error.message }])
  }
  for (const failure of inference.unifier.failures) {
    errors.push({ location: failure.location, message: failureText(failure) })
  }
  return { errors, names: inference.scope.values(), functions: inference.functions }
}

function failed(errors: readonly TypeProblem[]): Checked {
  return { errors, names: new Map(), functions: new Map() }
}
