// Yields to the event loop while a query computes without waiting for anything, so that other requests are served, and
// stops the query where it was stopped meanwhile: clients that go away and timeouts are noticed in between, and nowhere
// else. Streams of tables pass nothing but promises around, which never yields. A query that nobody waits for has
// turns, which are short and come when people have theirs.

import { setImmediate } from 'node:timers/promises'
import { turnMs } from '../../platform/background-turns.js'

/** About what is done in some milliseconds: calls of functions, rows of tables. */
const workPerTurn = 16_384
/** In the background the time is looked at so often. */
const workPerLook = 64

/** Nanoseconds that others may be kept waiting. */
const turnNs = 20_000_000n

export class Yielder {
  readonly #signal: AbortSignal
  readonly #giveWay: (() => Promise<void>) | undefined
  #work = 0
  #held = 0
  #sinceNs = 0n
  #turnEndMs = 0

  /** `giveWay`: of what runs in the background, waits for its next turn. */
  constructor(signal: AbortSignal, giveWay?: () => Promise<void>) {
    this.#signal = signal
    this.#giveWay = giveWay
    if (giveWay !== undefined) this.#turnEndMs = performance.now() + turnMs
  }

  add(work: number): void {
    this.#work += work
  }

  /** Some work takes longer than it looks. A clock that was set back counts anew. */
  tick(nowNs: bigint): void {
    if (this.#sinceNs === 0n || nowNs < this.#sinceNs) this.#sinceNs = nowNs
    else if (nowNs - this.#sinceNs > turnNs) this.#work = workPerTurn
  }

  get isDue(): boolean {
    if (this.#held > 0) return false
    if (this.#giveWay === undefined || this.#work >= workPerTurn) return this.#work >= workPerTurn
    if (this.#work < workPerLook) return false
    this.#work = 0
    return performance.now() >= this.#turnEndMs
  }

  async yield(): Promise<void> {
    this.#work = 0
    this.#sinceNs = 0n
    await (this.#giveWay === undefined ? setImmediate() : this.#giveWay())
    this.#turnEndMs = performance.now() + turnMs
    this.#signal.throwIfAborted()
  }

  /** Between two stages of a query: in the background each has a turn of its own. */
  async rest(): Promise<void> {
    if (this.#giveWay !== undefined) await this.yield()
  }

  /** For what must not be waited for. */
  suspended<Result>(inside: () => Result): Result {
    this.#held++
    try {
      return inside()
    } finally {
      this.#held--
    }
  }
}
