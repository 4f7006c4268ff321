// A query under way, as whoever sends its answer sees it: the pieces, what it costs, and how it is stopped. It must be
// told of its end, however that comes.

import { assert } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { PullStream } from '../../platform/pull-stream.js'
import { setTurns } from '../../platform/run-turns.js'
import type { ActiveQuery } from '../../query/active-queries.js'
import type { ResultBatch, ResultPiece } from '../../query/language.js'
import type { PreparedQuery } from '../../query/prepared-queries.js'
import type { AnswerForm, Chunks } from '../../result/answer-form.js'
import type { AdmittedRead } from '../limits/organization-limits.js'
import { QueryReturned, type RunningElsewhere } from '../query-thread/query-threads.js'
import type { OtherPlace, QueryTurn } from './query-turns.js'

export interface StartedQuery<Scope, Piece> {
  readonly query: PreparedQuery<Scope, Piece>
  readonly scope: Scope
  readonly active: ActiveQuery
  readonly admitted: AdmittedRead
  readonly turn: QueryTurn
  /** Absent: it can only run here. */
  readonly elsewhere?: Elsewhere | undefined
  /** Called once, at its end. */
  readonly ended: (now: bigint) => void
  readonly clock: Clock
  /** Absent: nobody wants to know how long it took to plan. */
  readonly askedAt?: bigint | undefined
}

/** Threads that a query may run on instead. */
export interface Elsewhere extends OtherPlace {
  /** Once it has a place. */
  run(form: AnswerForm): RunningElsewhere
  /** It was not answered there, and begins again here. */
  returned(): void
}

/** An answer that was begun, and what of it came first. */
export interface BegunAnswer {
  readonly chunks: Chunks
  readonly first: Uint8Array | undefined
}

export class QueryRun<Piece = ResultPiece> {
  readonly #started: StartedQuery<unknown, Piece>
  #pieces: PullStream<Piece> | undefined
  #hasMoved = false
  #hasEnded = false

  constructor(started: StartedQuery<never, Piece>) {
    this.#started = started as StartedQuery<unknown, Piece>
  }

  /** The answer. It begins when its first piece is taken. */
  get pieces(): PullStream<Piece> {
    const { query, scope, active } = this.#started
    this.#pieces ??= query.run(scope, active.signal)
    return this.#pieces
  }

  /** See `Prepared.describe`. */
  describe(): Promise<ResultBatch | undefined> {
    const { query, scope, active } = this.#started
    return query.describe(scope, active.signal)
  }

  /** From now on it may be given up here when it turns out to be long, until its first piece was given. */
  mayMove(): void {
    const { elsewhere, turn } = this.#started
    turn.elsewhere = elsewhere
  }

  /** Something of its answer is there: it runs here to its end. */
  stays(): void {
    this.#started.turn.staysHere()
  }

  /** It is to run elsewhere: nothing of what it gives here counts. */
  get isMoving(): boolean {
    return this.#started.turn.isMoving
  }

  /**
   * Its whole answer, from another thread, when it has its turn there. Nothing of it may go on here any more. What
   * that thread cannot answer is answered here after all: `encode` makes the chunks of its pieces.
   */
  async move(form: AnswerForm, encode: () => Chunks): Promise<BegunAnswer> {
    const { turn, elsewhere } = this.#started
    assert(elsewhere !== undefined, 'moves only where it may')
    turn.moved()
    this.#hasMoved = true
    await turn.enterHeavy()
    const running = elsewhere.run(form)
    turn.onPlaceLost = () => {
      running.pause()
      void Promise.resolve(turn.enterHeavy()).then(() => running.resume())
    }
    try {
      return await begun(running.chunks)
    } catch (error) {
      if (!(error instanceof QueryReturned)) throw error
    }
    turn.onPlaceLost = undefined
    this.#hasMoved = false
    this.#pieces = undefined
    elsewhere.returned()
    return begun(encode())
  }

  /** Whether it was stopped: by its caller, by its time limit, by whoever killed it. */
  get isStopped(): boolean {
    return this.#started.active.signal.aborted
  }

  /** Where its time goes. The clock may be set back: no duration is below zero then. */
  durations(): QueryDurations {
    const { active, clock, turn } = this.#started
    const { startedAt } = active
    const { askedAt = startedAt } = this.#started
    const queueNs = BigInt(Math.round(turn.queuedMs * 1e6))
    return {
      planningNs: between(askedAt, startedAt),
      queueNs,
      executionNs: between(startedAt + queueNs, clock.now()),
    }
  }

  /** What it has waited for its turns so far, and what it took besides. */
  timing(): { readonly queuedMs: number; readonly spentMs: number } {
    const { queuedMs, openMs } = this.#started.turn
    return { queuedMs, spentMs: Math.max(0, openMs - queuedMs) }
  }

  /** To be waited for between two pieces of a long answer; undefined: its turn was not long. */
  nextTurn(): Promise<void> | undefined {
    // What another thread prints takes nobody's turn here.
    return this.#hasMoved ? undefined : this.#started.turn.nextIfLong()
  }

  stop(reason: Error): void {
    this.#started.active.stop(reason)
  }

  sent(bytes: number): void {
    this.#started.admitted.sent(bytes)
  }

  end(): void {
    const { active, admitted, turn, ended, clock } = this.#started
    if (this.#hasEnded) return
    this.#hasEnded = true
    const now = clock.now()
    ended(now)
    turn.onPlaceLost = undefined
    turn.end()
    // The signal is used again.
    setTurns(active.signal, undefined)
    active.end(now)
    admitted.end()
  }
}

export interface QueryDurations {
  readonly planningNs: bigint
  /** What it has waited for its turns. */
  readonly queueNs: bigint
  readonly executionNs: bigint
}

async function begun(chunks: Chunks): Promise<BegunAnswer> {
  try {
    return { chunks, first: await chunks.take() }
  } catch (error) {
    await chunks.close()
    throw error
  }
}

function between(from: bigint, to: bigint): bigint {
  return to > from ? to - from : 0n
}
