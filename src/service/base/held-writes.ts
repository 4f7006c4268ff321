// Writes and deletes held back for some seconds, while an installation moves elsewhere: they are refused as if the
// service were busy, so that clients send them again, and find the new address by then. Whoever holds them says so
// again and again; when nobody does any more, writes are taken as before.

import { nsPerSecond } from '../../column/time.js'
import { UnavailableError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'

export interface Hold {
  /** Without a pause. */
  readonly since: bigint
  readonly until: bigint
}

export class HeldWrites {
  readonly #clock: Clock
  readonly #underWay = new Set<Promise<unknown>>()
  #hold: Hold | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when none is under way: whatever was acknowledged can be read then, and nothing is after it. */
  async hold(seconds: number): Promise<Hold> {
    const now = this.#clock.now()
    const since = this.#current?.since ?? now
    const hold = { since, until: now + BigInt(seconds) * nsPerSecond }
    this.#hold = hold
    await Promise.allSettled(this.#underWay)
    return hold
  }

  release(): void {
    this.#hold = undefined
  }

  get #current(): Hold | undefined {
    return this.#hold !== undefined && this.#clock.now() < this.#hold.until ? this.#hold : undefined
  }

  /** Refuses it while writes are held back. */
  during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#current !== undefined) {
      const reason = 'writes are held back: this installation is being moved'
      return Promise.reject(new UnavailableError(reason))
    }
    const done = work()
    const end = () => this.#underWay.delete(done)
    this.#underWay.add(done)
    done.then(end, end)
    return done
  }
}
