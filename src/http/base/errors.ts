// Errors on the wire: what was thrown → status, code and message, and how a route says them. Which shape an error has
// is a property of its route: `{code, message}` for v2 and everything that manages something, the same beside `error`
// for v1 (the contract asks for the first and the clients read the second), and `{error, data}` for the v3 routes that
// carry data.

import type { FastifyError } from 'fastify'
import type { Variant } from '../../config.js'
import {
  BusyError,
  type ErrorCode,
  errorCodes,
  type RefusedLine,
  UserError,
  WriteError,
} from '../../errors.js'
import { type Failure, failureOf, internalFailure } from '../../service/base/failures.js'

export interface ErrorAnswer extends Failure {
  readonly status: number
  readonly line?: number | undefined
  readonly maxLength?: number | undefined
  readonly perLine?: string | undefined
  readonly refused?: readonly RefusedLine[] | undefined
}

/** How a route tells its errors. */
export interface ErrorForm {
  readonly contentType: string
  /** What a client that sent no good credential is asked for. */
  readonly challenge: string
  /** How a server that is busy is told. */
  readonly busy: 'too many requests' | 'unavailable'
  body(answer: ErrorAnswer): string
}

const json = 'application/json; charset=utf-8'

export const v2Errors: ErrorForm = {
  contentType: json,
  challenge: 'Token',
  busy: 'too many requests',
  body: (answer) => JSON.stringify(v2Body(answer)),
}

export const v3Errors: ErrorForm = {
  contentType: 'application/json',
  challenge: 'Token',
  busy: 'too many requests',
  body: ({ message }) => JSON.stringify({ error: message, data: null }),
}

export const v1Errors: ErrorForm = {
  contentType: json,
  challenge: 'Basic realm="InfluxDB"',
  busy: 'too many requests',
  // InfluxDB 1 ends its answers with a line feed, which shows in a terminal.
  body: (answer) => `${JSON.stringify(v1Members(answer))}\n`,
}

/** `error` in the words of InfluxDB 1, which programs look for; `message` as the contract has it. */
export function v1Members(answer: ErrorAnswer): Readonly<Record<string, string | number>> {
  const { message, perLine = message } = answer
  return { error: message, ...v2Body({ ...answer, message: perLine }) }
}

/**
 * Telegraf's v1 output drops what gets 429; its v2 output and the v2 clients wait and come back. The cluster's contract
 * has 429 for both.
 */
export function v1WriteErrors(variant: Variant): ErrorForm {
  return variant === 'cluster' ? v1Errors : { ...v1Errors, busy: 'unavailable' }
}

function v2Body(answer: ErrorAnswer): object {
  const { code, message, line, maxLength, refused } = answer
  return {
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(refused === undefined ? {} : { refused }),
  }
}

export function errorAnswer(
  error: unknown,
  requestId: string,
  { busy }: Pick<ErrorForm, 'busy'> = v2Errors,
): ErrorAnswer {
  const failure = failureOf(error) ?? frameworkFailure(error) ?? internalFailure(requestId)
  if (error instanceof WriteError) {
    const { status, line, maxLength, perLine, refused } = error
    return { ...failure, status, line, maxLength, perLine, refused }
  }
  if (error instanceof UserError) return { ...failure, status: error.status }
  if (error instanceof BusyError) return { ...failure, code: busy, status: errorCodes[busy] }
  const { statusCode } = error as Partial<FastifyError>
  const isFrameworks = failure.code !== 'internal error' && statusCode !== undefined
  return { ...failure, status: isFrameworks ? statusCode : errorCodes[failure.code] }
}

/** What Fastify itself refuses: bodies that fail their schema, bad URLs, bodies over a limit. */
function frameworkFailure(error: unknown): Failure | undefined {
  const { statusCode, message, validation } = error as Partial<FastifyError>
  if (message === undefined) return undefined
  if (validation !== undefined) return { code: 'invalid', message, isUnexpected: false }
  if (statusCode === undefined || statusCode >= 500) return undefined
  return { code: codeOfStatus(statusCode), message, isUnexpected: false }
}

function codeOfStatus(status: number): ErrorCode {
  const found = Object.entries(errorCodes).find((entry) => entry[1] === status)
  return status === 422 || found === undefined ? 'invalid' : (found[0] as ErrorCode)
}

/** A body in another form than the route's usual one. */
export interface ErrorBody {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Names and values in turn. */
export function errorHeaders(answer: ErrorAnswer, form: ErrorForm, contentType: string): string[] {
  const { status, code, message, retryAfterSeconds } = answer
  const headers = ['content-type', contentType, 'x-influxdb-error', headerText(message)]
  headers.push('x-platform-error-code', code)
  if (retryAfterSeconds !== undefined) headers.push('retry-after', String(retryAfterSeconds))
  if (status === 401) headers.push('www-authenticate', form.challenge)
  return headers
}

const headerTextMax = 256

/** Headers carry neither line breaks nor characters beyond ASCII, and proxies dislike long ones. */
function headerText(message: string): string {
  return message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, headerTextMax)
}
