// The memory that the tables of one query hold, counted by those who keep them. What goes over the
// limit ends the query with Flux's words.

import { UserError } from '../../errors.js'
import type { QueryFigures } from '../../query/limits.js'

export class MemoryMeter {
  readonly #limitBytes: number
  readonly #figures: QueryFigures | undefined
  #usedBytes = 0
  #peakBytes = 0

  /** 0: no limit. */
  constructor(limitBytes: number, figures?: QueryFigures) {
    this.#limitBytes = limitBytes
    this.#figures = figures
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
    if (this.#usedBytes <= this.#peakBytes) return
    this.#peakBytes = this.#usedBytes
    if (this.#figures !== undefined) this.#figures.bytesMax = this.#usedBytes
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }
}
