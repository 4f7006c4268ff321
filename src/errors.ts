// The one table of error codes and the kinds of failure told apart: bad input (UserError), a service that cannot take
// more right now (BusyError, OverloadError, UnavailableError), a damaged or failing disk (CorruptionError, DiskError)
// and our own mistakes (assert). Everything thrown on purpose in this code base is one of these.

/** Error codes of the interface, each with the HTTP status it answers with. */
export const errorCodes = {
  'internal error': 500,
  'not implemented': 501,
  'not found': 404,
  conflict: 422,
  invalid: 400,
  'unprocessable entity': 422,
  'empty value': 400,
  unavailable: 503,
  forbidden: 403,
  'too many requests': 429,
  unauthorized: 401,
  'method not allowed': 405,
  'request too large': 413,
  'unsupported media type': 415,
} as const

export type ErrorCode = keyof typeof errorCodes

/** The request ends because of what the client sent or may not do. */
export class UserError extends Error {
  readonly code: ErrorCode
  /** HTTP status where it differs from the code's own. */
  readonly status: number

  constructor(code: ErrorCode, message: string, status: number = errorCodes[code]) {
    super(message)
    this.name = 'UserError'
    this.code = code
    this.status = status
  }
}

/** A line of a write that is not stored, counted from 1, and why. */
export interface RefusedLine {
  readonly line: number
  readonly message: string
}

/** What write errors carry beyond code and message. */
export class WriteError extends UserError {
  /** First malformed or rejected line, counted from 1. */
  readonly line: number | undefined
  /** The largest body, in bytes, where the body was larger. */
  readonly maxLength: number | undefined
  /** What is wrong line by line, where the message sums it up. */
  readonly perLine: string | undefined
  /** The same as a list, for programs. */
  readonly refused: readonly RefusedLine[] | undefined

  constructor(
    message: string,
    details: {
      line?: number
      maxLength?: number
      perLine?: string
      refused?: readonly RefusedLine[]
    },
    status = 400,
  ) {
    super('invalid', message, status)
    this.name = 'WriteError'
    this.line = details.line
    this.maxLength = details.maxLength
    this.perLine = details.perLine
    this.refused = details.refused
  }
}

/** More requests at once than the server takes. Unlike BusyError it is 503 on every path. */
export class OverloadError extends Error {
  readonly retryAfterSeconds = 1

  constructor(message: string) {
    super(message)
    this.name = 'OverloadError'
  }
}

/** A server that this one cannot do without (the catalog's, the store's) is not there. */
export class UnavailableError extends OverloadError {
  constructor(message: string) {
    super(message)
    this.name = 'UnavailableError'
  }
}

/** The service is healthy in principle but cannot take this request now; the client should come back. */
export class BusyError extends Error {
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.name = 'BusyError'
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The disk refused or failed an operation (full, read-only, I/O error). Nothing acknowledged is lost. */
export class DiskError extends Error {
  readonly file: string

  constructor(file: string, message: string, cause?: unknown) {
    super(`${message} (${file})`, { cause })
    this.name = 'DiskError'
    this.file = file
  }
}

/** Bytes on disk are not what was written there. Names the file and the offset. */
export class CorruptionError extends Error {
  readonly file: string
  readonly offset: number

  constructor(file: string, offset: number, message: string) {
    super(`corrupt data in ${file} at offset ${offset}: ${message}`)
    this.name = 'CorruptionError'
    this.file = file
    this.offset = offset
  }
}

/** For our own mistakes only: never reachable by input or by a broken disk. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`BUG: ${message}`)
}
