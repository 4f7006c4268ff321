// A request to the data plane and its answer: Node's own request and
// response, and what every handler asks of them.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { failureOf, internalFailure } from '../../service/base/failures.js'
import { type AnswerHead, answerHead } from '../base/answer-head.js'
import {
  type ErrorAnswer,
  type ErrorBody,
  type ErrorForm,
  errorAnswer,
  errorHeaders,
} from '../base/errors.js'
import { requestId } from '../base/request-id.js'
import { readSearch } from '../base/search.js'
import type { Services } from '../base/services.js'

/** What a handler brings to tell errors otherwise than its route's form does. Undefined: as the form does. */
export type FailureBody = (
  exchange: Exchange,
  error: Error,
  answer: ErrorAnswer,
) => ErrorBody | undefined

const noNodes: readonly string[] = []

export class Exchange {
  readonly services: Services
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** Of the path's pattern. */
  readonly params: Readonly<Record<string, string>>
  readonly #search: string
  readonly #errors: ErrorForm
  #query: Readonly<Record<string, string>> | undefined

  constructor(
    services: Services,
    request: IncomingMessage,
    response: ServerResponse,
    errors: ErrorForm,
    search: string,
    params: Readonly<Record<string, string>>,
  ) {
    this.services = services
    this.request = request
    this.response = response
    this.id = requestId(request.headers, services.random)
    this.params = params
    this.#search = search
    this.#errors = errors
    // Of a connection that breaks nobody has to be told; an event without a listener would end the process.
    response.on('error', ignore)
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get ip(): string | undefined {
    return this.request.socket.remoteAddress
  }

  get method(): string {
    return this.request.method ?? ''
  }

  get url(): string {
    return this.request.url ?? ''
  }

  get query(): Readonly<Record<string, string>> {
    this.#query ??= readSearch(this.#search)
    return this.#query
  }

  /** Whether nobody is there to take the answer. */
  get isGone(): boolean {
    return this.response.destroyed
  }

  /** Calls back once, if the client goes before it has all of the answer. */
  onGone(callback: () => void): void {
    const { response } = this
    response.on('close', () => {
      if (!response.writableFinished) callback()
    })
    if (response.destroyed) callback()
  }

  /** The headers that every answer begins with. `version`: another than the usual. */
  head(version?: string): AnswerHead {
    const head = answerHead(this.services.config.variant, this, version)
    const unreachable = this.services.catalog.nodes?.unconfirmed ?? noNodes
    // Statements may have changed something that these do not know yet.
    if (unreachable.length > 0 && this.request.method === 'POST') {
      head.push('x-millrace-unreachable-nodes', unreachable.join(', '))
    }
    return head
  }

  writeHead(status: number, head: AnswerHead): void {
    const { response } = this
    // What Node would say of a connection that stays anyway its own clients set a timer by, for each answer, and that
    // takes them longer than all else in a small answer's head. InfluxDB does not say it either.
    if (staysOpen(this.request) && this.services.state.isOpen) response.removeHeader('connection')
    response.writeHead(status, head)
  }

  sendNothing(headers: readonly string[] = [], head = this.head()): void {
    head.push(...headers)
    this.writeHead(204, head)
    this.response.end()
  }

  sendJson(value: unknown, head = this.head(), status = 200): void {
    const body = JSON.stringify(value)
    head.push('content-type', 'application/json; charset=utf-8')
    head.push('content-length', Buffer.byteLength(body))
    this.writeHead(status, head)
    this.response.end(body)
  }

  /** With status 200. The body is copied before this returns: Node joins a head only with a text into one write. */
  sendWhole(head: AnswerHead, body: Uint8Array): void {
    head.push('content-length', body.length)
    this.writeHead(200, head)
    this.response.end(latin1(body), 'latin1')
  }

  /** Errors of our own are logged, and told without their insides. */
  failureText(error: Error): string {
    const { message, isUnexpected } = failureOf(error) ?? internalFailure(this.id)
    if (isUnexpected) this.services.failures.report('query failed', { requestId: this.id, error })
    return message
  }

  sendError(error: Error, failureBody: FailureBody | undefined): void {
    const { method, id, response } = this
    const answer = errorAnswer(error, id, this.#errors)
    if (answer.isUnexpected) {
      const [path] = this.url.split('?', 1)
      this.services.failures.report('request failed', { method, path, requestId: id, error })
    }
    if (response.headersSent || this.isGone) {
      // The answer has begun: only its breaking off can tell that something is wrong.
      response.destroy()
      return
    }
    const other = answer.isUnexpected ? undefined : failureBody?.(this, error, answer)
    const body = other?.bytes ?? Buffer.from(this.#errors.body(answer))
    const head = this.head()
    const contentType = other?.contentType ?? this.#errors.contentType
    head.push(...errorHeaders(answer, this.#errors, contentType))
    head.push('content-length', body.length)
    this.writeHead(answer.status, head)
    response.end(body)
  }
}

function staysOpen({ httpVersion, headers }: IncomingMessage): boolean {
  const { connection } = headers
  return httpVersion === '1.1' && (connection === undefined || connection === 'keep-alive')
}

/** Bytes as the text in which every byte stands for itself. */
function latin1(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.toString('latin1')
}

function ignore(): void {}
