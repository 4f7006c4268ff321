// Lets other requests have their turn while a query computes without waiting for anything, and stops it
// where it was stopped meanwhile.

import { setImmediate } from 'node:timers/promises'

/** About as many rows as are computed in a few milliseconds. */
const rowsPerTurn = 16_384

export class Turns {
  readonly #signal: AbortSignal
  #rows = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Whether so many rows, on top of those before, make it somebody else's turn. */
  isDue(rows: number): boolean {
    this.#rows += rows
    return this.#rows >= rowsPerTurn
  }

  async pass(): Promise<void> {
    this.#rows = 0
    await setImmediate()
    this.#signal.throwIfAborted()
  }
}
