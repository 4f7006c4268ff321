// Errors on the wire: what was thrown -> status, body and headers. v2 paths answer `{code,
// message}`, v1 paths `{error}`, v3 paths `{error, data}`; the cluster variant's v1 paths carry the first
// two, because its contract asks for the first and its clients read the second.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Variant } from '../config.js'
import { BusyError, DiskError, type ErrorCode, errorCodes, UserError } from '../errors.js'

/** A UserError with what write errors may carry beyond code and message. */
export class WriteError extends UserError {
  /** First malformed or rejected line, counted from 1. */
  readonly line: number | undefined
  /** The largest body, in bytes, where the body was larger. */
  readonly maxLength: number | undefined

  constructor(message: string, details: { line?: number; maxLength?: number }, status = 400) {
    super('invalid', message, status)
    this.name = 'WriteError'
    this.line = details.line
    this.maxLength = details.maxLength
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

export interface ErrorAnswer {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly retryAfterSeconds?: number
  readonly line?: number | undefined
  readonly maxLength?: number | undefined
  /** Ours, not the client's: to be logged. */
  readonly isUnexpected: boolean
}

export function isV1Path(url: string): boolean {
  const path = url.split('?', 1)[0]
  return /^\/(write|query)\/?$/.test(path) || path.startsWith('/api/v1/')
}

/** Those that v3 clients know; what manages databases and tokens stands beside them, and answers as v2 does. */
function isV3Path(url: string): boolean {
  return /^\/api\/v3\/(write_lp|query_sql|query_influxql)\b/.test(url)
}

function isV1Write(url: string): boolean {
  return /^\/write\/?$/.test(url.split('?', 1)[0])
}

export function errorAnswer(
  error: unknown,
  url: string,
  requestId: string,
  variant: Variant = 'managed',
): ErrorAnswer {
  if (error instanceof WriteError) {
    const { status, code, message, line, maxLength } = error
    return { status, code, message, line, maxLength, isUnexpected: false }
  }
  if (error instanceof UserError) {
    const { status, code, message } = error
    return { status, code, message, isUnexpected: false }
  }
  if (error instanceof OverloadError) {
    const { message, retryAfterSeconds } = error
    return { status: 503, code: 'unavailable', message, retryAfterSeconds, isUnexpected: false }
  }
  if (error instanceof BusyError) {
    // Telegraf's v1 output drops what gets 429; its v2 output and the v2 clients wait and come
    // back. The cluster's contract has 429 for both.
    const { message, retryAfterSeconds } = error
    const isDropped = variant === 'managed' && isV1Write(url)
    const code = isDropped ? 'unavailable' : 'too many requests'
    return { status: errorCodes[code], code, message, retryAfterSeconds, isUnexpected: false }
  }
  if (error instanceof DiskError) {
    const { message } = error
    return { status: 503, code: 'unavailable', message, retryAfterSeconds: 5, isUnexpected: true }
  }
  return frameworkAnswer(error) ?? internalAnswer(requestId)
}

/** What Fastify itself refuses: bodies that fail their schema, bad URLs, bodies over a limit. */
function frameworkAnswer(error: unknown): ErrorAnswer | undefined {
  const { statusCode, message, validation } = error as Partial<FastifyError>
  if (validation !== undefined && message !== undefined) {
    return { status: 400, code: 'invalid', message, isUnexpected: false }
  }
  if (statusCode === undefined || statusCode >= 500 || message === undefined) return undefined
  return { status: statusCode, code: codeOfStatus(statusCode), message, isUnexpected: false }
}

function codeOfStatus(status: number): ErrorCode {
  const found = Object.entries(errorCodes).find((entry) => entry[1] === status)
  return status === 422 || found === undefined ? 'invalid' : (found[0] as ErrorCode)
}

function internalAnswer(requestId: string): ErrorAnswer {
  const message = `An internal error has occurred - check server logs for request ${requestId}`
  return { status: 500, code: 'internal error', message, isUnexpected: true }
}

/** A body in another form than JSON's usual one. */
export interface ErrorBody {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ErrorAnswer,
  variant: Variant,
  body?: ErrorBody,
): void {
  const isV1 = isV1Path(request.url)
  const json = isV3Path(request.url) ? 'application/json' : 'application/json; charset=utf-8'
  reply.code(answer.status)
  reply.header('content-type', body?.contentType ?? json)
  reply.header('x-influxdb-error', headerText(answer.message))
  reply.header('x-platform-error-code', answer.code)
  if (answer.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(answer.retryAfterSeconds))
  }
  if (answer.status === 401) {
    reply.header('www-authenticate', isV1 ? 'Basic realm="InfluxDB"' : 'Token')
  }
  reply.send(body?.bytes ?? bodyText(request.url, answer, variant))
}

function bodyText(url: string, answer: ErrorAnswer, variant: Variant): string {
  // InfluxDB 1 ends its answers with a line feed, which shows in a terminal.
  if (isV1Path(url)) return `${JSON.stringify(v1Body(answer, variant))}\n`
  if (isV3Path(url)) return JSON.stringify({ error: answer.message, data: null })
  return JSON.stringify(v2Body(answer))
}

function v1Body(answer: ErrorAnswer, variant: Variant): object {
  const body = { error: answer.message }
  return variant === 'cluster' ? { ...body, ...v2Body(answer) } : body
}

function v2Body(answer: ErrorAnswer): object {
  const { code, message, line, maxLength } = answer
  return {
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(maxLength === undefined ? {} : { maxLength }),
  }
}

const headerTextMax = 256

/** Headers carry neither line breaks nor characters beyond ASCII, and proxies dislike long ones. */
function headerText(message: string): string {
  return message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, headerTextMax)
}
