// The technical analysis of InfluxQL: functions of a series of prices, value after value. Each
// indicator says how many values it needs to warm up; the transform around it holds back as many
// points, or as many as the call asks for.

import { assert } from '../../errors.js'
import { multiplyAdd } from '../../query/multiply-add.js'
import type { Points, PointsBuilder, Transform } from './points.js'
import { floatsOf } from './value-order.js'

export type Warmup = 'exponential' | 'simple' | 'none'

export interface Indicator {
  /** How many values it takes until the answers mean something. */
  readonly warmupCount: number
  /** Takes the next value and answers with the indicator's. */
  next(value: number): number
}

export class IndicatorTransform implements Transform {
  readonly #make: () => Indicator
  readonly #hold: number
  readonly #skipsInfinity: boolean
  #indicator: Indicator
  #seen = 0

  /** `hold` undefined: as long as the indicator warms up. */
  constructor(make: () => Indicator, hold: number | undefined, skipsInfinity: boolean) {
    this.#make = make
    this.#indicator = make()
    this.#hold = hold ?? this.#indicator.warmupCount
    this.#skipsInfinity = skipsInfinity
  }

  add(points: Points, out: PointsBuilder): void {
    const floats = floatsOf(points.values, points.count)
    const { base, offsets } = points.times
    for (let row = 0; row < points.count; row++) {
      const value = this.#indicator.next(floats[row])
      if (++this.#seen <= this.#hold) continue
      const isInfinite = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
      if (!isInfinite || !this.#skipsInfinity) out.pushNumber(value, base, offsets[row])
    }
  }

  finish(_out: PointsBuilder): void {
    this.#indicator = this.#make()
    this.#seen = 0
  }
}

/**
 * Exponential moving average. While it warms up it is a plain average ('simple'), or its weight falls with the number
 * of values ('exponential').
 */
export class ExponentialAverage implements Indicator {
  readonly #period: number
  readonly #weight: number
  readonly #warmup: Warmup
  #count = 0
  last = 0

  constructor(period: number, warmup: Warmup, weight = 2 / (period + 1)) {
    this.#period = period
    this.#warmup = warmup
    this.#weight = weight
  }

  get warmupCount(): number {
    return this.#period - 1
  }

  /** Whether its answers go on to a second average: always, unless it is a plain average still. */
  get isReady(): boolean {
    return this.#count === this.#period || this.#warmup === 'exponential'
  }

  next(value: number): number {
    const { last } = this
    const count = this.#count
    if (count === 0) this.last = value
    else if (count === this.#period) this.last = multiplyAdd(value - last, this.#weight, last)
    else if (this.#warmup === 'simple') this.last = multiplyAdd(last, count, value) / (count + 1)
    else this.last = multiplyAdd(value - last, 2 / (count + 2), last)
    if (count < this.#period) this.#count++
    return this.last
  }
}

/** From averages of averages: each feeds the next one once it is ready, and before that stands for it. */
abstract class RepeatedAverage implements Indicator {
  readonly #averages: readonly ExponentialAverage[]
  readonly #outputs: Float64Array
  readonly #warmupCount: number

  constructor(depth: number, period: number, warmup: Warmup) {
    this.#averages = Array.from({ length: depth }, () => new ExponentialAverage(period, warmup))
    this.#outputs = new Float64Array(depth)
    this.#warmupCount = (period - 1) * (warmup === 'exponential' ? 1 : depth)
  }

  get warmupCount(): number {
    return this.#warmupCount
  }

  next(value: number): number {
    let last = value
    let isReady = true
    for (let depth = 0; depth < this.#averages.length; depth++) {
      const average = this.#averages[depth]
      if (isReady) last = average.next(last)
      isReady &&= average.isReady
      this.#outputs[depth] = last
    }
    return this.combine(this.#outputs)
  }

  /** By how often the value was averaged, beginning with once. */
  protected abstract combine(averages: Float64Array): number
}

export class DoubleExponentialAverage extends RepeatedAverage {
  constructor(period: number, warmup: Warmup) {
    super(2, period, warmup)
  }

  protected combine(averages: Float64Array): number {
    return 2 * averages[0] - averages[1]
  }
}

export class TripleExponentialAverage extends RepeatedAverage {
  constructor(period: number, warmup: Warmup) {
    super(3, period, warmup)
  }

  protected combine(averages: Float64Array): number {
    return multiplyAdd(-3, averages[1], 3 * averages[0]) + averages[2]
  }
}

/** The change of a threefold average, in percent. */
export class TripleExponentialRate extends RepeatedAverage {
  #last = 0

  constructor(period: number, warmup: Warmup) {
    super(3, period, warmup)
  }

  /** The first value has none before it. */
  override get warmupCount(): number {
    return super.warmupCount + 1
  }

  protected combine(averages: Float64Array): number {
    const rate = (averages[2] / this.#last - 1) * 100
    this.#last = averages[2]
    return rate
  }
}

/** From averages of the rises and of the falls. The first rise is from zero. */
abstract class RisesAndFalls implements Indicator {
  readonly warmupCount: number
  readonly #rises: ExponentialAverage
  readonly #falls: ExponentialAverage
  #last = 0

  constructor(period: number, warmup: Warmup) {
    this.warmupCount = period
    this.#rises = new ExponentialAverage(period + 1, warmup, 1 / period)
    this.#falls = new ExponentialAverage(period + 1, warmup, 1 / period)
  }

  next(value: number): number {
    const rises = this.#rises.next(value > this.#last ? value - this.#last : 0)
    const falls = this.#falls.next(value < this.#last ? this.#last - value : 0)
    this.#last = value
    return this.compare(rises, falls)
  }

  protected abstract compare(rises: number, falls: number): number
}

export class RelativeStrength extends RisesAndFalls {
  protected compare(rises: number, falls: number): number {
    return 100 - 100 / (1 + rises / falls)
  }
}

/** Chande's oscillator from smoothed rises and falls. */
export class SmoothedMomentum extends RisesAndFalls {
  protected compare(rises: number, falls: number): number {
    return 100 * ((rises - falls) / (rises + falls))
  }
}

/** Chande's oscillator from the sums of rises and falls over the last values. */
export class ChandeMomentum implements Indicator {
  readonly warmupCount: number
  readonly #changes: Float64Array
  #newest = 0
  #last: number | undefined
  #rises = 0
  #falls = 0

  constructor(period: number) {
    assert(period >= 2, `chande_momentum_oscillator over ${period}`)
    this.warmupCount = period - 1
    this.#changes = new Float64Array(period - 1)
  }

  next(value: number): number {
    const change = this.#last === undefined ? 0 : value - this.#last
    if (change > 0) this.#rises += change
    else if (change < 0) this.#falls -= change
    const hasMoved = this.#rises !== 0 || this.#falls !== 0
    const momentum = (this.#rises - this.#falls) / (this.#rises + this.#falls)
    this.#replaceOldest(change)
    this.#last = value
    return hasMoved ? 100 * momentum : 0
  }

  #replaceOldest(change: number): void {
    this.#newest = (this.#newest + 1) % this.#changes.length
    const oldest = this.#changes[this.#newest]
    if (oldest > 0) this.#rises -= oldest
    else if (oldest < 0) this.#falls += oldest
    this.#changes[this.#newest] = change
  }
}

/** How much of all movement over the last values was in one direction, from 0 to 1. */
export class EfficiencyRatio implements Indicator {
  readonly warmupCount: number
  readonly #prices: Float64Array
  readonly #changes: Float64Array
  #newest = 0
  #movement = 0
  #count = 0

  constructor(period: number) {
    this.warmupCount = period
    this.#prices = new Float64Array(period)
    this.#changes = new Float64Array(period)
  }

  get isWarm(): boolean {
    return this.#count > this.warmupCount
  }

  /** The value taken last; zero before the first. */
  get last(): number {
    return this.#prices[this.#newest]
  }

  next(value: number): number {
    const oldest = (this.#newest + 1) % this.#prices.length
    const direct = Math.abs(value - this.#prices[oldest])
    const change = Math.abs(value - this.last)
    this.#movement -= this.#changes[oldest]
    this.#movement += change
    this.#prices[oldest] = value
    this.#changes[oldest] = change
    this.#newest = oldest
    if (!this.isWarm) this.#count++
    return direct === 0 || this.#movement === 0 ? 0 : direct / this.#movement
  }
}

// The weights of averages over 30 and over 2 values, 2/31 and 2/3, and what lies between them: 56/93.
const slowestWeight = 2 / 31
const weightRange = 56 / 93

/** An average that follows the faster the more efficient the movement is. */
export class AdaptiveAverage implements Indicator {
  readonly warmupCount: number
  readonly #ratio: EfficiencyRatio
  #last = 0

  constructor(period: number) {
    this.#ratio = new EfficiencyRatio(period)
    this.warmupCount = period
  }

  next(value: number): number {
    if (!this.#ratio.isWarm) this.#last = this.#ratio.last
    const ratio = this.#ratio.next(value)
    const weight = multiplyAdd(ratio, weightRange, slowestWeight)
    this.#last = multiplyAdd(weight * weight, value - this.#last, this.#last)
    return this.#last
  }
}
