// Failures of a script: the cause in Flux's words, and where in the text it came about. Whoever knows
// the place adds it once; the innermost place stays.

import { type ErrorCode, UserError } from '../../errors.js'
import type { SourceLocation } from '../syntax/ast.js'

export class FluxError extends UserError {
  constructor(message: string, code: ErrorCode = 'invalid', status?: number) {
    super(code, message, status)
    this.name = 'FluxError'
  }
}

/** A failure that already names its place. */
export class LocatedError extends FluxError {}

/** The script asked for more than it gets. Where in it says nothing, so that no places are put before it. */
export class LimitError extends FluxError {}

/** `1:2-3:4`. */
export function locationText({ start, end }: SourceLocation): string {
  return `${start.line}:${start.column}-${end.line}:${end.column}`
}
