// An answer that is written without the framework's help, as those of queries are: whole, in one write, or
// begun with a head and followed by a stream.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { AnswerHead } from './answer-head.js'

export interface RawReply {
  /** Whether it is under way: nothing else can be answered any more. */
  readonly isSent: boolean
  /** Whether nobody is there to take it. */
  readonly isGone: boolean
  /** Tells once, if the client goes before it has all of the answer. */
  onGone(tell: () => void): void
  /** With status 200. The body is taken before this returns. */
  sendWhole(head: AnswerHead, body: Uint8Array): void
  /** With status 200; the stream is the body. To destroy it breaks the answer off. */
  begin(head: AnswerHead): Writable
}

/** Over Node's own HTTP. */
export class ServerReply implements RawReply {
  readonly response: ServerResponse
  isSent = false

  constructor(response: ServerResponse) {
    this.response = response
    // Of a connection that breaks nobody has to be told; an event without a listener would end the process.
    response.on('error', ignore)
  }

  get isGone(): boolean {
    return this.response.destroyed
  }

  onGone(tell: () => void): void {
    const { response } = this
    // It happens once, and the response goes with it: to take the listener away again is work for nothing.
    response.on('close', () => {
      if (!response.writableFinished) tell()
    })
    if (response.destroyed) tell()
  }

  /** Node joins head and body into one write only where the body is a text. */
  sendWhole(head: AnswerHead, body: Uint8Array): void {
    head.push('content-length', body.length)
    this.#writeHead(head)
    this.response.end(latin1(body), 'latin1')
  }

  begin(head: AnswerHead): Writable {
    this.#writeHead(head)
    return this.response
  }

  #writeHead(head: AnswerHead): void {
    const { response } = this
    this.isSent = true
    if (staysByItself(response.req)) response.removeHeader('connection')
    response.writeHead(200, head)
  }
}

/** The same for a request that came through the framework, which is told that its reply is taken from it. */
export class FrameworkReply extends ServerReply {
  readonly #reply: FastifyReply

  constructor(reply: FastifyReply) {
    super(reply.raw)
    this.#reply = reply
  }

  override sendWhole(head: AnswerHead, body: Uint8Array): void {
    this.#reply.hijack()
    super.sendWhole(head, body)
  }

  override begin(head: AnswerHead): Writable {
    this.#reply.hijack()
    return super.begin(head)
  }
}

/**
 * Whether the connection stays without a word about it, which InfluxDB does not say either. What Node would say by
 * itself its own clients set a clock by, for each answer, and that takes longer than all else in a small answer's head.
 */
export function staysByItself({ httpVersion, headers }: IncomingMessage): boolean {
  const { connection } = headers
  return httpVersion === '1.1' && (connection === undefined || connection === 'keep-alive')
}

/** Bytes as the text in which every byte stands for itself. */
export function latin1(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.toString('latin1')
}

function ignore(): void {}
