// Errors as gRPC tells them: a status code that clients branch on, and a text, which is cut where proxies
// would refuse it.

import { status } from '@grpc/grpc-js'
import type { ErrorCode } from '../errors.js'
import type { CallFailure } from './caller.js'

const codes: Readonly<Record<ErrorCode, status>> = {
  'internal error': status.INTERNAL,
  'not implemented': status.UNIMPLEMENTED,
  'not found': status.NOT_FOUND,
  conflict: status.INVALID_ARGUMENT,
  invalid: status.INVALID_ARGUMENT,
  'unprocessable entity': status.INVALID_ARGUMENT,
  'empty value': status.INVALID_ARGUMENT,
  unavailable: status.UNAVAILABLE,
  forbidden: status.PERMISSION_DENIED,
  'too many requests': status.RESOURCE_EXHAUSTED,
  unauthorized: status.UNAUTHENTICATED,
  'method not allowed': status.UNIMPLEMENTED,
  'request too large': status.RESOURCE_EXHAUSTED,
  'unsupported media type': status.INVALID_ARGUMENT,
}

const timeoutText = /^query-timeout limit exceeded/

/** The texts of limits say so (the misspelling is InfluxDB's); their code is that of any bad request. */
const limitText = /limit exceeed|limit exceeded/

const messageMax = 2000

export interface CallStatus {
  readonly code: status
  readonly details: string
}

export function callStatus({ code, message }: CallFailure): CallStatus {
  // Half of a surrogate pair, as cutting may leave it, cannot be sent.
  const details = message.slice(0, messageMax).toWellFormed()
  return { code: codeOf(code, message), details }
}

function codeOf(code: ErrorCode, message: string): status {
  if (timeoutText.test(message)) return status.DEADLINE_EXCEEDED
  return code === 'invalid' && limitText.test(message) ? status.RESOURCE_EXHAUSTED : codes[code]
}
