// Outgoing requests over the network. Every hop, the first and each redirect, is resolved and judged anew and goes to
// an address that was judged; connections are not kept, so that none made under one judgement serves another. Time, and
// the bytes of question and answer (unpacked), are limited.

import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { UserError } from '../errors.js'
import { gunzipped } from './gunzip.js'
import type { OutgoingAddress, OutgoingAddresses } from './outgoing-address.js'
import {
  answerHeaders,
  type HeaderMap,
  scriptHeaders,
  sentHeaders,
  withoutBody,
  withoutSecrets,
} from './outgoing-headers.js'
import {
  OutgoingFailure,
  type OutgoingHttp,
  type OutgoingRequest,
  type OutgoingResponse,
} from './outgoing-http.js'

export interface OutgoingLimits {
  /** Where the request names no time. */
  readonly timeoutSeconds: number
  /** Also where it names a longer one. */
  readonly timeoutSecondsMax: number
  readonly requestBytesMax: number
  readonly responseBytesMax: number
  readonly redirectsMax: number
}

const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'])
/** Of an answer's first line and headers. */
const headerBytesMax = 256 * 1024
const nsPerMs = 1_000_000n
const deadlineExceeded = 'context deadline exceeded'

/** One hop. */
interface Message {
  readonly method: string
  readonly url: URL
  readonly headers: HeaderMap
  readonly body: Uint8Array
}

interface Answer {
  readonly statusCode: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

export class OutgoingRequests implements OutgoingHttp {
  readonly #addresses: Pick<OutgoingAddresses, 'resolve'>
  readonly #limits: OutgoingLimits

  constructor(addresses: Pick<OutgoingAddresses, 'resolve'>, limits: OutgoingLimits) {
    this.#addresses = addresses
    this.#limits = limits
  }

  async fetch(request: OutgoingRequest): Promise<OutgoingResponse> {
    const { signal } = request
    signal.throwIfAborted()
    const started = process.hrtime.bigint()
    const first = this.#firstMessage(request)
    const stop = new AbortController()
    const abort = () => stop.abort()
    signal.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(abort, this.#timeoutMs(request.timeoutNs))
    try {
      const answer = await this.#follow(first, request, stop.signal)
      return { ...answer, durationNs: process.hrtime.bigint() - started }
    } catch (error) {
      // Whatever broke, being stopped is the reason.
      if (signal.aborted) throw signal.reason
      throw stop.signal.aborted ? new OutgoingFailure(deadlineExceeded) : error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  #firstMessage({ method, url, headers, body }: OutgoingRequest): Message {
    if (!methods.has(method)) {
      throw new OutgoingFailure(`net/http: invalid method ${JSON.stringify(method)}`)
    }
    const { requestBytesMax } = this.#limits
    if (body.length > requestBytesMax) {
      throw new OutgoingFailure(`the request body is too large: at most ${requestBytesMax} bytes`)
    }
    return { method, url: parsedUrl(url), headers: scriptHeaders(headers), body }
  }

  #timeoutMs(timeoutNs: bigint): number {
    const { timeoutSeconds, timeoutSecondsMax } = this.#limits
    const asked = timeoutNs <= 0n ? timeoutSeconds * 1000 : Number(timeoutNs / nsPerMs)
    return Math.min(asked, timeoutSecondsMax * 1000)
  }

  async #follow(
    first: Message,
    { skipsVerification, keepsMethod = false }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { redirectsMax } = this.#limits
    let message = first
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#exchange(message, skipsVerification, signal)
      const next = redirected(message, answer)
      if (next === undefined || (keepsMethod && next.method !== first.method)) return answer
      if (redirects === redirectsMax) {
        throw new OutgoingFailure(`stopped after ${redirectsMax} redirects`)
      }
      message = next
    }
  }

  async #exchange(
    message: Message,
    skipsVerification: boolean,
    signal: AbortSignal,
  ): Promise<Answer> {
    const addresses = await unlessAborted(this.#resolve(message.url), signal)
    const { responseBytesMax } = this.#limits
    return exchange(message, addresses, { skipsVerification, signal, responseBytesMax })
  }

  async #resolve(url: URL): Promise<readonly OutgoingAddress[]> {
    try {
      return await this.#addresses.resolve(url.hostname)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      throw new OutgoingFailure(error.message)
    }
  }
}

function parsedUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (url === undefined) throw new OutgoingFailure('invalid URL')
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'http' || scheme === 'https') return url
  throw new OutgoingFailure(`unsupported protocol scheme ${JSON.stringify(scheme)}`)
}

/** Resolving a name cannot be stopped; waiting for it can. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new OutgoingFailure(deadlineExceeded))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** The request that the answer asks for instead; undefined: it is the answer. */
function redirected(message: Message, { statusCode, headers }: Answer): Message | undefined {
  const location = headers.get('Location')
  if (location === undefined || location === '') return undefined
  const keepsMethod = statusCode === 307 || statusCode === 308
  if (!keepsMethod && statusCode !== 301 && statusCode !== 302 && statusCode !== 303) {
    return undefined
  }
  const url = parsedUrl(location, message.url)
  const staysClose = isSameSite(message.url, url)
  const kept = staysClose ? message.headers : withoutSecrets(message.headers)
  if (keepsMethod) return { ...message, url, headers: kept }
  const method = message.method === 'HEAD' ? 'HEAD' : 'GET'
  return { method, url, headers: withoutBody(kept), body: new Uint8Array(0) }
}

