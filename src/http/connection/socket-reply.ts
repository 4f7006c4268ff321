// Answers written to the connection itself: the head is put together here, and a body whose length is not known
// goes in chunks as HTTP/1.1 has them.

import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { httpDate } from '../../platform/http-date.js'
import type { AnswerHead } from '../answer-head.js'
import { latin1, type RawReply } from '../raw-reply.js'

/** Whoever reads the connection; told by exactly one of the two, once. */
export interface ReplyOwner {
  /** The answer was handed to the connection. */
  onAnswered(): void
  /** Nothing was sent: Node's server is to answer, and to tell what failed. */
  onRefused(error: Error): void
}

export class SocketReply implements RawReply {
  /** The bytes that it answers. */
  readonly request: Buffer
  readonly #socket: Socket
  readonly #owner: ReplyOwner
  #tellGone: (() => void) | undefined
  #body: Writable | undefined
  isSent = false

  constructor(request: Buffer, socket: Socket, owner: ReplyOwner) {
    this.request = request
    this.#socket = socket
    this.#owner = owner
  }

  get isGone(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded
  }

  onGone(tell: () => void): void {
    this.#tellGone = tell
  }

  /** For the owner: the connection was closed. */
  gone(): void {
    this.#tellGone?.()
    this.#body?.destroy()
  }

  refuse(error: Error): void {
    this.#owner.onRefused(error)
  }

  sendWhole(head: AnswerHead, body: Uint8Array): void {
    this.isSent = true
    const text = `${headText(head)}content-length: ${body.length}\r\n\r\n${latin1(body)}`
    this.#socket.write(text, 'latin1')
    this.#owner.onAnswered()
  }

  begin(head: AnswerHead): Writable {
    this.isSent = true
    this.#socket.write(`${headText(head)}transfer-encoding: chunked\r\n\r\n`, 'latin1')
    this.#body = new ChunkedBody(this.#socket, () => this.#owner.onAnswered())
    return this.#body
  }
}

function headText(head: AnswerHead): string {
  let text = 'HTTP/1.1 200 OK\r\n'
  for (let i = 0; i < head.length; i += 2) text += `${head[i]}: ${head[i + 1]}\r\n`
  return `${text}date: ${httpDate()}\r\n`
}

class ChunkedBody extends Writable {
  readonly #socket: Socket
  readonly #onWritten: () => void

  constructor(socket: Socket, onWritten: () => void) {
    super()
    this.#socket = socket
    this.#onWritten = onWritten
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    const socket = this.#socket
    socket.cork()
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
    socket.write(chunk)
    socket.write('\r\n', 'latin1', done)
    socket.uncork()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.write('0\r\n\r\n', 'latin1', (error) => {
      if (error == null) this.#onWritten()
      done(error)
    })
  }

  /** What was promised and does not come can only be told by breaking off. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.writableFinished) this.#socket.destroy()
    done(error)
  }
}
