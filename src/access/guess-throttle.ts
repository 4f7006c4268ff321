// How often somebody may guess passwords: so many at once, then one every few seconds, for each name at each address.
// By the address too, so that a stranger cannot keep a user out by guessing. A guess is counted before it is checked,
// as many may be under way, and is given back where it was right; pairs that were wrong before are refused without
// work, so that a program with an old password costs nothing and does not count as one that guesses.

import { BusyError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import { LruCache } from '../platform/lru-cache.js'
import { hashToken } from './tokens.js'

/** A name and a password, and where they came from; undefined: from a transport that does not tell. */
export interface Guess {
  readonly username: string
  readonly password: string
  readonly address?: string | undefined
}

/** Wrong ones at once. */
const burst = 10
const secondsPerGuess = 6n
const nsPerGuess = secondsPerGuess * 1_000_000_000n

/** Ten thousand of each. Of more, those that were used least recently are forgotten. */
const entryBytes = 256
const bytesMax = 10_000 * entryBytes

export class GuessThrottle {
  readonly #clock: Clock
  /** When all of the guesses of a name and an address are there again. */
  readonly #fullAt = new LruCache<string, bigint>({ bytesMax, sizeOf: () => entryBytes })
  /** Pairs that were wrong, by their hash: in no other form is a password kept. */
  readonly #wrong = new LruCache<string, true>({ bytesMax, sizeOf: () => entryBytes })
  /** Grows with everything forgotten, so that what was checked before a change is not remembered. */
  #generation = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A password was changed, or a user was made: what was wrong may be right. */
  forget(): void {
    this.#generation++
    this.#wrong.clear()
  }

  /** What `check` finds; undefined: the guess was wrong. Throws BusyError where there were too many. */
  async check<T>(guess: Guess, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const pair = hashToken(JSON.stringify([guess.username, guess.password]))
    if (this.#wrong.get(pair) !== undefined) return undefined
    const place = hashToken(JSON.stringify([guess.address, guess.username]))
    const generation = this.#generation
    this.#take(place)
    let found: T | undefined
    try {
      found = await check()
    } catch (error) {
      this.#giveBack(place)
      throw error
    }
    if (found !== undefined) this.#giveBack(place)
    else if (generation === this.#generation) this.#wrong.set(pair, true)
    return found
  }

  #take(place: string): void {
    const now = this.#clock.now()
    const fullAt = this.#fullAt.get(place) ?? now
    const after = (fullAt > now ? fullAt : now) + nsPerGuess
    const missingNs = after - now - BigInt(burst) * nsPerGuess
    if (missingNs > 0n) {
      const seconds = Number((missingNs + 999_999_999n) / 1_000_000_000n)
      throw new BusyError('too many wrong passwords: try again later', seconds)
    }
    this.#fullAt.set(place, after)
  }

  #giveBack(place: string): void {
    const fullAt = this.#fullAt.get(place)
    if (fullAt !== undefined) this.#fullAt.set(place, fullAt - nsPerGuess)
  }
}
