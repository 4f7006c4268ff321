// The Node server that both variants stand on. Requests go to the data plane where it has a route for them, and to a
// part of the control plane otherwise. Each of these is loaded and built by its first request: they are most of the
// code there is, and neither writes nor queries need them.

import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '../config.js'
import { withoutBasePath } from './base/base-path.js'
import { v2Errors } from './base/errors.js'
import type { Services } from './base/services.js'
import { Exchange } from './data/exchange.js'
import { type DataRoute, DataRouter } from './data/router.js'

export interface ControlPlane {
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

export interface ControlPart {
  /** Whether requests with this URL are its. */
  takes(url: string): boolean
  load(services: Services, dataPlane: DataRouter): Promise<ControlPlane>
}

export class HttpServer {
  readonly server: Server
  readonly #services: Services
  readonly #dataPlane: DataRouter
  readonly #control: readonly LoadedPart[]
  /** `localhost` may be several addresses: what comes to the others is handed to the server. */
  readonly #others: SocketServer[] = []

  /** Of the parts of the control plane the first that takes a request answers it. */
  constructor(services: Services, routes: readonly DataRoute[], parts: readonly ControlPart[]) {
    this.#services = services
    this.#dataPlane = new DataRouter(services, routes)
    this.#control = parts.map((part) => new LoadedPart(part, services, this.#dataPlane))
    for (const { path: url, methods } of routes)
      services.document.add({ url, method: [...methods] })
    services.document.whole = async () => {
      await Promise.all(this.#control.map((part) => part.load()))
    }
    const { config } = services
    const options: ServerOptions = {
      maxHeaderSize: limits.headerBytes,
      requestTimeout: config.requestTimeoutSeconds * 1000,
      keepAliveTimeout: limits.keepAliveSeconds * 1000,
    }
    this.server = createServer(options, (request, response) => {
      withoutBasePath(request, config.basePath)
      if (!services.state.isOpen) response.shouldKeepAlive = false
      if (!this.#dataPlane.handle(request, response)) this.#handleControl(request, response)
    })
    this.server.on('clientError', refuseConnection)
  }

  get port(): number {
    const address = this.server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async listen(host: string, port: number): Promise<void> {
    const [first, ...others] = host === 'localhost' ? await addressesOf(host) : [host]
    await listening(this.server, first, port)
    for (const address of others) {
      const other = createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        this.server.emit('connection', socket)
      })
      this.#others.push(other)
      await listening(other, address, this.port)
    }
  }

  /** Resolves when no connection is left. */
  async close(): Promise<void> {
    this.#services.state.isOpen = false
    await Promise.all([this.server, ...this.#others].map(closed))
    await Promise.all(this.#control.map((part) => part.close()))
    this.#services.metrics.close()
  }

  #handleControl(request: IncomingMessage, response: ServerResponse): void {
    const { url = '' } = request
    const part = this.#control.find(({ takes }) => takes(url))
    part?.handle(request, response)
  }
}

/** A part of the control plane, there from its first request on. */
class LoadedPart {
  readonly takes: ControlPart['takes']
  readonly #services: Services
  readonly #load: () => Promise<ControlPlane>
  #loading: Promise<ControlPlane> | undefined
  #plane: ControlPlane | undefined

  constructor(part: ControlPart, services: Services, dataPlane: DataRouter) {
    this.takes = part.takes
    this.#services = services
    this.#load = () => part.load(services, dataPlane)
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.#plane !== undefined) return this.#plane.handle(request, response)
    this.load().then(
      (plane) => plane.handle(request, response),
      (error: Error) => {
        new Exchange(this.#services, request, response, v2Errors, '', {}).sendError(
          error,
          undefined,
        )
      },
    )
  }

  async load(): Promise<ControlPlane> {
    this.#loading ??= this.#load()
    this.#plane = await this.#loading
    return this.#plane
  }

  async close(): Promise<void> {
    await (await this.#loading?.catch(() => undefined))?.close()
  }
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

async function listening(server: SocketServer, host: string, port: number): Promise<void> {
  server.listen({ host, port })
  await once(server, 'listening')
}

function closed(server: SocketServer): Promise<void> {
  return new Promise((resolve) => {
    if (server.listening) server.close(() => resolve())
    else resolve()
  })
}

const refusals: ReadonlyMap<string | undefined, readonly [status: string, message: string]> =
  new Map([
    ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'the request took too long to come']],
    ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'the headers are too large']],
  ])

/** Bytes that are no request, or one with too large a head, or one that takes too long to come. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message] = refusals.get(error.code) ?? [
    '400 Bad Request',
    'this is no HTTP request',
  ]
  const body = JSON.stringify({ code: 'invalid', message })
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    )
  }
  socket.destroy(error)
}
