// The limits of one query, and the counting against them. 0 means no limit, as InfluxDB has it. What
// goes over is refused with InfluxDB's words.

import { UserError } from '../errors.js'

/**
 * Words, numbers and signs in the text of one query. Each becomes a part of a tree, of some hundred bytes, while the
 * text of it may be one character: what a query takes is bounded by these and not by the length of its text.
 */
export const queryWordsMax = 100_000

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

/** What a query has cost, for whoever keeps account of it: written by its meters as it runs. */
export interface QueryFigures {
  /** Rows that the store handed over: points, or windows where the store has computed them. */
  rowsRead: number
  /** The most memory that it held at once, as counted against its limit. */
  bytesMax: number
  /**
   * Counts what may be held elsewhere, until what is returned is called, and waits until all queries together hold so
   * little. Rejects with OverloadError where that takes too long; setting `bytesMax` throws it at once.
   */
  reserve?(bytes: number, signal: AbortSignal): Promise<() => void>
}

/** Counts the points that one query reads. */
export class PointMeter {
  readonly #pointsMax: number
  readonly #figures: QueryFigures | undefined
  #points = 0

  constructor(pointsMax: number, figures?: QueryFigures) {
    this.#pointsMax = pointsMax
    this.#figures = figures
  }

  get points(): number {
    return this.#points
  }

  addPoints(count: number): void {
    this.#points += count
    if (this.#figures !== undefined) this.#figures.rowsRead += count
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
  readonly #figures: QueryFigures | undefined

  constructor(limits: QueryLimits, figures?: QueryFigures) {
    super(limits.pointsMax, figures)
    this.limits = limits
    this.#figures = figures
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
    if (this.#figures !== undefined && bytes > this.#figures.bytesMax)
      this.#figures.bytesMax = bytes
    if (memoryBytesMax > 0 && bytes > memoryBytesMax) {
      const figures = `(${bytes}/${memoryBytesMax} bytes)`
      throw new UserError('invalid', `query memory limit exceeded: ${figures}`)
    }
  }
}
