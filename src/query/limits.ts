// The limits of one query, and the counting against them. 0 means no limit, as InfluxDB has it. What
// goes over is refused with InfluxDB's words.

import { UserError } from '../errors.js'

export interface QueryLimits {
  readonly timeoutSeconds: number
  /** Points that may be read. */
  readonly pointsMax: number
  readonly seriesMax: number
  /** Windows of `GROUP BY time()`. */
  readonly bucketsMax: number
  readonly concurrentMax: number
  /** What one query may hold in memory while it groups and sorts. */
  readonly memoryBytesMax: number
}

/** Counts what one query reads. */
export class QueryMeter {
  readonly limits: QueryLimits
  #points = 0

  constructor(limits: QueryLimits) {
    this.limits = limits
  }

  get points(): number {
    return this.#points
  }

  addPoints(count: number): void {
    this.#points += count
    const { pointsMax } = this.limits
    if (pointsMax > 0 && this.#points > pointsMax) {
      // The misspelling is InfluxDB's: programs look for it.
      const figures = `(${this.#points}/${pointsMax})`
      throw new UserError('invalid', `max-select-point limit exceeed: ${figures}`)
    }
  }

  checkBuckets(count: number): void {
    const { bucketsMax } = this.limits
    if (bucketsMax > 0 && count > bucketsMax) {
      throw new UserError('invalid', `max-select-buckets limit exceeded: (${count}/${bucketsMax})`)
    }
  }

  checkSeries(count: number): void {
    const { seriesMax } = this.limits
    if (seriesMax > 0 && count > seriesMax) {
      throw new UserError('invalid', `max-select-series limit exceeded: (${count}/${seriesMax})`)
    }
  }

  checkMemory(bytes: number): void {
    const { memoryBytesMax } = this.limits
    if (memoryBytesMax > 0 && bytes > memoryBytesMax) {
      const figures = `(${bytes}/${memoryBytesMax} bytes)`
      throw new UserError('invalid', `query memory limit exceeded: ${figures}`)
    }
  }
}