/** The same host or one below it, and not from an encrypted connection to an open one. */
function isSameSite(from: URL, to: URL): boolean {
  if (from.protocol === 'https:' && to.protocol !== 'https:') return false
  if (from.hostname === to.hostname) return true
  return isIP(from.hostname) === 0 && to.hostname.endsWith(`.${from.hostname}`)
}

interface ExchangeOptions {
  readonly skipsVerification: boolean
  readonly signal: AbortSignal
  readonly responseBytesMax: number
}

function exchange(
  message: Message,
  addresses: readonly OutgoingAddress[],
  options: ExchangeOptions,
): Promise<Answer> {
  const { method, url, headers, body } = message
  const sent = sentHeaders(headers, method, url, body.length)
  const isTls = url.protocol === 'https:'
  const host = bareHost(url)
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const requestOptions: RequestOptions = {
    method,
    host,
    port,
    path: `${url.pathname}${url.search}`,
    headers: sent.headers,
    agent: false,
    lookup: lookupOf(addresses),
    signal: options.signal,
    maxHeaderSize: headerBytesMax,
  }
  const tls = { rejectUnauthorized: !options.skipsVerification }
  return new Promise<Answer>((resolve, reject) => {
    const fail = (error: Error) => reject(failureOf(error, `${addresses[0].address}:${port}`))
    const request = isTls
      ? tlsRequest({ ...requestOptions, ...tls, servername: isIP(host) === 0 ? host : '' })
      : plainRequest(requestOptions)
    request.on('error', fail)
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new OutgoingFailure('the server wants to change the protocol'))
    })
    request.on('response', (response) => {
      // The headers of HEAD tell of a body that does not come.
      const bytesMax = method === 'HEAD' ? Number.POSITIVE_INFINITY : options.responseBytesMax
      readBody(response, sent.unpacks, bytesMax).then(
        (body) => resolve({ ...answerHead(response, sent.unpacks), body }),
        (error) => {
          response.destroy()
          fail(error)
        },
      )
    })
    if (body.length === 0) request.end()
    else request.end(body)
  })
}

function bareHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Tells the connection what was judged, whatever name it asks about. */
function lookupOf(addresses: readonly OutgoingAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [...addresses])
    else callback(null, addresses[0].address, addresses[0].family)
  }
}

function answerHead(response: IncomingMessage, unpacks: boolean): Omit<Answer, 'body'> {
  const headers = answerHeaders(response.rawHeaders, unpacks && isPacked(response))
  return { statusCode: response.statusCode ?? 0, headers }
}

function isPacked({ headers }: IncomingMessage): boolean {
  return headers['content-encoding']?.toLowerCase() === 'gzip'
}

const bodyTooLarge = 'http response body is too large, reduce the amount of data querying'

async function readBody(
  response: IncomingMessage,
  unpacks: boolean,
  bytesMax: number,
): Promise<Uint8Array> {
  const length = Number(response.headers['content-length'] ?? 0)
  if (length > bytesMax) throw new OutgoingFailure(bodyTooLarge)
  const parts: Uint8Array[] = []
  let bytes = 0
  const source = unpacks && isPacked(response) ? gunzipped(response) : response
  for await (const part of source as AsyncIterable<Uint8Array>) {
    bytes += part.length
    if (bytes > bytesMax) throw new OutgoingFailure(bodyTooLarge)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const causes: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connect: connection refused'],
  ['EHOSTUNREACH', 'connect: no route to host'],
  ['ENETUNREACH', 'connect: network is unreachable'],
  ['ETIMEDOUT', 'i/o timeout'],
])

const untrusted = 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
const expired =
  'tls: failed to verify certificate: x509: certificate has expired or is not yet valid'

const certificateCauses: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['CERT_HAS_EXPIRED', expired],
  ['CERT_NOT_YET_VALID', expired],
])

/** In Go's words, which scripts and their readers know, where it has them. */
function failureOf(error: Error, dialed: string): OutgoingFailure {
  if (error instanceof OutgoingFailure) return error
  const code = codeOf(error)
  const cause = causes.get(code)
  if (cause !== undefined) return new OutgoingFailure(cause, dialed)
  const certificate = certificateCauses.get(code)
  if (certificate !== undefined) return new OutgoingFailure(certificate)
  if (code === 'ECONNRESET') return new OutgoingFailure('EOF')
  return new OutgoingFailure(error.message)
}

/** Where several addresses were tried, that of the last. */
function codeOf(error: Error): string {
  const last = error instanceof AggregateError ? error.errors.at(-1) : error
  const { code } = (last ?? error) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
