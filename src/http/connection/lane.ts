// A connection as Node's HTTP server sees it where somebody else reads its bytes first: a stream that is fed
// with those that are meant for the server, and writes what the server says.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { SocketReply } from './socket-reply.js'

/** Takes a request that differs from an earlier one in its URL alone; false: it has to go to the server. */
export type TakeAgain = (url: string, reply: SocketReply) => boolean

/** Whoever reads the connection. */
export interface LaneOwner {
  /** The server takes more. */
  onWanted(): void
  /** The server is finished with the connection. */
  onLeft(): void
  onRequest(request: IncomingMessage, response: ServerResponse): void
  offer(take: TakeAgain): void
  takeFailure(): Error | undefined
}

export class Lane extends Duplex {
  readonly #socket: Socket
  readonly #owner: LaneOwner

  constructor(socket: Socket, owner: LaneOwner) {
    super({ decodeStrings: false })
    this.#socket = socket
    this.#owner = owner
  }

  /** The server tells of a request that it read here. */
  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#owner.onRequest(request, response)
  }

  /**
   * For whoever answers the request that the server has just told of: such requests, with another URL and all else the
   * same, byte by byte, need not come through the server.
   */
  offer(take: TakeAgain): void {
    this.#owner.offer(take)
  }

  /** Why the request could not be answered as it was tried, where it was. */
  takeFailure(): Error | undefined {
    return this.#owner.takeFailure()
  }

  override _read(): void {
    this.#owner.onWanted()
  }

  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _writev(
    chunks: { chunk: string | Buffer; encoding: BufferEncoding }[],
    done: Done,
  ): void {
    const socket = this.#socket
    socket.cork()
    chunks.forEach(({ chunk, encoding }, i) => {
      if (i < chunks.length - 1) socket.write(chunk, encoding)
      else socket.write(chunk, encoding, done)
    })
    socket.uncork()
  }

  override _final(done: Done): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#owner.onLeft()
    done(error)
  }

  // What servers and frameworks ask of a connection besides its bytes.

  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }

  destroySoon(): void {
    this.end(() => this.destroy())
  }

  get encrypted(): boolean {
    return (this.#socket as { encrypted?: boolean }).encrypted === true
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort
  }

  get localAddress(): string | undefined {
    return this.#socket.localAddress
  }

  get localPort(): number | undefined {
    return this.#socket.localPort
  }
}

type Done = (error?: Error | null) => void
