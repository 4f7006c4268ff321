// Work that begins on the thread that serves everybody: a few milliseconds of it in each round of the event loop. A
// hundred requests that come at once would otherwise keep a ping waiting for all of them; so the others begin in the
// next rounds, organizations in turn.

import { type Caller, FairQueue } from './fair-queue.js'

/** Of a round of the event loop: what arrived meanwhile waits for as long. */
const roundMs = 5
/** What may begin within a round at most. */
const roundMax = 16

export class Beginnings {
  readonly #waiting = new FairQueue<() => void>()
  /** Of this round; undefined: nothing has begun in it. */
  #roundEndsAt: number | undefined
  /** Callbacks of this round that have not run. */
  #steps = 0
  #stepsEndAt: number | undefined

  /** Resolves when it may begin; undefined: at once. */
  enter(caller: Caller): Promise<void> | undefined {
    if (this.#waiting.size === 0 && !this.#isRoundOver()) return undefined
    return new Promise((resolve) => {
      this.#waiting.add(caller, resolve)
      this.#schedule()
    })
  }

  #isRoundOver(): boolean {
    const now = performance.now()
    if (this.#roundEndsAt === undefined) {
      this.#roundEndsAt = now + roundMs
      setImmediate(() => {
        this.#roundEndsAt = undefined
      })
    }
    return now >= this.#roundEndsAt
  }

  /** As many callbacks as may begin in the next round: what each of them lets go on has run before the next. */
  #schedule(): void {
    if (this.#steps > 0) return
    this.#steps = Math.min(this.#waiting.size, roundMax)
    this.#stepsEndAt = undefined
    for (let i = this.#steps; i > 0; i--) setImmediate(() => this.#step())
  }

  #step(): void {
    const now = performance.now()
    this.#stepsEndAt ??= now + roundMs
    if (now < this.#stepsEndAt) this.#waiting.take()?.()
    if (--this.#steps === 0 && this.#waiting.size > 0) this.#schedule()
  }
}
