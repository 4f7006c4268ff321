// The queries that run: numbered, listed, counted against the limit, and stopped one by one. A query
// that is stopped sees its signal abort, with the reason as an error in InfluxDB's words.

import { getEventListeners } from 'node:events'
import { UserError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import type { MaybePromise } from '../platform/pull-stream.js'
import type { QueryFigures } from './limits.js'
import type { StatisticsModule } from './statistics.js'

/** On whose behalf a query runs. */
export interface QueryAsker {
  readonly orgId: string | undefined
  readonly userId: string | undefined
  readonly tokenId: string | undefined
}

/** What whoever looks at a query is told of it, wherever it runs. */
export interface ListedQuery {
  readonly id: number
  readonly text: string
  readonly language: string
  readonly database: string
  /** Undefined: the service itself. */
  readonly asker: QueryAsker | undefined
  /** Of the request that asks it, by which its client finds it. */
  readonly requestId: string | undefined
  /** What it has cost so far; undefined: nobody counts. */
  readonly figures: Pick<QueryFigures, 'rowsRead' | 'bytesMax'> | undefined
  readonly startedAt: bigint
  readonly isKilled: boolean
}

/** The queries that run, of all processes that share their points. */
export interface QueryDirectory {
  list(): MaybePromise<readonly ListedQuery[]>
  /** Throws UserError where none has that id. */
  kill(id: number): MaybePromise<void>
}

export interface ActiveQuery extends ListedQuery {
  readonly figures: QueryFigures | undefined
  readonly signal: AbortSignal
  /** Stops it for a reason of the caller's: a closed connection. */
  stop(reason: Error): void
  /** Must be called when the query has ended, however it did. `now`: when that was, where it is known. */
  end(now?: bigint): void
}

export interface QueryStart {
  readonly text: string
  readonly language: string
  readonly database: string
  readonly asker?: QueryAsker | undefined
  readonly requestId?: string | undefined
  readonly figures?: QueryFigures | undefined
  /** Aborts the query with it. Whoever has none calls `stop`: to join two signals takes some microseconds. */
  readonly signal?: AbortSignal | undefined
  /** 0: none. */
  readonly timeoutSeconds: number
  readonly concurrentMax: number
}

export class ActiveQueries implements QueryDirectory {
  readonly #clock: Clock
  /** Where ids begin: several processes give out different ones. */
  readonly #idBase: () => number
  /** In the order they started. Few, so that a list is looked through sooner than a map is kept in shape. */
  readonly #running: RunningQuery[] = []
  readonly #controllers = new SpareControllers()
  #nextId = 1
  #endedNs = 0n
  readonly #onEnd = (query: RunningQuery, now = this.#clock.now()) => this.#end(query, now)

  constructor(clock: Clock, idBase: () => number = () => 0) {
    this.#clock = clock
    this.#idBase = idBase
  }

  /** Throws UserError when as many queries as may run already do. */
  start(start: QueryStart): ActiveQuery {
    const { concurrentMax } = start
    if (concurrentMax > 0 && this.#running.length >= concurrentMax) {
      const figures = `(${this.#running.length}, ${concurrentMax})`
      throw new UserError('unavailable', `max-concurrent-queries limit exceeded${figures}`)
    }
    const id = this.#idBase() + this.#nextId++
    const now = this.#clock.now()
    const query = new RunningQuery(id, start, now, this.#controllers, this.#onEnd)
    this.#running.push(query)
    return query
  }

  #end(query: RunningQuery, now: bigint): void {
    this.#endedNs += now - query.startedAt
    // Most begin and end before another begins.
    if (this.#running.at(-1) === query) this.#running.pop()
    else this.#running.splice(this.#running.indexOf(query), 1)
  }

  get count(): number {
    return this.#running.length
  }

  /** Since the service began; the time is that of queries that have ended. */
  statistics(): StatisticsModule {
    const queriesActive = this.#running.length
    const queriesExecuted = this.#nextId - 1
    const queriesFinished = queriesExecuted - queriesActive
    const queryDurationNs = Number(this.#endedNs)
    const values = { queriesActive, queriesExecuted, queriesFinished, queryDurationNs }
    return { name: 'queryExecutor', tags: {}, values }
  }

  /** In the order they started. */
  list(): readonly ActiveQuery[] {
    return [...this.#running]
  }

  kill(id: number): void {
    if (!this.killOwn(id)) throw new UserError('not found', `no such query id: ${id}`)
  }

  /** False: none of this process has that id. */
  killOwn(id: number): boolean {
    const query = this.#running.find((running) => running.id === id)
    query?.kill()
    return query !== undefined
  }
}

const sparesMax = 16

/**
 * Controllers whose signal was not aborted and has no listeners are used again: a new one takes 5.8 us, one of these
 * 0.4. What may still hold its signal belongs to a query that has ended, and has nothing left to be stopped.
 */
class SpareControllers {
  readonly #spares: AbortController[] = []

  take(): AbortController {
    return this.#spares.pop() ?? new AbortController()
  }

  giveBack(controller: AbortController): void {
    const { signal } = controller
    if (signal.aborted || this.#spares.length >= sparesMax) return
    if (getEventListeners(signal, 'abort').length === 0) this.#spares.push(controller)
  }
}

class RunningQuery implements ActiveQuery {
  readonly id: number
  readonly text: string
  readonly language: string
  readonly database: string
  readonly asker: QueryAsker | undefined
  readonly requestId: string | undefined
  readonly figures: QueryFigures | undefined
  readonly startedAt: bigint
  readonly signal: AbortSignal
  readonly #stop: AbortController
  readonly #timer: NodeJS.Timeout | undefined
  readonly #controllers: SpareControllers
  readonly #onEnd: (query: RunningQuery, now?: bigint) => void
  #isKilled = false
  #hasEnded = false

  constructor(
    id: number,
    start: QueryStart,
    startedAt: bigint,
    controllers: SpareControllers,
    onEnd: (query: RunningQuery, now?: bigint) => void,
  ) {
    this.id = id
    this.text = start.text
    this.language = start.language
    this.database = start.database
    this.asker = start.asker
    this.requestId = start.requestId
    this.figures = start.figures
    this.startedAt = startedAt
    this.#controllers = controllers
    this.#onEnd = onEnd
    this.#stop = controllers.take()
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
    // What has ended has given its signal away.
    if (!this.#hasEnded) this.#stop.abort(reason)
  }

  end(now?: bigint): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#onEnd(this, now)
    this.#controllers.giveBack(this.#stop)
  }
}
