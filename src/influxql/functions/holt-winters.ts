// holt_winters: fits a level, a damped trend and, if asked for, a season to a group's points, and
// predicts the next ones. Sixteen searches start from a grid of smoothing factors; the fit with the
// least sum of squared errors wins. Factors, start values, order and ends of the searches are
// InfluxDB's, so that predictions agree with its.
//
// The numbers searched for: alpha, beta, gamma and phi (each from 0 to 1), the first level, the
// first trend, and one factor for each place in the season.

import { timeAt } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { multiplyAdd } from './multiply-add.js'
import { findMinimum, type Minimum } from './nelder-mead.js'
import type { Points, PointsBuilder, Transform } from './points.js'
import { floatsOf } from './value-order.js'

const epsilon = 1e-4
const guesses = [0.3, 0.7]
const factorCount = 6

/** 16 searches of up to 1,000 steps go over all intervals: so many take minutes. Also bounds what is predicted. */
const intervalsMax = 100_000
/** A search holds as many numbers as the square of the season: so many take 32 MB. */
const seasonMax = 2000
/** About as many as are gone over in some milliseconds. */
const intervalsPerTurn = 10_000

export interface HoltWintersCall {
  /** How many points to predict. */
  readonly n: number
  /** Points of a season; below 2: none. */
  readonly season: number
  readonly intervalNs: bigint
  readonly withFit: boolean
}

export class HoltWintersTransform implements Transform {
  readonly #call: HoltWintersCall
  #times: bigint[] = []
  #values: number[] = []

  constructor(call: HoltWintersCall) {
    this.#call = call
  }

  add(points: Points, _out: PointsBuilder): void {
    this.#check(this.#values.length + points.count)
    const floats = floatsOf(points.values, points.count)
    for (let row = 0; row < points.count; row++) {
      this.#times.push(timeAt(points.times, row))
      this.#values.push(floats[row])
    }
  }

  finish(out: PointsBuilder): void {
    const parts = this.finishInParts(out)
    while (parts.next().done !== true);
  }

  *finishInParts(out: PointsBuilder): Generator<void, void, void> {
    const { season } = this.#call
    const count = this.#values.length
    try {
      if (count >= 2 && (season < 2 || count >= season) && this.#call.n > 0) {
        yield* this.#predict(out)
      }
    } finally {
      this.#times = []
      this.#values = []
    }
  }

  #check(intervals: number | bigint): void {
    if (intervals <= intervalsMax) return
    const text = `${intervals} intervals of ${this.#call.intervalNs}ns are more than ${intervalsMax}`
    throw new UserError('invalid', `holt_winters: ${text}`)
  }

  *#predict(out: PointsBuilder): Generator<void, void, void> {
    const { n, season, intervalNs, withFit } = this.#call
    const observed = this.#atIntervals()
    if (observed === undefined || observed.length < season) return
    if (season > seasonMax) {
      const text = `a season of ${season} intervals is more than ${seasonMax}`
      throw new UserError('invalid', `holt_winters: ${text}`)
    }
    const model = new Model(observed, season >= 2 ? season : 0)
    const forecast = model.forecast(yield* model.fit(), n)
    const skipped = withFit ? 0 : observed.length
    const first = withFit ? this.#times[0] : this.#times[this.#times.length - 1] + intervalNs
    for (let i = skipped; i < forecast.length; i++) {
      const time = first + intervalNs * BigInt(i - skipped)
      if (!Number.isNaN(forecast[i])) out.push(forecast[i], time)
    }
  }

  /** One value for each interval, NaN where there is none. Undefined: there is only one interval. */
  #atIntervals(): Float64Array | undefined {
    const { n } = this.#call
    const start = this.#interval(0)
    const intervals = this.#interval(this.#values.length - 1) - start
    if (intervals <= 0n) return undefined
    this.#check(intervals + BigInt(n))
    const observed: number[] = [this.#values[0]]
    for (let i = 1; i < this.#values.length; i++) {
      const at = Number(this.#interval(i) - start)
      if (at < observed.length) continue
      while (observed.length < at) observed.push(Number.NaN)
      observed.push(this.#values[i])
    }
    return Float64Array.from(observed)
  }

  /** The number of the interval that a point's time is nearest to. */
  #interval(i: number): bigint {
    const { intervalNs } = this.#call
    const time = this.#times[i]
    const whole = time / intervalNs
    return time % intervalNs > intervalNs / 2n ? whole + 1n : whole
  }
}

class Model {
  readonly #observed: Float64Array
  readonly #season: number

  constructor(observed: Float64Array, season: number) {
    this.#observed = observed
    this.#season = season
  }

