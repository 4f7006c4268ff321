// Failures that cross a thread: errors do not keep their class on the way, so what makes them is
// sent, and the same error is made again where somebody waits for it.

import { CorruptionError, DiskError, type ErrorCode, UserError } from '../../../errors.js'

export interface ThreadFailure {
  readonly name: string
  readonly message: string
  readonly file: string
  readonly offset: number
  /** Of a UserError its own code; of a disk's failure the system's. */
  readonly code: string | undefined
}

export function describeFailure(error: Error): ThreadFailure {
  const { file, offset, cause } = error as Partial<CorruptionError> & { cause?: { code?: string } }
  return {
    name: error.name,
    message: error.message,
    file: file ?? '',
    offset: offset ?? 0,
    code: error instanceof UserError ? error.code : cause?.code,
  }
}

export function reviveFailure(failure: ThreadFailure): Error {
  const { name, message, file, offset, code } = failure
  const bare = message.replace(` (${file})`, '')
  const at = `corrupt data in ${file} at offset ${offset}: `
  if (name === 'UserError') return new UserError(code as ErrorCode, message)
  if (name === 'DiskError')
    return new DiskError(file, bare, code === undefined ? undefined : { code })
  if (name === 'CorruptionError') return new CorruptionError(file, offset, message.replace(at, ''))
  return new Error(message)
}
