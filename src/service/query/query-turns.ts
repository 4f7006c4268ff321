// Who computes next on the thread that serves everybody. Queries need no estimate to be told apart: each begins as a
// light one, and what it has used so far says what it is.
//
//   - To begin it has to wait where this round of the event loop was long already: a hundred that come at once would
//     otherwise keep a ping waiting for the first turns of all of them.
//   - One that computes for longer than a turn asks for the next one (`nextTurn`). One turn is given per round, so that
//     whatever came meanwhile, writes and pings first of all, is served in between.
//   - One that has used many turns, or wants other threads or an engine of SQL, is heavy and needs one of few places.
//     The last place is for callers that have none. Where others wait, a place is lost after a while, also by who
//     is not using it: a slow client, a query that waits for another one.
//
// All three are served in turn: organizations, then their tokens, then first come, first served.

import { OverloadError } from '../../errors.js'
import type { RunTurns } from '../../platform/run-turns.js'
import { type Caller, FairQueue } from './fair-queue.js'

/** Of a round of the event loop: two of them, and what arrived meanwhile, is what a ping waits for. */
const turnMs = 5
/** Queries that begin within a round at most. */
const beginningsMax = 16
/** What a query may use before it needs a place. */
const lightMsMax = 30
/** How long a place is kept where others wait for one. */
const placeMs = 1000
const lookMs = 200

export interface QueryTurnsOptions {
  readonly placeCount: number
  /** Until it has a place for the first time. */
  readonly waitSecondsMax: number
}

interface Waiter {
  readonly run: QueryTurn | undefined
  /** Whether it wants to compute on this thread once it has its place. */
  readonly wantsTurn: boolean
  done(error?: Error): void
}

export class QueryTurns {
  readonly #options: QueryTurnsOptions
  readonly #beginnings = new FairQueue<Waiter>()
  readonly #turns = new FairQueue<Waiter>()
  readonly #heavy = new FairQueue<Waiter>()
  /** Those that have a place, and since when. */
  readonly #places = new Map<QueryTurn, number>()
  #placeTimer: NodeJS.Timeout | undefined
  /** Of this round of the event loop; undefined: nobody has begun in it. */
  #roundEndsAt: number | undefined
  /** Callbacks of this round that have not run. */
  #steps = 0
  #stepsEndAt: number | undefined

  constructor(options: QueryTurnsOptions) {
    this.#options = options
  }

  /** Queries that wait for a place. */
  get waitingCount(): number {
    return this.#heavy.size
  }

  get heavyCount(): number {
    return this.#places.size
  }

