// The thread, shared with people: what runs in the background does a little, waits for its next turn, and goes on.
// Turns are given one after the other, each when a round of the event loop has passed in which nobody had anything to
// do, or when that was waited for long enough: people come first, and nothing in the background stands still for ever.

import { setImmediate } from 'node:timers/promises'

/** How long whoever has a turn should go on at most. */
export const turnMs = 2
/** A round of the event loop that takes less had nothing to do: an empty one takes some hundredths. */
const quietMs = 0.2
/** Where people never pause the background has a fifth of the thread. */
const waitMsMax = 8

export class BackgroundTurns {
  readonly #now: () => number
  #last: Promise<void> = Promise.resolve()

  /** `now`: milliseconds that only rise. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Resolves when the next turn is the caller's. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => this.#quietRound())
    return this.#last
  }

  /** What the turn before does counts as work of others: it is over when a round was quiet. */
  async #quietRound(): Promise<void> {
    const since = this.#now()
    for (let before = since; ; ) {
      await setImmediate()
      const now = this.#now()
      if (now - before < quietMs || now - since > waitMsMax) return
      before = now
    }
  }
}

/** For work in small steps that asks after each of them: gives way when it has had its turn. */
export class BackgroundPace {
  readonly #turns = new BackgroundTurns()
  #endsAt = 0

  /** Undefined: go on. */
  breathe(): Promise<void> | undefined {
    return performance.now() < this.#endsAt ? undefined : this.#nextTurn()
  }

  async #nextTurn(): Promise<void> {
    await this.#turns.next()
    this.#endsAt = performance.now() + turnMs
  }
}
