// The short way of what dashboards ask all day: a GET of /query with a token that is known. It goes around
// the framework, whose routing, hooks and objects take a tenth of the time of a small query. Whatever is
// not this, and whatever fails, goes the framework's way, so that there is one place for each.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Identity } from '../../access/authenticator.js'
import { requestId } from '../request-id.js'
import type { Services } from '../services.js'
import { AskedUrls } from './asked-urls.js'
import { Askers } from './askers.js'
import type { AskingRequest, QueryEndpoint, Run } from './query.js'
import type { QueryRequest } from './query-request.js'
import type { RawReply } from './query-response.js'

const path = '/query'
const pathAndMore = `${path}?`

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

class ShortWay {
  readonly #services: Services
  readonly #endpoint: QueryEndpoint
  readonly #framework: RequestListener
  readonly #urls = new AskedUrls()
  readonly #askers: Askers
  #isOpen = true

  constructor(services: Services, endpoint: QueryEndpoint, framework: RequestListener) {
    this.#services = services
    this.#endpoint = endpoint
    this.#framework = framework
    this.#askers = new Askers(services.authenticator)
  }

  close(): void {
    this.#isOpen = false
  }

  /** False: it has to go the other way. */
  take(raw: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = raw
    if (method !== 'GET' || !url.startsWith(pathAndMore) || url.includes('#')) return false
    if (!this.#isOpen || headers['content-length'] !== undefined) return false
    const asked = this.#urls.read(url, headers.accept)
    const identity = asked && this.#askers.identify(raw, headers.authorization)
    if (identity === undefined || asked === undefined) return false
    const id = requestId(headers, this.#services.random)
    const run = this.#begin(identity, asked, { id, method, url, headers }, raw)
    if (run === undefined) return false
    void this.#answer(run, raw, response)
    return true
  }

  #begin(
    identity: Identity,
    asked: QueryRequest,
    request: AskingRequest,
    raw: IncomingMessage,
  ): Run | undefined {
    try {
      return this.#endpoint.begin(identity, asked, request)
    } catch (error) {
      this.#endpoint.failures.set(raw, error as Error)
      return undefined
    }
  }

  async #answer(run: Run, raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, metrics } = this.#services
    const { startedAt } = run.active
    // Of a connection that breaks nobody has to be told; an event without a listener would end the process.
    response.on('error', ignore)
    try {
      await this.#endpoint.run(run, new ShortReply(response))
    } catch (error) {
      this.#endpoint.failures.set(raw, error as Error)
      this.#framework(raw, response)
      return
    }
    const seconds = Number(clock.now() - startedAt) / 1e9
    metrics.request('GET', path, response.statusCode, seconds)
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