  /** Resolves when a query may begin; undefined: at once. */
  begin(caller: Caller): Promise<void> | undefined {
    if (this.#beginnings.size === 0 && !this.#isRoundOver()) return undefined
    return new Promise((done) => {
      this.#beginnings.add(caller, { run: undefined, wantsTurn: false, done: () => done() })
      this.#schedule()
    })
  }

  /** The turns of one query that begins. */
  run(caller: Caller, signal: AbortSignal): QueryTurn {
    return new QueryTurn(this, caller, signal)
  }

  wait(run: QueryTurn, isHeavy: boolean, wantsTurn: boolean): Promise<void> {
    const queue = isHeavy && !this.#places.has(run) ? this.#heavy : this.#turns
    const waiting = new Promise<void>((resolve, reject) => {
      const since = performance.now()
      const stopped = () => {
        for (const each of [this.#heavy, this.#turns]) each.remove(run.caller, waiter)
        waiter.done()
      }
      const tooLong = () => {
        this.#heavy.remove(run.caller, waiter)
        waiter.done(tooManyHeavy())
      }
      const isFirst = queue === this.#heavy && !run.hadPlace
      const { waitSecondsMax } = this.#options
      const timer = isFirst ? setTimeout(tooLong, waitSecondsMax * 1000) : undefined
      const waiter: Waiter = {
        run,
        wantsTurn,
        done: (error) => {
          clearTimeout(timer)
          run.signal.removeEventListener('abort', stopped)
          run.began(since)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      if (run.signal.aborted) return waiter.done()
      run.signal.addEventListener('abort', stopped)
      queue.add(run.caller, waiter)
    })
    if (queue === this.#turns) this.#schedule()
    else this.#givePlaces()
    return waiting
  }

  hasPlace(run: QueryTurn): boolean {
    return this.#places.has(run)
  }

  ended(run: QueryTurn): void {
    if (this.#places.delete(run)) this.#givePlaces()
  }

  #isRoundOver(): boolean {
    const now = performance.now()
    if (this.#roundEndsAt === undefined) {
      this.#roundEndsAt = now + turnMs
      setImmediate(() => {
        this.#roundEndsAt = undefined
      })
    }
    return now >= this.#roundEndsAt
  }

  /** As many callbacks as may begin in the next round: what each of them lets go on has run before the next. */
  #schedule(): void {
    if (this.#steps > 0) return
    const beginnings = Math.min(this.#beginnings.size, beginningsMax)
    this.#steps = beginnings + Math.min(this.#turns.size, 1)
    this.#stepsEndAt = undefined
    for (let i = 0; i < this.#steps; i++) setImmediate(() => this.#step())
  }

  #step(): void {
    const now = performance.now()
    this.#stepsEndAt ??= now + turnMs
    const isLast = --this.#steps === 0
    // The last one is for those that have begun; new ones cannot keep them waiting.
    const next = isLast ? (this.#turns.take() ?? this.#beginnings.take()) : undefined
    if (next !== undefined) next.done()
    else if (!isLast && now < this.#stepsEndAt) this.#beginnings.take()?.done()
    if (isLast && this.#turns.size + this.#beginnings.size > 0) this.#schedule()
  }

  #givePlaces(): void {
    for (;;) {
      const free = this.#options.placeCount - this.#places.size
      if (free <= 0) break
      const next = this.#heavy.take(free > 1 ? undefined : (caller) => !this.#hasAny(caller))
      if (next?.run === undefined) break
      this.#places.set(next.run, performance.now())
      next.run.hadPlace = true
      if (!next.wantsTurn) next.done()
      else {
        this.#turns.add(next.run.caller, next)
        this.#schedule()
      }
    }
    if (this.#heavy.size > 0) this.#placeTimer ??= setTimeout(() => this.#takePlaces(), lookMs)
  }

  #hasAny({ org, token }: Caller): boolean {
    for (const { caller } of this.#places.keys()) {
      if (caller.org === org && caller.token === token) return true
    }
    return false
  }

  /** Those who have had theirs for long ask for another when they need it. */
  #takePlaces(): void {
    this.#placeTimer = undefined
    const until = performance.now() - placeMs
    for (const [run, since] of this.#places) if (since < until) this.#places.delete(run)
    this.#givePlaces()
  }
}

export class QueryTurn implements RunTurns {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly #turns: QueryTurns
  readonly #openedAt = performance.now()
  #since = this.#openedAt
  #usedMs = 0
  /** What it has waited for its turns and its place. */
  queuedMs = 0
  hadPlace = false

  constructor(turns: QueryTurns, caller: Caller, signal: AbortSignal) {
    this.#turns = turns
    this.caller = caller
    this.signal = signal
  }

  /** Since it began. */
  get openMs(): number {
    return performance.now() - this.#openedAt
  }

  next(): Promise<void> {
    this.#usedMs += performance.now() - this.#since
    return this.#turns.wait(this, this.#usedMs > lightMsMax, true)
  }

  enterHeavy(): Promise<void> | undefined {
    return this.#turns.hasPlace(this) ? undefined : this.#turns.wait(this, true, false)
  }

  /** It goes on, having waited since then. */
  began(waitedSince: number): void {
    this.#since = performance.now()
    this.queuedMs += this.#since - waitedSince
  }

  end(): void {
    this.#turns.ended(this)
  }
}

function tooManyHeavy(): OverloadError {
  return new OverloadError('too many heavy queries wait for their turn: try again later')
}
