// Requests under way to one server of the store. A line can lose what was sent without telling anybody: then a request
// waits that the server has never got, or has answered long ago. Those that have waited for a while are looked for
// among the queries that the server runs, and broken off when they are not there. One that runs may take its time.

import { randomUUID } from 'node:crypto'

/** Connections to one server at once; others wait for one, in the order in which they came. */
export const connectionsMax = 32
/** Nobody asks for those that wait for less. */
const waitMsMin = 20_000
/** A timer that comes so late was held up by this process itself: an answer may be there that nobody has read yet. */
const lateMs = 500
/** An answer may be on its way while the server no longer has the query. */
const missedMax = 2

/** A server did not answer in time: what was asked of it may still be done. */
export class SilenceError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('the server does not answer')
    this.name = 'SilenceError'
  }
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly msMax?: number | undefined
  /** By which the server knows it. */
  readonly id?: string | undefined
}

export class Requests {
  readonly #waitMsMin: number
  /** In the order in which they began. */
  readonly #underWay = new Set<ServerRequest>()

  constructor(shortestMs = waitMsMin) {
    this.#waitMsMin = shortestMs
  }

  begin(options: RequestOptions = {}): ServerRequest {
    const request = new ServerRequest(options, () => this.#underWay.delete(request))
    this.#underWay.add(request)
    return request
  }

  /** All of them fail as if the server were gone, and may be sent again. */
  breakOff(): void {
    for (const request of this.#underWay) request.breakOff()
  }

  /** Breaks off those that the server has not. `running` tells the ids of the queries that it has now. */
  async breakOffLost(running: () => Promise<ReadonlySet<string>>): Promise<void> {
    const longAgo = performance.now() - this.#waitMsMin
    // Later ones may not have been sent yet.
    const sent = [...this.#underWay].slice(0, connectionsMax)
    const waiting = sent.filter(({ waitsSince }) => waitsSince < longAgo)
    if (waiting.length === 0) return
    const known = await running()
    // What has come for others at the same time is read before that.
    await new Promise(setImmediate)
    for (const request of waiting) {
      if (known.has(request.id) || request.waitsSince >= longAgo) request.missed = 0
      else if (++request.missed >= missedMax) request.breakOff()
    }
  }
}

export class ServerRequest {
  readonly id: string
  /** Since when it waits for the server; infinite while the server waits for whoever reads. */
  waitsSince = performance.now()
  /** How often the server was asked and did not have it. */
  missed = 0
  readonly #controller = new AbortController()
  readonly #given: AbortSignal | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #ended: () => void

  constructor({ id = randomUUID(), signal, msMax }: RequestOptions, ended: () => void) {
    this.id = id
    this.#given = signal
    this.#ended = ended
    if (msMax !== undefined) this.#breakOffAfter(msMax)
    signal?.addEventListener('abort', this.breakOff)
    if (signal?.aborted === true) this.breakOff()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  #breakOffAfter(ms: number): void {
    const due = performance.now() + ms
    this.#timer = setTimeout(() => {
      if (performance.now() - due > lateMs) this.#breakOffAfter(ms)
      else this.breakOff()
    }, ms)
  }

  readonly breakOff = (): void => this.#controller.abort()

  /** The answer as it comes. */
  async *pieces(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of stream) {
      this.waitsSince = Number.POSITIVE_INFINITY
      yield piece as Uint8Array
      this.waitsSince = performance.now()
    }
  }

  /** What a request that was broken off for want of an answer ends with. */
  told(error: unknown): unknown {
    return this.signal.aborted && this.#given?.aborted !== true ? new SilenceError() : error
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#given?.removeEventListener('abort', this.breakOff)
    this.#ended()
  }
}
