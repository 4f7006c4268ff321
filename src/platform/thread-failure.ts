// Failures that cross a thread: errors do not keep their class on the way, so what makes them is
// sent, and the same error is made again where somebody waits for it.

import {
  BusyError,
  CorruptionError,
  DiskError,
  type ErrorCode,
  OverloadError,
  UnavailableError,
  UserError,
} from '../errors.js'

export interface ThreadFailure {
  readonly name: string
  readonly message: string
  readonly file: string
  readonly offset: number
  /** Of a UserError its own code; of a disk's failure the system's. */
  readonly code: string | undefined
  /** Of a UserError. */
  readonly status: number | undefined
  /** Of a BusyError. */
  readonly retryAfterSeconds: number | undefined
  /** Of our own mistakes: where they were made. */
  readonly stack: string | undefined
}

export function describeFailure(error: Error): ThreadFailure {
  const { file, offset, cause } = error as Partial<CorruptionError> & { cause?: { code?: string } }
  const isUsers = error instanceof UserError
  return {
    // Its kinds carry nothing more than it does to whoever is told of them.
    name: isUsers ? 'UserError' : error.name,
    message: error.message,
    file: file ?? '',
    offset: offset ?? 0,
    code: isUsers ? error.code : cause?.code,
    status: isUsers ? error.status : undefined,
    retryAfterSeconds: error instanceof BusyError ? error.retryAfterSeconds : undefined,
    stack: error.stack,
  }
}

export function reviveFailure(failure: ThreadFailure): Error {
  const { name, message, file, offset, code, status, retryAfterSeconds, stack } = failure
  const bare = message.replace(` (${file})`, '')
  const at = `corrupt data in ${file} at offset ${offset}: `
  switch (name) {
    case 'UserError':
      return new UserError(code as ErrorCode, message, status)
    case 'OverloadError':
      return new OverloadError(message)
    case 'UnavailableError':
      return new UnavailableError(message)
    case 'BusyError':
      return new BusyError(message, retryAfterSeconds)
    case 'DiskError':
      return new DiskError(file, bare, code === undefined ? undefined : { code })
    case 'CorruptionError':
      return new CorruptionError(file, offset, message.replace(at, ''))
    default: {
      const error = new Error(message)
      if (stack !== undefined) error.stack = stack
      return error
    }
  }
}
