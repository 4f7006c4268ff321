// Yields to the event loop while a query computes without waiting for anything, so that other requests are served, and
// stops the query where it was stopped meanwhile: clients that go away and timeouts are noticed in between, and nowhere
// else. Streams of tables pass nothing but promises around, which never yields. A query that nobody waits for has
// turns, which are short and come when people have theirs.

import { turnMs } from '../../platform/background-turns.js'
import { nextTurn } from '../../platform/run-turns.js'

/** Between two looks at the clock: calls of functions, rows of tables. */
const workPerLook = 1024
const backgroundWorkPerLook = 64

/** Milliseconds that others may be kept waiting. */
const peopleTurnMs = 4
const turnNs = BigInt(peopleTurnMs) * 1_000_000n

export class Yielder {
  readonly #signal: AbortSignal
  readonly #giveWay: (() => Promise<void>) | undefined
  readonly #workPerLook: number
  readonly #turnMs: number
  #work = 0
  #held = 0
  #sinceNs = 0n
  #turnEndMs = 0

  /** `giveWay`: of what runs in the background, waits for its next turn. */
  constructor(signal: AbortSignal, giveWay?: () => Promise<void>) {
    this.#signal = signal
    this.#giveWay = giveWay
    this.#workPerLook = giveWay === undefined ? workPerLook : backgroundWorkPerLook
    this.#turnMs = giveWay === undefined ? peopleTurnMs : turnMs
    this.#turnEndMs = performance.now() + this.#turnMs
  }

  add(work: number): void {
    this.#work += work
  }

  /** Some work takes longer than it looks. A clock that was set back counts anew. */
  tick(nowNs: bigint): void {
    if (this.#sinceNs === 0n || nowNs < this.#sinceNs) this.#sinceNs = nowNs
    else if (nowNs - this.#sinceNs > turnNs) this.#work = Number.POSITIVE_INFINITY
  }

  get isDue(): boolean {
    if (this.#held > 0) return false
    if (this.#work < this.#workPerLook) return false
    const isLong = this.#work === Number.POSITIVE_INFINITY
    this.#work = 0
    return isLong || performance.now() >= this.#turnEndMs
  }

  async yield(): Promise<void> {
    this.#work = 0
    this.#sinceNs = 0n
    await (this.#giveWay === undefined ? nextTurn(this.#signal) : this.#giveWay())
    this.#turnEndMs = performance.now() + this.#turnMs
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
