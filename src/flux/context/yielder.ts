// Yields to the event loop while a query computes without waiting for anything, so that other requests are served, and
// stops the query where it was stopped meanwhile: clients that go away and timeouts are noticed in between, and nowhere
// else. Streams of tables pass nothing but promises around, which never yields.

import { setImmediate } from 'node:timers/promises'

/** About what is done in some milliseconds: calls of functions, rows of tables. */
const workPerTurn = 16_384

/** Nanoseconds that others may be kept waiting. */
const turnNs = 20_000_000n

export class Yielder {
  readonly #signal: AbortSignal
  #work = 0
  #held = 0
  #sinceNs = 0n

  constructor(signal: AbortSignal) {
    this.#signal = signal
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
    return this.#work >= workPerTurn && this.#held === 0
  }

  async yield(): Promise<void> {
    this.#work = 0
    this.#sinceNs = 0n
    await setImmediate()
    this.#signal.throwIfAborted()
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
