// Who computes next on the thread that serves everybody. Queries need no estimate to be told apart: each begins as a
// light one, and what it has used so far says what it is.
//
//   - To begin it has to wait where this round of the event loop was long already (`Beginnings`).
//   - One that computes for longer than a turn asks for the next one (`nextTurn`). One turn is given per round, so that
//     whatever came meanwhile, writes and pings first of all, is served in between.
//   - One that has used many turns, or wants other threads or an engine of SQL, is heavy and needs one of few places.
//     The last place is for callers that have none. Where others wait, a place is lost after a while, also by who
//     is not using it: a slow client, a query that waits for another one.
//   - Light ones and heavy ones have every other turn. While somebody writes or begins to ask, turns leave most of the
//     thread to them (`TurnPace`).
//
// All three are served in turn: organizations, then their tokens, then first come, first served.

import { OverloadError } from '../../errors.js'
import type { RunTurns } from '../../platform/run-turns.js'
import { Beginnings } from '../base/beginnings.js'
import { type Caller, FairQueue } from '../base/fair-queue.js'
import { TurnPace } from './turn-pace.js'

/** Ends what a query has begun here: it runs elsewhere from its beginning. */
class MovedElsewhere extends Error {}

/** What is printed without asking for another turn. */
const turnMs = 5
/** What a query may use before it needs a place. */
const lightMsMax = 30
/** How long a place is kept where others wait for one. */
const placeMs = 1000
const lookMs = 200
/** How long others count as being there after they were seen. */
const othersMs = 250
/** How often is looked whether the thread was idle. */
const paceMs = 1

export interface QueryTurnsOptions {
  readonly placeCount: number
  /** Until it has a place for the first time. */
  readonly waitSecondsMax: number
  /** Whether something else is under way on the thread that is done with it soon. */
  isNeededElsewhere(): boolean
}

/** Where a query may run instead. */
export interface OtherPlace {
  /** Whether it is in somebody's way here. */
  isBetter(): boolean
  /** Whether it may come now. */
  isOpen(): boolean
  /** What it has to read at least to be worth the way, in values. */
  readonly valuesMin: number
}

interface Waiter {
  readonly run: QueryTurn
  /** Whether it wants to compute on this thread once it has its place. */
  readonly wantsTurn: boolean
  done(error?: Error): void
}

export class QueryTurns {
  readonly #options: QueryTurnsOptions
  readonly #beginnings = new Beginnings()
  readonly #lightTurns = new FairQueue<Waiter>()
  readonly #heavyTurns = new FairQueue<Waiter>()
  readonly #waitingForPlace = new FairQueue<Waiter>()
  /** Those that have a place, and since when. */
  readonly #places = new Map<QueryTurn, number>()
  #placeTimer: NodeJS.Timeout | undefined
  #isScheduled = false
  /** Whether the last turn was a light query's. */
  #wasLight = false
  readonly #pace = new TurnPace()
  /** Queries that have begun since the last turn, and did not turn out to be long. */
  #begunCount = 0
  /** When somebody was seen last who writes or asks little. */
  #othersAt = Number.NEGATIVE_INFINITY

  constructor(options: QueryTurnsOptions) {
    this.#options = options
  }

  /** Queries that wait for a place. */
  get waitingCount(): number {
    return this.#waitingForPlace.size
  }

  get heavyCount(): number {
    return this.#places.size
  }

  /** Resolves when a query may begin; undefined: at once. */
  begin(caller: Caller): Promise<void> | undefined {
    this.#begunCount++
    return this.#beginnings.enter(caller)
  }

  /** Whether queries that compute for long have to leave the thread to others. */
  get isNeededElsewhere(): boolean {
    return this.#begunCount > 0 || this.#options.isNeededElsewhere()
  }

