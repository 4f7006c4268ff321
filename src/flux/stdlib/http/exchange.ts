// Requests that library functions make of other services, with what goes wrong told in Flux's words. Where a script may
// not connect to it learns no more than that there is no such host.

import { noSuchHost } from '../../../platform/outgoing-address.js'
import { OutgoingFailure, type OutgoingResponse } from '../../../platform/outgoing-http.js'
import type { Call } from '../../package/define.js'
import { dictionaryOf } from '../../value/dictionary.js'
import { durationNs } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import {
  Bytes,
  type Dictionary,
  type Duration,
  type FluxRecord,
  type FluxValue,
  MapRecord,
} from '../../value/value.js'

export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface Question {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  readonly body?: Uint8Array
  /** Nothing, or none above zero: the usual time. */
  readonly timeout?: Duration
  readonly skipsVerification?: boolean
  /** A connection that cannot be made is told without what it was for. */
  readonly hidesTarget?: boolean
}

export async function exchange(call: Call, question: Question): Promise<OutgoingResponse> {
  const { scope, signal } = call.context
  const { method, url, headers, timeout } = question
  const timeoutNs = timeout === undefined ? 0n : durationNs(timeout)
  try {
    return await scope.outgoing.fetch({
      method,
      url,
      headers,
      body: question.body ?? new Uint8Array(0),
      timeoutNs: timeoutNs < 0n ? 0n : timeoutNs,
      skipsVerification: question.skipsVerification ?? false,
      signal,
    })
  } catch (error) {
    throw error instanceof OutgoingFailure ? explained(error, question) : error
  }
}

/** `Get "http://example.com/": dial tcp 192.0.2.1:80: connect: connection refused`. */
function explained({ message, dialed }: OutgoingFailure, question: Question): FluxError {
  const { method, url, hidesTarget } = question
  const isBare = message === noSuchHost || (hidesTarget === true && dialed !== undefined)
  if (isBare) return new FluxError(message)
  const verb = method.slice(0, 1) + method.slice(1).toLowerCase()
  const place = dialed === undefined ? '' : `dial tcp ${dialed}: `
  return new FluxError(`${verb} ${quoted(withoutPassword(url))}: ${place}${message}`)
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#]*@/i, '$1:***@')
}

/** The headers of a record; null: none. Throws FluxError for values that are no texts. */
export function recordHeaders(record: FluxRecord): HeaderList {
  return Array.from(record.names(), (name) => {
    const value = record.get(name)
    if (typeof value === 'string') return [name, value] as const
    throw new FluxError(`header value ${quoted(name)} must be a string`)
  })
}

export function dictionaryHeaders({ entries }: Dictionary): HeaderList {
  return entries.map(({ key, value }) => {
    if (typeof key === 'string' && typeof value === 'string') return [key, value] as const
    const shown = quoted(typeof key === 'string' ? key : '')
    throw new FluxError(`header key and values must be a string: ${shown}`)
  })
}

export function headersRecord(headers: ReadonlyMap<string, string>): FluxRecord {
  return new MapRecord(headers)
}

export function headersDictionary(headers: ReadonlyMap<string, string>): Dictionary {
  return dictionaryOf(Array.from(headers, ([key, value]) => ({ key, value })))
}

/** `{statusCode, body, headers, …}`. */
export function responseRecord(
  call: Call,
  { statusCode, body }: OutgoingResponse,
  headers: FluxValue,
  others: readonly (readonly [string, FluxValue])[] = [],
): FluxRecord {
  return new MapRecord(
    new Map<string, FluxValue>([
      ['statusCode', BigInt(statusCode)],
      ['body', call.context.held(new Bytes(body))],
      ['headers', headers],
      ...others,
    ]),
  )
}
