// The short way of what dashboards ask all day: a GET of /query with a token that is known. It goes around
// the framework, whose routing, hooks and objects take a tenth of the time of a small query. Whatever is
// not this, and whatever fails, goes the framework's way, so that there is one place for each.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { parse } from 'fast-querystring'
import type { FastifyInstance } from 'fastify'
import type { Identity } from '../../access/authenticator.js'
import { v1Credential } from '../credentials.js'
import { requestId } from '../request-id.js'
import type { Services } from '../services.js'
import type { AskingRequest, QueryEndpoint } from './query.js'
import { urlParameters } from './query-parameters.js'
import { type QueryRequest, readQueryRequest } from './query-request.js'
import type { RawReply } from './query-response.js'

const path = '/query'

/** Before the server listens. */
export function takeShortWay(
  app: FastifyInstance,
  services: Services,
  endpoint: QueryEndpoint,
): void {
  const { logLevel, role } = services.config
  // What is logged of every request, the framework logs; and it tells whom an ingester sends away.
  if (logLevel === 'debug' || role === 'ingest') return
  const [framework] = app.server.listeners('request') as RequestListener[]
  const way = new ShortWay(services, endpoint, framework)
  app.server.removeAllListeners('request')
  app.server.on('request', (raw, response) => {
    if (!way.take(raw, response)) framework(raw, response)
  })
  // Who closes tells clients so, which is the framework's work.
  app.addHook('preClose', (done) => {
    way.close()
    done()
  })
}

interface ShortRequest extends AskingRequest {
  readonly query: Record<string, unknown>
}

class ShortWay {
  readonly #services: Services
  readonly #endpoint: QueryEndpoint
  readonly #framework: RequestListener
  #isOpen = true

  constructor(services: Services, endpoint: QueryEndpoint, framework: RequestListener) {
    this.#services = services
    this.#endpoint = endpoint
    this.#framework = framework
  }

  close(): void {
    this.#isOpen = false
  }

  /** False: it has to go the other way. */
  take(raw: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = raw
    if (method !== 'GET' || !url.startsWith(`${path}?`) || url.includes('#')) return false
    if (!this.#isOpen || headers['content-length'] !== undefined) return false
    const query = parse(url.slice(path.length + 1))
    const id = requestId(headers, this.#services.random)
    const request = { id, method, url, headers, query }
    const identity = this.#services.authenticator.remembered(v1Credential(request))
    const asked = identity && readIfSound(request)
    if (identity === undefined || asked === undefined || asked.isAsync) return false
    void this.#answer(identity, asked, request, raw, response)
    return true
  }

  async #answer(
    identity: Identity,
    asked: QueryRequest,
    request: ShortRequest,
    raw: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { clock, metrics } = this.#services
    const started = clock.now()
    // Of a connection that breaks nobody has to be told; an event without a listener would end the process.
    response.on('error', ignore)
    try {
      await this.#endpoint.send(identity, asked, request, new ShortReply(response))
    } catch (error) {
      this.#endpoint.failures.set(raw, error as Error)
      this.#framework(raw, response)
      return
    }
    const seconds = Number(clock.now() - started) / 1e9
    metrics.request('GET', path, response.statusCode, seconds)
  }
}

/** Undefined: something is wrong with its parameters. */
function readIfSound(request: ShortRequest): QueryRequest | undefined {
  try {
    return readQueryRequest(urlParameters(request), request.headers.accept)
  } catch {
    return undefined
  }
}

class ShortReply implements RawReply {
  readonly raw: ServerResponse
  sent = false

  constructor(raw: ServerResponse) {
    this.raw = raw
  }

  hijack(): void {
    this.sent = true
  }
}

function ignore(): void {}
