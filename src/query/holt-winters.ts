// The model of Holt and Winters: fits a level, a damped trend and, if asked for, a season to a series of
// values at equal intervals, and predicts the next ones. Sixteen searches start from a grid of smoothing
// factors; the fit with the least sum of squared errors wins. Factors, start values and order are
// InfluxDB's; how a language searches for the least error is its own affair.
//
// The numbers searched for: alpha, beta, gamma and phi (each from 0 to 1), the first level, the
// first trend, and one factor for each place in the season.

import { multiplyAdd } from './multiply-add.js'

const guesses = [0.3, 0.7]
const factorCount = 6

/** 16 searches of up to 1,000 steps go over all intervals: so many take minutes. Also bounds what is predicted. */
export const intervalsMax = 100_000
/** A search holds as many numbers as the square of the season: so many take 32 MB. */
export const seasonMax = 2000
/** About as many as are gone over in some milliseconds. */
const intervalsPerTurn = 10_000

/** May change the numbers it is given: factors come within bounds, the season moves on. */
export type Objective = (at: Float64Array) => number

export interface Minimum {
  readonly value: number
  readonly at: Float64Array
}

/** Looks for the least value, from a start that is not to be changed. Yields after every step. */
export type Search = (objective: Objective, start: Float64Array) => Generator<void, Minimum, void>

export class HoltWintersModel {
  readonly #observed: Float64Array
  /** 0: none. */
  readonly #season: number
  readonly #unknownFactor: number

  /**
   * `observed`: one value for each interval, NaN where there is none; the first has one. `season`: intervals of a
   * season; below 2 there is none. `unknownFactor`: where a place in the season starts that has no value.
   */
  constructor(observed: Float64Array, season: number, unknownFactor: number) {
    this.#observed = observed
    this.#season = season >= 2 ? season : 0
    this.#unknownFactor = unknownFactor
  }

  /** The parameters with the least sum of squared errors. Yields so that others get their turn. */
  *fit(search: Search): Generator<void, Minimum, void> {
    const start = this.#start()
    let best: Minimum = { value: Number.POSITIVE_INFINITY, at: start }
    let isFirst = true
    for (const alpha of guesses) {
      for (const beta of guesses) {
        for (const gamma of guesses) {
          for (const phi of guesses) {
            start.set([alpha, beta, gamma, phi])
            const found = yield* this.#search(search, start)
            if (found.value < best.value || isFirst) best = found
            isFirst = false
          }
        }
      }
    }
    return best
  }

  *#search(search: Search, start: Float64Array): Generator<void, Minimum, void> {
    const steps = search((parameters) => this.#error(parameters), start)
    let gone = 0
    for (;;) {
      const { value, done } = steps.next()
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
      start[factorCount + i] = Number.isNaN(observed[i])
        ? this.#unknownFactor
        : observed[i] / start[4]
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
