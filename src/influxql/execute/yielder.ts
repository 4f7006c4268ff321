// Yields to the event loop while a query computes without waiting for anything, so that other requests are
// served, and stops the query where it was stopped meanwhile.

import { setImmediate } from 'node:timers/promises'

/** About as many rows as are computed in a few milliseconds. */
const rowsBetweenYields = 16_384

export class Yielder {
  readonly #signal: AbortSignal
  #rows = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Whether it is time to yield, after so many rows more. */
  isDue(rows: number): boolean {
    this.#rows += rows
    return this.#rows >= rowsBetweenYields
  }

  async yield(): Promise<void> {
    this.#rows = 0
    await setImmediate()
    this.#signal.throwIfAborted()
  }
}
