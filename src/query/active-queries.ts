// The queries that run: numbered, listed, counted against the limit, and stopped one by one. A query
// that is stopped sees its signal abort, with the reason as an error in InfluxDB's words.

import { UserError } from '../errors.js'
import type { Clock } from '../platform/clock.js'

export interface ActiveQuery {
  readonly id: number
  readonly text: string
  readonly database: string
  readonly startedAt: bigint
  readonly signal: AbortSignal
  readonly isKilled: boolean
  /** Stops it for a reason of the caller's: a closed connection. */
  stop(reason: Error): void
  /** Must be called when the query has ended, however it did. */
  end(): void
}

export interface QueryStart {
  readonly text: string
  readonly database: string
  /** Aborts the query with it. Whoever has none calls `stop`: to join two signals takes some microseconds. */
  readonly signal?: AbortSignal
  /** 0: none. */
  readonly timeoutSeconds: number
  readonly concurrentMax: number
}

export class ActiveQueries {
  readonly #clock: Clock
  readonly #running = new Map<number, RunningQuery>()
  #nextId = 1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws UserError when as many queries as may run already do. */
  start(start: QueryStart): ActiveQuery {
    const { concurrentMax } = start
    if (concurrentMax > 0 && this.#running.size >= concurrentMax) {
      const figures = `(${this.#running.size}, ${concurrentMax})`
      throw new UserError('unavailable', `max-concurrent-queries limit exceeded${figures}`)
    }
    const id = this.#nextId++
    const query = new RunningQuery(id, start, this.#clock.now(), () => this.#running.delete(id))
    this.#running.set(id, query)
    return query
  }

  /** In the order they started. */
  list(): readonly ActiveQuery[] {
    return [...this.#running.values()]
  }

  kill(id: number): void {
    const query = this.#running.get(id)
    if (query === undefined) throw new UserError('not found', `no such query id: ${id}`)
    query.kill()
  }
}

class RunningQuery implements ActiveQuery {
  readonly id: number
  readonly text: string
  readonly database: string
  readonly startedAt: bigint
  readonly signal: AbortSignal
  readonly #stop = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #onEnd: () => void
  #isKilled = false

  constructor(id: number, start: QueryStart, startedAt: bigint, onEnd: () => void) {
    this.id = id
    this.text = start.text
    this.database = start.database
    this.startedAt = startedAt
    this.#onEnd = onEnd
    const { signal } = this.#stop
    this.signal = start.signal === undefined ? signal : AbortSignal.any([start.signal, signal])
    if (start.timeoutSeconds > 0) {
      const reason = new UserError('unavailable', 'query-timeout limit exceeded')
      this.#timer = setTimeout(() => this.#stop.abort(reason), start.timeoutSeconds * 1000)
      this.#timer.unref()
    }
  }

  get isKilled(): boolean {
    return this.#isKilled
  }

  kill(): void {
    this.#isKilled = true
    this.stop(new UserError('invalid', 'query interrupted'))
  }

  stop(reason: Error): void {
    this.#stop.abort(reason)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#onEnd()
  }
}
