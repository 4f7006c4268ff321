// The threads that run queries whole, so that the serving thread is free for those who write and ask little. They start
// when heavy queries come while others are served, and end when none has come for a while; what comes before the first
// has started runs where it is.

import { setTimeout as pause } from 'node:timers/promises'
import { UserError } from '../../errors.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { describeFailure, reviveFailure } from '../../platform/thread-failure.js'
import type { QueryFigures } from '../../query/limits.js'
import type { Store } from '../../store/store.js'
import type {
  MakeThreadPort,
  ThreadPort,
  ThreadQuery,
  ThreadQuestion,
  ThreadReply,
} from './messages.js'
import { ThreadAnswer } from './thread-answer.js'
import { ThreadDesk } from './thread-desk.js'

/** What queries may take to end when their thread is closed. */
const closingMsMax = 2000

export interface QueryThreadsOptions {
  /** 0: none. */
  readonly count: number
  readonly makePort: MakeThreadPort
  /** For tests: every query that may is handed over before it has begun. */
  readonly takesAll?: boolean
}

/** What a query on a thread may look up in its scope here, by name. */
export type ScopeMethods = Readonly<
  Record<string, (...parameters: never[]) => MaybePromise<unknown>>
>

export interface HandedQuery {
  readonly query: ThreadQuery
  readonly methods: ScopeMethods
  readonly figures: QueryFigures
  readonly signal: AbortSignal
  /** What it costs is more than may be had. */
  stop(reason: Error): void
  /** Hears of mistakes of ours that the answer only hints at. */
  mistake(error: Error): void
}

/** The thread could not answer it, and has given nothing. */
export class QueryReturned extends Error {}

/** A query that runs on a thread. */
export interface RunningElsewhere {
  readonly chunks: ThreadAnswer
  pause(): void
  resume(): void
}

export class QueryThreads {
  readonly #threads: QueryThread[]
  readonly takesAll: boolean
  /** Queries that were handed over since the start. */
  count = 0

