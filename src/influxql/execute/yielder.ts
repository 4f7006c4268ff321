// Yields to the event loop while a query computes without waiting for anything, so that other requests are
// served, and stops the query where it was stopped meanwhile.

import { nextTurn } from '../../platform/run-turns.js'

/** Rows between two looks at the clock: some take a hundred times as long as others. */
const rowsPerLook = 1024
/** Milliseconds that others may be kept waiting. */
const turnMs = 4

export class Yielder {
  readonly #signal: AbortSignal
  #rows = 0
  #turnEndMs = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Whether it is time to yield, after so many rows more. */
  isDue(rows: number): boolean {
    this.#rows += rows
    if (this.#turnEndMs === 0) this.#turnEndMs = performance.now() + turnMs
    if (this.#rows < rowsPerLook) return false
    this.#rows = 0
    return performance.now() >= this.#turnEndMs
  }

  async yield(): Promise<void> {
    this.#turnEndMs = 0
    await nextTurn(this.#signal)
  }
}
