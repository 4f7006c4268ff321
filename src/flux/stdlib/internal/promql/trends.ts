// Trends of samples: a straight line through them, and smoothing by the methods of Holt and Winters. One
// pass over the samples, nothing kept but sums.

import { wordsOf } from '../../../table/int64.js'
import type { Table } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import {
  type Fold,
  keyTime,
  type RangeFunction,
  requiredColumn,
  type Samples,
  secondsOf,
} from './range-vector.js'

const wordSize = 2 ** 32

/** By least squares. Times count in seconds from `originNs`; undefined: from the first sample. */
class LinearRegression implements Fold {
  readonly #secondsAhead: number | undefined
  #originNs: bigint | undefined
  #count = 0
  #sumX = 0
  #sumY = 0
  #sumXY = 0
  #sumX2 = 0

  /** `secondsAhead`: of what the line is asked for, from the origin; undefined: its slope. */
  constructor(originNs: bigint | undefined, secondsAhead: number | undefined) {
    this.#originNs = originNs
    this.#secondsAhead = secondsAhead
  }

  add({ count, values, times }: Samples): void {
    if (count === 0) return
    this.#originNs ??= times[0]
    const { low, high } = wordsOf(times)
    const originHigh = Number(this.#originNs >> 32n)
    const originLow = Number(this.#originNs & 0xffff_ffffn)
    for (let i = 0; i < count; i++) {
      const ns = (high[2 * i + 1] - originHigh) * wordSize + (low[2 * i] - originLow)
      const x = secondsOf(ns)
      const y = values[i]
      this.#sumX += x
      this.#sumY += y
      this.#sumXY += x * y
      this.#sumX2 += x * x
    }
    this.#count += count
  }

  result(): number | undefined {
    const n = this.#count
    if (n < 2) return undefined
    const covariance = this.#sumXY - (this.#sumX * this.#sumY) / n
    const slope = covariance / (this.#sumX2 - (this.#sumX * this.#sumX) / n)
    if (this.#secondsAhead === undefined) return slope
    const intercept = this.#sumY / n - (slope * this.#sumX) / n
    return slope * this.#secondsAhead + intercept
  }
}

/** `secondsFromNow`: what the samples will be so long after the range stops; undefined: how fast they rise. */
export function linearRegression(secondsFromNow: number | undefined): RangeFunction {
  const fold = (table: Table): Fold => {
    requiredColumn(table, '_stop', 'stop')
    const stopNs = keyTime(table.key, '_stop')
    return new LinearRegression(secondsFromNow === undefined ? undefined : stopNs, secondsFromNow)
  }
  return { needsTime: true, fold }
}

class HoltWinters implements Fold {
  readonly #smoothing: number
  readonly #trending: number
  #count = 0
  #before = 0
  #smoothed = 0
  #trend = 0

  constructor(smoothing: number, trending: number) {
    this.#smoothing = smoothing
    this.#trending = trending
  }

  add({ count, values }: Samples): void {
    for (let i = 0; i < count; i++, this.#count++) {
      const value = values[i]
      if (this.#count === 0) {
        this.#smoothed = value
        continue
      }
      if (this.#count === 1) this.#trend = value - this.#smoothed
      else {
        const slope = this.#trending * (this.#smoothed - this.#before)
        this.#trend = slope + (1 - this.#trending) * this.#trend
      }
      const expected = (1 - this.#smoothing) * (this.#smoothed + this.#trend)
      this.#before = this.#smoothed
      this.#smoothed = this.#smoothing * value + expected
    }
  }

  result(): number | undefined {
    return this.#count < 2 ? undefined : this.#smoothed
  }
}

export function holtWinters(smoothing: number, trending: number): RangeFunction {
  const fold = (): Fold => {
    checkFactor(smoothing, 'smoothing factor', 'sf')
    checkFactor(trending, 'trend factor', 'tf')
    return new HoltWinters(smoothing, trending)
  }
  return { needsTime: true, fold }
}

function checkFactor(factor: number, name: string, short: string): void {
  if (!(factor <= 0 || factor >= 1)) return
  const shown = Number.isFinite(factor) ? factor.toFixed(6) : factor > 0 ? '+Inf' : '-Inf'
  throw new FluxError(`invalid ${name}. Expected: 0 < ${short} < 1, got: ${shown}`)
}
