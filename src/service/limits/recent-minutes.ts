// What was counted in each minute of the last hour, in memory alone: for who wants to see whether points come, not for
// accounts, which are `usage.ts`.

export const minutesMax = 60

/** Of as many minutes as were asked for, the oldest first. */
export interface RecentCounts {
  readonly requests: readonly number[]
  readonly bytes: readonly number[]
}

export class RecentMinutes {
  /** By minute, in turn. */
  readonly #requests = new Array<number>(minutesMax).fill(0)
  readonly #bytes = new Array<number>(minutesMax).fill(0)
  /** Since 1970. */
  #newest = 0

  /** One request in this minute since 1970. */
  add(minute: number, bytes: number): void {
    this.#turnTo(minute)
    this.#requests[minute % minutesMax]++
    this.#bytes[minute % minutesMax] += bytes
  }

  /** Of the minutes up to this one. */
  upTo(minute: number, count: number): RecentCounts {
    this.#turnTo(minute)
    const slots = Array.from({ length: count }, (_, i) => (minute - count + 1 + i) % minutesMax)
    return {
      requests: slots.map((slot) => this.#requests[slot]),
      bytes: slots.map((slot) => this.#bytes[slot]),
    }
  }

  /** What is an hour old makes room. A clock that is set back begins anew. */
  #turnTo(minute: number): void {
    const passed = minute - this.#newest
    if (passed === 0) return
    const cleared = passed < 0 ? minutesMax : Math.min(passed, minutesMax)
    for (let i = 0; i < cleared; i++) {
      const slot = (minute - i + minutesMax) % minutesMax
      this.#requests[slot] = 0
      this.#bytes[slot] = 0
    }
    this.#newest = minute
  }
}

/** Those of several processes, of which each knows the last minutes that it has lived through. */
export function addedCounts(all: readonly RecentCounts[]): RecentCounts {
  return {
    requests: addedUp(all.map(({ requests }) => requests)),
    bytes: addedUp(all.map(({ bytes }) => bytes)),
  }
}

function addedUp(lists: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...lists.map((list) => list.length))
  const sums = new Array<number>(length).fill(0)
  for (const list of lists) {
    for (const [i, value] of list.entries()) sums[length - list.length + i] += value
  }
  return sums
}
