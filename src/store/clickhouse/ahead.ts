// Reading by a guess. What a read has to know first (the measurement as it is now, its series) is nearly always what it
// was the last time, and finding that out takes as long as a small read itself. So the read begins by what was known
// while it is asked whether that still holds; where it does not, the rows are thrown away and the read begins anew.
// Both begin after whoever reads has asked, so that nothing older than the question is ever answered.

import { connectionsMax } from './requests.js'

/** Reads by a guess at once: each may hold a connection that those who ask whether it is right wait for. */
const underWayMax = connectionsMax / 2

export class Ahead {
  #underWay = 0

  /**
   * `isRight` is found out meanwhile. `guessed` gets a signal of its own, which ends with `signal`; undefined: there is
   * no guess.
   */
  async *read<T>(
    signal: AbortSignal,
    guessed: ((signal: AbortSignal) => AsyncGenerator<T, void, void>) | undefined,
    isRight: Promise<boolean>,
    otherwise: () => AsyncGenerator<T, void, void>,
  ): AsyncGenerator<T, void, void> {
    if (guessed === undefined || this.#underWay >= underWayMax) {
      await isRight
      return yield* otherwise()
    }
    const own = new AbortController()
    const end = () => own.abort(signal.reason)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const items = guessed(own.signal)
    let isOver = false
    try {
      const first = this.#begin(items)
      if (await isRight.finally(() => this.#underWay--)) {
        const { done, value } = await first
        if (done !== true) {
          yield value
          yield* items
        }
        isOver = true
        return
      }
    } finally {
      signal.removeEventListener('abort', end)
      if (!isOver) {
        own.abort()
        await items.return().catch(() => undefined)
      }
    }
    yield* otherwise()
  }

  #begin<T>(items: AsyncGenerator<T, void, void>): Promise<IteratorResult<T, void>> {
    this.#underWay++
    const first = items.next()
    // Of a wrong guess nobody wants to know how it failed.
    first.catch(() => undefined)
    return first
  }
}