  *fit(): Generator<void, Float64Array, void> {
    const start = this.#start()
    let best = { value: Number.POSITIVE_INFINITY, at: start }
    let isFirst = true
    for (const alpha of guesses) {
      for (const beta of guesses) {
        for (const gamma of guesses) {
          for (const phi of guesses) {
            start.set([alpha, beta, gamma, phi])
            const found = yield* this.#search(start)
            if (found.value < best.value || isFirst) best = found
            isFirst = false
          }
        }
      }
    }
    return best.at
  }

  *#search(start: Float64Array): Generator<void, Minimum, void> {
    const search = findMinimum((parameters) => this.#error(parameters), start, epsilon)
    let gone = 0
    for (;;) {
      const { value, done } = search.next()
      if (done === true) return value
      gone += this.#observed.length
      if (gone < intervalsPerTurn) continue
      gone = 0
      yield
    }
  }

  /** The fit, and `more` values behind it. Changes `parameters`: factors come within bounds, the season moves on. */
  forecast(parameters: Float64Array, more: number): Float64Array {
    for (let i = 0; i < 4; i++) parameters[i] = Math.min(Math.max(parameters[i], 0), 1)
    const alpha = parameters[0]
    const beta = parameters[1]
    const gamma = parameters[2]
    const phi = parameters[3]
    const season = this.#season
    const factors = parameters.subarray(factorCount)
    const forecast = new Float64Array(this.#observed.length + more)
    const damping = new Damping(phi)
    let value = this.#observed[0]
    let level = parameters[4]
    let trend = parameters[5]
    forecast[0] = value
    // InfluxDB counts the place in the season twice a step: once with the time, once by itself.
    let shift = season - 1
    for (let t = 1; t < forecast.length; t++) {
      const place = season === 0 ? 0 : (t + shift) % season
      const factor = season === 0 ? 1 : factors[place]
      const ahead = season === 0 ? 1 : factors[(t + shift + (t % season)) % season]
      const expected = multiplyAdd(phi, trend, level)
      const newLevel = multiplyAdd(alpha, value / factor, (1 - alpha) * expected)
      const newTrend = multiplyAdd(beta, newLevel - level, (1 - beta) * phi * trend)
      const newFactor = multiplyAdd(gamma, value / expected, (1 - gamma) * factor)
      value = multiplyAdd(damping.sum, newTrend, newLevel) * ahead
      level = newLevel
      trend = newTrend
      damping.advance(t)
      if (season > 0) factors[place] = newFactor
      shift++
      forecast[t] = value
    }
    return forecast
  }

  #start(): Float64Array {
    const observed = this.#observed
    const season = this.#season
    const start = new Float64Array(factorCount + season)
    if (season === 0) {
      start[4] = 0.5 * observed[0]
      start[5] = Number.isNaN(observed[1]) ? 0 : 0.5 * (observed[1] - observed[0])
      return start
    }
    for (let i = 0; i < season; i++) {
      if (!Number.isNaN(observed[i])) start[4] = multiplyAdd(1 / season, observed[i], start[4])
    }
    for (let i = 0; i < season && season + i < observed.length; i++) {
      const growth = observed[season + i] - observed[i]
      if (!Number.isNaN(growth)) start[5] = multiplyAdd(1 / (season * season), growth, start[5])
    }
    for (let i = 0; i < season; i++) {
      start[factorCount + i] = Number.isNaN(observed[i]) ? 0 : observed[i] / start[4]
    }
    return start
  }

  /** The sum of squared errors. Where nothing was observed there is none. */
  #error(parameters: Float64Array): number {
    const forecast = this.forecast(parameters, 0)
    let sum = 0
    for (let i = 0; i < forecast.length; i++) {
      if (Number.isNaN(this.#observed[i])) continue
      if (Number.isNaN(forecast[i])) return Number.POSITIVE_INFINITY
      const error = forecast[i] - this.#observed[i]
      sum = multiplyAdd(error, error, sum)
    }
    return sum
  }
}

/** phi, and then phi to the power of 1, 2, 3 … on top. Powers by squaring: other ways round differently. */
class Damping {
  readonly #phi: number
  #isDone = false
  sum: number

  constructor(phi: number) {
    this.#phi = phi
    this.sum = phi
  }

  advance(exponent: number): void {
    if (this.#isDone) return
    const sum = this.sum + power(this.#phi, exponent)
    // Powers only fall from here: what adds nothing now never will.
    this.#isDone = sum === this.sum && exponent > 1
    this.sum = sum
  }
}

function power(base: number, exponent: number): number {
  if (base === 1) return 1
  let result = 1
  let square = base
  for (let rest = exponent; rest > 0; rest >>>= 1) {
    if (rest & 1) result *= square
    square *= square
  }
  return result
}
