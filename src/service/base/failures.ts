// What callers are told of errors, whichever way they asked: a code of the one table, a text, and when to come back.
// Errors of our own are logged and counted, and told without their insides.

import { BusyError, DiskError, type ErrorCode, OverloadError, UserError } from '../../errors.js'
import type { Log } from './log.js'

export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly retryAfterSeconds?: number
  /** Ours, not the caller's: to be logged. */
  readonly isUnexpected: boolean
}

/** Undefined: nothing that was thrown on purpose. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UserError) {
    return { code: error.code, message: error.message, isUnexpected: false }
  }
  if (error instanceof OverloadError || error instanceof BusyError) {
    const { message, retryAfterSeconds } = error
    const code = error instanceof BusyError ? 'too many requests' : 'unavailable'
    return { code, message, retryAfterSeconds, isUnexpected: false }
  }
  if (error instanceof DiskError) {
    const { message } = error
    return { code: 'unavailable', message, retryAfterSeconds: 5, isUnexpected: true }
  }
  return undefined
}

export function internalFailure(requestId: string): Failure {
  const message = `An internal error has occurred - check server logs for request ${requestId}`
  return { code: 'internal error', message, isUnexpected: true }
}

export class Failures {
  readonly #log: Log
  #count = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Errors of our own since the start. */
  get count(): number {
    return this.#count
  }

  report(what: string, fields: Readonly<Record<string, unknown>>): void {
    this.#count++
    this.#log('error', what, fields)
  }
}
