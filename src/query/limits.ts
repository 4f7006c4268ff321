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

/** Counts the points that one query reads. */
export class PointMeter {
  readonly #pointsMax: number
  #points = 0

  constructor(pointsMax: number) {
    this.#pointsMax = pointsMax
  }

  get points(): number {
    return this.#points
  }

  addPoints(count: number): void {
    this.#points += count
    if (this.#pointsMax > 0 && this.#points > this.#pointsMax) {
      // The misspelling is InfluxDB's: programs look for it.
      const figures = `(${this.#points}/${this.#pointsMax})`
      throw new UserError('invalid', `max-select-point limit exceeed: ${figures}`)
    }
  }
}

/** Counts what one query reads. */
export class QueryMeter extends PointMeter {
  readonly limits: QueryLimits

  constructor(limits: QueryLimits) {
    super(limits.pointsMax)
    this.limits = limits
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
