// A span of time read from a server piece by piece: pieces grow while they are answered quickly, and are halved when
// they take long or the server says that one is too much for it.

import type { TimeRange } from '../../column/time.js'

const firstNs = 3_600_000_000_000n
const shortestNs = 1_000_000_000n
const longestNs = 31n * 86_400_000_000_000n

/** Below this the next piece is twice as long, above the other half as long. */
const quickNs = 1_000_000_000n
const slowNs = 15_000_000_000n

export class Windows {
  readonly #now: () => bigint
  /** How long the next one is; what one unit has shown is good for the next. */
  #lengthNs = firstNs

  constructor(now: () => bigint) {
    this.#now = now
  }

  /** `isTooMuch`: whether a shorter piece may succeed where this failed. */
  async *read<T>(
    { start, stop }: TimeRange,
    read: (window: TimeRange) => AsyncIterable<T>,
    isTooMuch: (error: unknown) => boolean,
  ): AsyncGenerator<T> {
    for (let at = start; at < stop; ) {
      const length = this.#lengthNs
      const end = stop - at < length ? stop : at + length
      const begun = this.#now()
      let hasBegun = false
      try {
        for await (const one of read({ start: at, stop: end })) {
          hasBegun = true
          yield one
        }
      } catch (error) {
        // What was handed on already would be counted twice.
        if (hasBegun || !isTooMuch(error) || length <= shortestNs) throw error
        this.#lengthNs = length / 2n
        continue
      }
      at = end
      const took = this.#now() - begun
      if (took < quickNs && length < longestNs) this.#lengthNs = length * 2n
      else if (took > slowNs && length > shortestNs) this.#lengthNs = length / 2n
    }
  }
}