  /** Whether somebody was there within the last moments who writes or asks little. */
  get hasOthers(): boolean {
    const now = performance.now()
    if (this.#options.isNeededElsewhere()) this.#othersAt = now
    return now - this.#othersAt < othersMs
  }

  /** The turns of one query that begins. */
  run(caller: Caller, signal: AbortSignal): QueryTurn {
    return new QueryTurn(this, caller, signal)
  }

  /** A query that has begun is none of the short ones. */
  noteLong(): void {
    if (this.#begunCount > 0) this.#begunCount--
  }

  wait(run: QueryTurn, isHeavy: boolean, wantsTurn: boolean): Promise<void> {
    const queue = !isHeavy
      ? this.#lightTurns
      : this.#places.has(run)
        ? this.#heavyTurns
        : this.#waitingForPlace
    const waiting = new Promise<void>((resolve, reject) => {
      const since = performance.now()
      const stopped = () => {
        for (const each of [this.#waitingForPlace, this.#heavyTurns, this.#lightTurns])
          each.remove(run.caller, waiter)
        waiter.done()
      }
      const tooLong = () => {
        this.#waitingForPlace.remove(run.caller, waiter)
        waiter.done(tooManyHeavy())
      }
      const isFirst = queue === this.#waitingForPlace && !run.hadPlace
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
    if (queue === this.#waitingForPlace) this.#givePlaces()
    else this.#schedule()
    return waiting
  }

  hasPlace(run: QueryTurn): boolean {
    return this.#places.has(run)
  }

  ended(run: QueryTurn): void {
    if (!run.isLong) this.#othersAt = performance.now()
    if (this.#places.delete(run)) this.#givePlaces()
  }

  /** Two callbacks of one round: between them runs what the first lets go on. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    let beganAt: number | undefined
    setImmediate(() => {
      if (this.isNeededElsewhere && !this.#pace.isDue) return
      beganAt = performance.now()
      this.#begunCount = 0
      this.#takeTurn()?.done()
    })
    setImmediate(() => {
      this.#isScheduled = false
      if (beganAt !== undefined) this.#pace.turnEnded(performance.now() - beganAt)
      if (this.#lightTurns.size + this.#heavyTurns.size === 0) return
      if (beganAt !== undefined) this.#schedule()
      else setTimeout(() => this.#schedule(), paceMs)
    })
  }

  /** Light ones and heavy ones in turn: a hundred that have just begun do not hold up those that are to end first. */
  #takeTurn(): Waiter | undefined {
    const isHeavyNext = this.#wasLight && this.#heavyTurns.size > 0
    this.#wasLight = !isHeavyNext && this.#lightTurns.size > 0
    return this.#wasLight ? this.#lightTurns.take() : this.#heavyTurns.take()
  }

  #givePlaces(): void {
    for (;;) {
      const free = this.#options.placeCount - this.#places.size
      if (free <= 0) break
      const next = this.#waitingForPlace.take(
        free > 1 ? undefined : (caller) => !this.#hasAny(caller),
      )
      if (next === undefined) break
      this.#places.set(next.run, performance.now())
      next.run.hadPlace = true
      if (!next.wantsTurn) next.done()
      else {
        this.#heavyTurns.add(next.run.caller, next)
        this.#schedule()
      }
    }
    if (this.#waitingForPlace.size > 0)
      this.#placeTimer ??= setTimeout(() => this.#takePlaces(), lookMs)
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
    for (const [run, since] of this.#places) {
      if (since >= until) continue
      this.#places.delete(run)
      run.onPlaceLost?.()
    }
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
  isLong = false
  /** What it has waited for its turns and its place. */
  queuedMs = 0
  hadPlace = false
  /** Where it may run instead, as long as nothing of its answer is there. */
  elsewhere: OtherPlace | undefined
  isMoving = false
  /** Told where others have its place from now on, until it has asked for another. */
  onPlaceLost: (() => void) | undefined

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
    this.#noteLong()
    if (this.#moves()) return Promise.reject(new MovedElsewhere())
    this.#usedMs += performance.now() - this.#since
    return this.#turns.wait(this, this.hadPlace || this.#usedMs > lightMsMax, true)
  }

  /** For an answer that has begun: it waits for its turns, not for a place, and is not refused any more. */
  nextIfLong(): Promise<void> | undefined {
    const usedMs = performance.now() - this.#since
    if (usedMs < turnMs) return undefined
    this.#usedMs += usedMs
    return this.#turns.wait(this, false, true)
  }

  resumed(): Promise<void> | undefined {
    return this.#turns.isNeededElsewhere ? this.next() : undefined
  }

  enterHeavy(): Promise<void> | undefined {
    this.#noteLong()
    if (this.#moves()) return Promise.reject(new MovedElsewhere())
    return this.#turns.hasPlace(this) ? undefined : this.#turns.wait(this, true, false)
  }

  /** Whatever else goes on of it here fails in the same way. */
  #moves(): boolean {
    const { elsewhere } = this
    this.isMoving ||= elsewhere?.isBetter() === true && elsewhere.isOpen()
    return this.isMoving
  }

  foresee(values: () => number): void {
    const { elsewhere } = this
    if (elsewhere?.isBetter() !== true || values() < elsewhere.valuesMin) return
    this.#noteLong()
    if (this.#moves()) throw new MovedElsewhere()
  }

  staysHere(): void {
    this.elsewhere = undefined
  }

  /** Nothing is left of what it has begun here: from now on it waits for its place elsewhere. */
  moved(): void {
    this.isMoving = false
    this.elsewhere = undefined
  }

  #noteLong(): void {
    if (this.isLong) return
    this.isLong = true
    this.#turns.noteLong()
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
