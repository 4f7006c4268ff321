// What is known of the bytes that were passed on to Node's HTTP server since its parser stood at the beginning of a
// request: when it stands there again. Whoever takes a request from its bytes must be sure of that, or it would
// take for a request what stands in the body of another one.

import type { IncomingMessage } from 'node:http'

/** What a connection that is read here begins with, and a request that is taken from its bytes. */
export const getWord = 'GET '

const headEnd = '\r\n\r\n'

export class PassedRequest {
  readonly #first: Buffer
  readonly #headBytes: number
  #bytes: number
  #request: IncomingMessage | undefined
  #isOneRequest = false

  constructor(first: Buffer) {
    this.#first = first
    this.#headBytes = headBytes(first)
    this.#bytes = first.length
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** The server tells of a request. */
  begun(request: IncomingMessage): void {
    this.#isOneRequest = this.#request === undefined
    this.#request = request
  }

  /** Whether the bytes were one request, and nothing of another. Asked when it was answered. */
  isWhole(): boolean {
    const request = this.#request
    if (request === undefined || !this.#isOneRequest || !request.complete) return false
    return this.#bytes === this.#headBytes + bodyBytes(request)
  }

  /** All of the head of a GET behind its URL; undefined: it was none, or did not come in one piece. */
  tail(): Buffer | undefined {
    const first = this.#first
    if (this.#request?.method !== 'GET' || first.length !== this.#headBytes) return undefined
    // A copy: the piece may be part of a larger one.
    return Buffer.from(first.subarray(first.indexOf(' ', getWord.length)))
  }
}

/** NaN where the head does not end here, or could be thought to end elsewhere. */
function headBytes(first: Buffer): number {
  const end = first.indexOf(headEnd)
  if (end < 0) return Number.NaN
  const head = first.toString('latin1', 0, end)
  return /\n(?<!\r\n)/.test(head) ? Number.NaN : end + headEnd.length
}

function bodyBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.NaN
  const length = headers['content-length']
  return length === undefined ? 0 : Number(length)
}
