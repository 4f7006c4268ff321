// The short way of what dashboards ask all day: a GET of /query with a token that is known. It goes around
// the framework, whose routing, hooks and objects take a tenth of the time of a small query; and around
// Node's HTTP where a connection sends the same head again. Whatever is not this, and whatever fails,
// goes the framework's way, so that there is one place for each.

import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Lane } from '../connection/lane.js'
import type { SocketReply } from '../connection/socket-reply.js'
import { type RawReply, ServerReply, staysByItself } from '../raw-reply.js'
import { requestId } from '../request-id.js'
import type { Services } from '../services.js'
import { AskedUrls } from './asked-urls.js'
import { type Asker, Askers } from './askers.js'
import type { QueryEndpoint, Run } from './query.js'

const method = 'GET'
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
  app.server.off('request', framework)
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
    const lane = raw.socket instanceof Lane ? raw.socket : undefined
    const failure = lane?.takeFailure()
    if (failure !== undefined) {
      this.#endpoint.failures.set(raw, failure)
      return false
    }
    const { url = '', headers } = raw
    if (raw.method !== method || headers['content-length'] !== undefined) return false
    const asker = isQuery(url) && this.#askers.identify(raw, headers.authorization)
    if (!asker) return false
    const run = this.#begin(asker, url, headers, (error) => {
      this.#endpoint.failures.set(raw, error)
    })
    if (run === undefined) return false
    // Who expects a word before the answer gets it from Node.
    if (staysByItself(raw) && headers.expect === undefined) {
      lane?.offer((nextUrl, reply) => this.#takeAgain(asker, nextUrl, headers, reply))
    }
    const reply = new ServerReply(response)
    void this.#answer(run, reply, (error) => {
      this.#endpoint.failures.set(raw, error)
      this.#framework(raw, response)
    })
    return true
  }

  #takeAgain(asker: Asker, url: string, headers: IncomingHttpHeaders, reply: SocketReply): boolean {
    if (!isQuery(url) || !this.#askers.stillHolds(asker)) return false
    const run = this.#begin(asker, url, headers, ignore)
    if (run === undefined) return false
    void this.#answer(run, reply, (error) => reply.refuse(error))
    return true
  }

  /** Undefined: it cannot be answered here, or not at all, which is told then. */
  #begin(
    { identity }: Asker,
    url: string,
    headers: IncomingHttpHeaders,
    onFailure: (error: Error) => void,
  ): Run | undefined {
    if (!this.#isOpen) return undefined
    const asked = this.#urls.read(url, headers.accept)
    if (asked === undefined) return undefined
    const id = requestId(headers, this.#services.random)
    try {
      return this.#endpoint.begin(identity, asked, { id, method, url, headers })
    } catch (error) {
      onFailure(error as Error)
      return undefined
    }
  }

  async #answer(run: Run, reply: RawReply, onFailure: (error: Error) => void): Promise<void> {
    const { clock, metrics } = this.#services
    const { startedAt } = run.active
    try {
      await this.#endpoint.run(run, reply)
    } catch (error) {
      onFailure(error as Error)
      return
    }
    const seconds = Number(clock.now() - startedAt) / 1e9
    metrics.request(method, path, 200, seconds)
  }
}

function isQuery(url: string): boolean {
  return url.startsWith(pathAndMore) && !url.includes('#')
}

function ignore(): void {}
