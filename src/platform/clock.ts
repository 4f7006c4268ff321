// The clock as everybody here sees it: passed in, so that tests can hold it still and move it. `systemClock` tells the
// machine's time; it may step back when that is set, so it is no measure of durations.

export interface Clock {
  /** Nanoseconds since 1970. */
  now(): bigint
  /** Of one that can be set: whoever waits for a moment looks again. */
  onSet?(listener: () => void): void
}

const anchorDriftMax = 5_000_000n

/**
 * `Date.now` moves in milliseconds. The monotonic clock counts on from an anchor, so that points written without a
 * timestamp one after the other do not fall together; the anchor moves when the wall clock was set.
 */
class SystemClock implements Clock {
  #anchorWall = BigInt(Date.now()) * 1_000_000n
  #anchorMonotonic = process.hrtime.bigint()

  now(): bigint {
    const monotonic = process.hrtime.bigint()
    const wall = BigInt(Date.now()) * 1_000_000n
    const reckoned = this.#anchorWall + (monotonic - this.#anchorMonotonic)
    const drift = reckoned - wall
    if (drift < anchorDriftMax && drift > -anchorDriftMax) return reckoned
    this.#anchorWall = wall
    this.#anchorMonotonic = monotonic
    return wall
  }
}

export const systemClock: Clock = new SystemClock()

/** Stands still until it is set. */
export class ManualClock implements Clock {
  #now: bigint
  readonly #listeners: (() => void)[] = []

  constructor(now: bigint) {
    this.#now = now
  }

  now(): bigint {
    return this.#now
  }

  set(now: bigint): void {
    this.#now = now
    for (const listener of this.#listeners) listener()
  }

  advance(byNs: bigint): void {
    this.set(this.#now + byNs)
  }

  onSet(listener: () => void): void {
    this.#listeners.push(listener)
  }
}
