// One port for HTTP/1.1 and for HTTP/2, which gRPC speaks. Whoever speaks HTTP/2 says so with its first
// bytes (`PRI * HTTP/2.0`), or with TLS already in the handshake; those connections are handed over, all
// others go to Node's server.
//
// With TLS a client that also takes HTTP/1.1 gets that, since only gRPC needs HTTP/2, and its clients take
// nothing else.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, createServer, type TLSSocket } from 'node:tls'
import { UserError } from '../errors.js'

export interface PortOptions {
  /** PEM. Undefined: connections are not encrypted. */
  readonly tls: { readonly certificate: Uint8Array; readonly key: Uint8Array } | undefined
  /** How long a connection may say nothing before it is known what it speaks. */
  readonly silenceMsMax: number
  onHttp2(socket: Socket): void
}

export interface SharedPort {
  /** Closes connections that have not said anything yet: nothing is under way on them. */
  closeSilent(): void
  /** Closes those that Node's server does not know, whatever is under way on them. */
  closeOthers(): void
}

/** Before the server listens. */
export function sharePort(server: Server, options: PortOptions): SharedPort {
  const listeners = server.listeners('connection') as ((socket: Duplex) => void)[]
  const toServer = (socket: Duplex) => {
    for (const listener of listeners) listener.call(server, socket)
  }
  const silent = new Set<Socket>()
  const others = new Set<Socket>()
  const onHttp2 = (socket: Socket) => {
    keepWhileOpen(socket, others)
    handOver(socket, options)
  }
  const look = (socket: Socket) => {
    keepWhileOpen(socket, silent)
    new FirstBytes(socket, options.silenceMsMax, (isHttp2) => {
      silent.delete(socket)
      if (isHttp2) onHttp2(socket)
      else toServer(socket)
    })
  }
  server.removeAllListeners('connection')
  server.on('connection', options.tls === undefined ? look : encrypted(options, look, onHttp2))
  return {
    closeSilent: () => {
      for (const socket of silent) socket.destroy()
    },
    closeOthers: () => {
      for (const socket of others) socket.destroy()
    },
  }
}

function keepWhileOpen(socket: Socket, among: Set<Socket>): void {
  among.add(socket)
  socket.once('close', () => among.delete(socket))
}

function handOver(socket: Socket, options: PortOptions): void {
  socket.setNoDelay(true)
  // HTTP keeps a connection whose client has stopped sending; HTTP/2 has no use for it.
  socket.allowHalfOpen = false
  socket.on('error', () => socket.destroy())
  options.onHttp2(socket)
}

function encrypted(
  options: PortOptions,
  look: (socket: Socket) => void,
  onHttp2: (socket: Socket) => void,
) {
  const server = createServer({
    ...usableKeyPair(options),
    handshakeTimeout: options.silenceMsMax,
    ALPNCallback: ({ protocols }) => {
      if (protocols.includes('http/1.1')) return 'http/1.1'
      return protocols.includes('h2') ? 'h2' : undefined
    },
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') onHttp2(socket)
    else look(socket)
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return (socket: Socket) => {
    // A client that goes in the middle of the handshake would otherwise be waited for.
    socket.allowHalfOpen = false
    socket.on('error', () => socket.destroy())
    server.emit('connection', socket)
  }
}

function usableKeyPair({ tls }: PortOptions): { readonly cert: Buffer; readonly key: Buffer } {
  const cert = Buffer.from(tls?.certificate ?? [])
  const key = Buffer.from(tls?.key ?? [])
  try {
    createSecureContext({ cert, key })
    return { cert, key }
  } catch (error) {
    const reason = (error as Error).message
    throw new UserError('invalid', `flags --tls-cert and --tls-key: cannot be used: ${reason}`)
  }
}

/** What every connection of HTTP/2 begins with; nobody else has this method. */
const method = 'PRI '
const preface = Buffer.from(`${method}* HTTP/2.0\r\n\r\nSM\r\n\r\n`)

/** Waits for the first bytes, and gives them back. */
class FirstBytes {
  readonly #socket: Socket
  readonly #onKnown: (isHttp2: boolean) => void
  #bytes: Buffer = Buffer.alloc(0)

  readonly #onData = (chunk: Buffer) => {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    const count = Math.min(this.#bytes.length, preface.length)
    const isPreface = this.#bytes.compare(preface, 0, count, 0, count) === 0
    if (isPreface && count < preface.length) return
    // Node's parser of HTTP/1.1 would wait for the rest of the preface.
    const isBroken = !isPreface && this.#bytes.toString('latin1', 0, method.length) === method
    if (isBroken) this.#socket.destroy()
    else this.#decide(isPreface)
  }
  readonly #onGone = () => this.#socket.destroy()

  constructor(socket: Socket, silenceMsMax: number, onKnown: (isHttp2: boolean) => void) {
    this.#socket = socket
    this.#onKnown = onKnown
    socket.on('data', this.#onData)
    socket.on('end', this.#onGone)
    socket.on('error', this.#onGone)
    socket.setTimeout(silenceMsMax, this.#onGone)
  }

  #decide(isHttp2: boolean): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onGone)
    socket.off('error', this.#onGone)
    socket.setTimeout(0, this.#onGone)
    socket.pause()
    socket.unshift(this.#bytes)
    this.#onKnown(isHttp2)
    // HTTP/1.1 waits for its data to flow; HTTP/2 takes what is there by itself.
    if (!isHttp2) socket.resume()
  }
}
