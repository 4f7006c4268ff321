// The memory that the tables of one query hold, counted by those who keep them. What goes over the
// limit ends the query with Flux's words.

import { UserError } from '../../errors.js'

export class MemoryMeter {
  readonly #limitBytes: number
  #usedBytes = 0
  #peakBytes = 0

  /** 0: no limit. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get peakBytes(): number {
    return this.#peakBytes
  }

  take(bytes: number): void {
    if (this.#limitBytes > 0 && this.#usedBytes + bytes > this.#limitBytes) {
      const figures = `limit ${this.#limitBytes} bytes, allocated: ${this.#usedBytes}, wanted: ${bytes}`
      throw new UserError('invalid', `memory allocation limit reached: ${figures}`)
    }
    this.#usedBytes += bytes
    if (this.#usedBytes > this.#peakBytes) this.#peakBytes = this.#usedBytes
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }
}