  constructor(store: Store, options: QueryThreadsOptions) {
    const { count, makePort, takesAll = false } = options
    const handsOver = store.handOver !== undefined
    this.#threads = Array.from(
      { length: handsOver ? count : 0 },
      () => new QueryThread(store, makePort),
    )
    this.takesAll = takesAll
  }

  get #ready(): readonly QueryThread[] {
    return this.#threads.filter(({ isReady }) => isReady)
  }

  /** Whether a query may be handed over now. Where all threads are busy or none has begun, one more is started. */
  get isOpen(): boolean {
    const ready = this.#ready
    if (ready.every(({ runCount }) => runCount > 0)) {
      this.#threads.find(({ isReady }) => !isReady)?.start()
    }
    return ready.length > 0 || (this.takesAll && this.#threads.length > 0)
  }

  /** How many are there. */
  get readyCount(): number {
    return this.#ready.length
  }

  /** Whether a thread has nothing to do. */
  get isFree(): boolean {
    return this.takesAll || this.#ready.some(({ runCount }) => runCount === 0)
  }

  /** On the thread that has the least to do. */
  run(query: HandedQuery): RunningElsewhere {
    this.count++
    const ready = this.#ready
    const [least] = (ready.length > 0 ? ready : this.#threads).toSorted(
      (a, b) => a.runCount - b.runCount,
    )
    return least.run(query)
  }

  /** Queries under way fail with this error. */
  async close(error: Error): Promise<void> {
    for (const thread of this.#threads) await thread.close(error)
  }
}

interface Run {
  readonly handed: HandedQuery
  readonly answer: ThreadAnswer
  end(): void
}

class QueryThread {
  readonly #port: ThreadPort
  readonly #desk: ThreadDesk
  readonly #runs = new Map<number, Run>()
  #next = 1
  #isStarting = false
  isReady = false
  #onIdle: () => void = () => undefined

  constructor(store: Store, makePort: MakeThreadPort) {
    this.#desk = new ThreadDesk(store)
    this.#port = makePort({
      reply: (reply) => this.#take(reply),
      failed: (error) => this.#lose(error),
      ended: () => {
        this.isReady = false
      },
    })
  }

  get runCount(): number {
    return this.#runs.size
  }

  start(): void {
    if (this.#isStarting) return
    this.#isStarting = true
    this.#port.acquire()
    this.#port.post({ kind: 'start' })
  }

  run(handed: HandedQuery): RunningElsewhere {
    const run = this.#next++
    const { query, signal } = handed
    const stop = () => this.#stop(run, signal.reason)
    const answer = new ThreadAnswer({
      taken: (memory) => this.#port.post({ kind: 'taken', memory }),
      stop: () => this.#stop(run, nobodyListens()),
    })
    const end = () => {
      signal.removeEventListener('abort', stop)
      this.#runs.delete(run)
      if (this.#runs.size === 0) this.#onIdle()
    }
    this.#runs.set(run, { handed, answer, end })
    this.#port.acquire()
    this.#port.post({ kind: 'begin', run, query })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return {
      chunks: answer,
      pause: () => this.#port.post({ kind: 'pause', run }),
      resume: () => this.#port.post({ kind: 'resume', run }),
    }
  }

  /** Files are closed by those who read them: a thread that was ended leaves that to the collector. */
  async close(error: Error): Promise<void> {
    for (const run of this.#runs.keys()) this.#stop(run, error)
    if (this.#runs.size > 0) {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onIdle = resolve
        }),
        pause(closingMsMax, undefined, { ref: false }),
      ])
    }
    await this.#port.close()
    this.#lose(error)
  }

  #stop(run: number, reason: Error): void {
    if (!this.#runs.has(run)) return
    this.#port.post({ kind: 'stop', run, failure: describeFailure(reason) })
  }

  #take(reply: ThreadReply): void {
    switch (reply.kind) {
      case 'ready':
        this.isReady = true
        this.#isStarting = false
        return this.#port.release()
      case 'question':
        return void this.#answer(reply.number, reply.question)
      case 'bytes': {
        const { run, memory, bytes, length } = reply
        return this.#runs.get(run)?.answer.came(memory, new Uint8Array(bytes, 0, length))
      }
      case 'figures':
        return this.#count(reply.run, reply.rowsRead, reply.bytesMax)
      case 'mistake':
        return this.#runs.get(reply.run)?.handed.mistake(reviveFailure(reply.failure))
      case 'end':
        this.#port.release()
        return this.#end(reply.run, reply.failure && reviveFailure(reply.failure))
      case 'returned':
        this.#port.release()
        return this.#end(reply.run, new QueryReturned())
    }
  }

  #count(run: number, rowsRead: number, bytesMax: number): void {
    const { figures, stop } = this.#runs.get(run)?.handed ?? {}
    if (figures === undefined) return
    figures.rowsRead = rowsRead
    try {
      if (bytesMax > figures.bytesMax) figures.bytesMax = bytesMax
    } catch (error) {
      stop?.(error as Error)
    }
  }

  #end(number: number, failure: Error | undefined): void {
    const run = this.#runs.get(number)
    run?.end()
    run?.answer.ended(failure)
  }

  async #answer(number: number, question: ThreadQuestion): Promise<void> {
    try {
      const value = await this.#look(question)
      this.#port.post({ kind: 'answer', question: number, value })
    } catch (error) {
      const failure = describeFailure(error as Error)
      this.#port.post({ kind: 'refusal', question: number, failure })
    }
  }

  #look(question: ThreadQuestion): MaybePromise<unknown> {
    if (question.about !== 'scope') return this.#desk.answer(question)
    const { run, method, parameters } = question
    const look = this.#runs.get(run)?.handed.methods[method]
    if (look === undefined) throw new Error(`a query asks its scope for ${method}`)
    return look(...(parameters as never[]))
  }

  /** It is gone, with everything that it was doing: there is nothing left to be released. */
  #lose(error: Error): void {
    this.isReady = false
    this.#isStarting = false
    void this.#desk.close()
    for (const [number] of this.#runs) this.#end(number, lossOf(error))
  }
}

/** What a query is told whose thread has ended. */
function lossOf(error: Error & { readonly code?: string }): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error
  return new UserError('invalid', 'query memory limit exceeded: its thread has no more')
}

function nobodyListens(): UserError {
  return new UserError('invalid', 'query interrupted')
}
