// When tokens were last used. The authenticator notes which are; from time to time these get the minute that it is, and
// all together are written to the catalog, which no request waits for. A process that is killed loses some minutes.

import type { Authenticator } from '../../access/authenticator.js'
import type { TokenUses } from '../../catalog/accounts/token-uses.js'
import { formatTimestamp } from '../../catalog/base/timestamps.js'
import type { Clock } from '../../platform/clock.js'

const minuteMs = 60_000
const minuteNs = 60_000_000_000n
/** How often the catalog gets what was noted. */
const saveMinutes = 5
/** How often what was noted of tokens that are gone is dropped. */
const forgetMinutes = 24 * 60

export class LastUses {
  readonly #clock: Clock
  readonly #authenticator: Pick<Authenticator, 'takeUsed'>
  readonly #kept: TokenUses
  /** What the catalog does not have yet: minutes since 1970 by token. */
  #waiting = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #savedMinute = 0
  #forgottenMinute = 0

  constructor(clock: Clock, authenticator: Pick<Authenticator, 'takeUsed'>, kept: TokenUses) {
    this.#clock = clock
    this.#authenticator = authenticator
    this.#kept = kept
  }

  start(): void {
    this.#savedMinute = this.#minute()
    // The catalog may be away: what was noted waits for the next time.
    const pass = () => void this.#pass().catch(() => undefined)
    this.#timer = setInterval(pass, minuteMs).unref()
  }

  async stop(): Promise<void> {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    await this.save().catch(() => undefined)
  }

  /** RFC3339 by the token's id, of those among them that were ever used. */
  async of(tokenIds: readonly string[]): Promise<Map<string, string>> {
    this.#note()
    const found = await this.#kept.of(tokenIds)
    for (const id of tokenIds) {
      const minute = this.#waiting.get(id)
      if (minute !== undefined) found.set(id, Math.max(minute, found.get(id) ?? 0))
    }
    const told = new Map<string, string>()
    for (const [id, minute] of found) told.set(id, formatTimestamp(BigInt(minute) * minuteNs))
    return told
  }

  /** Writes what waits. */
  async save(): Promise<void> {
    this.#note()
    if (this.#waiting.size === 0) return
    const taken = this.#waiting
    this.#waiting = new Map()
    try {
      await this.#kept.add(taken)
    } catch (error) {
      // What was used since then is later.
      this.#waiting = new Map([...taken, ...this.#waiting])
      throw error
    }
  }

  async #pass(): Promise<void> {
    this.#note()
    const minute = this.#minute()
    // The clock may be set back.
    if (Math.abs(minute - this.#savedMinute) < saveMinutes) return
    this.#savedMinute = minute
    await this.save()
    if (Math.abs(minute - this.#forgottenMinute) < forgetMinutes) return
    await this.#kept.forgetGone()
    this.#forgottenMinute = minute
  }

  #note(): void {
    const used = this.#authenticator.takeUsed()
    if (used.size === 0) return
    const minute = this.#minute()
    for (const id of used) this.#waiting.set(id, minute)
  }

  #minute(): number {
    return Number(this.#clock.now() / minuteNs)
  }
}
