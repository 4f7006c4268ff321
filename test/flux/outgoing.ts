// Outgoing requests for tests: the real ones, with small limits where a test wants them, and a server on this machine
// that remembers what it was asked.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../../src/config.js'
import { type LookUpHost, OutgoingAddresses } from '../../src/platform/outgoing-address.js'
import { type OutgoingLimits, OutgoingRequests } from '../../src/platform/outgoing-requests.js'

export interface OutgoingOptions extends Partial<OutgoingLimits> {
  /** Default: no, as it is for everybody. */
  readonly arePrivateHostsAllowed?: boolean
  readonly lookUp?: LookUpHost
  /** These hosts are this machine, and may be reached. */
  readonly trustedHosts?: readonly string[]
}

export function outgoingRequests(options: OutgoingOptions = {}): OutgoingRequests {
  const { arePrivateHostsAllowed = false, lookUp, trustedHosts = [], ...given } = options
  const judge = new OutgoingAddresses({ arePrivateHostsAllowed, lookUp })
  const resolve = async (host: string) => {
    if (trustedHosts.includes(host)) return [{ address: '127.0.0.1', family: 4 } as const]
    return judge.resolve(host)
  }
  return new OutgoingRequests(
    { resolve },
    {
      timeoutSeconds: limits.outgoingTimeoutSeconds,
      timeoutSecondsMax: limits.outgoingTimeoutSecondsMax,
      requestBytesMax: limits.outgoingRequestBytesMax,
      responseBytesMax: limits.outgoingResponseBytesMax,
      redirectsMax: limits.outgoingRedirectsMax,
      ...given,
    },
  )
}

export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void

export class RecordingServer {
  readonly requests: ReceivedRequest[] = []
  /** Default: 200 and no body. */
  answer: Answer = (_, response) => response.end()
  readonly #server: Server

  private constructor() {
    this.#server = createServer(async (incoming, response) => {
      const parts: Uint8Array[] = []
      for await (const part of incoming) parts.push(part)
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        rawHeaders: incoming.rawHeaders,
        body: Buffer.concat(parts).toString(),
      }
      this.requests.push(request)
      this.answer(request, response)
    })
  }

  static async start(host = '127.0.0.1'): Promise<RecordingServer> {
    const server = new RecordingServer()
    await new Promise<void>((resolve) => server.#server.listen(0, host, resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The only request since the last time. */
  only(): ReceivedRequest {
    const taken = this.requests.splice(0)
    if (taken.length !== 1) throw new Error(`${taken.length} requests came`)
    return taken[0]
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
