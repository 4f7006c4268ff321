// holt_winters: brings a group's points to equal intervals, fits the model of `query/holt-winters.ts`
// to them, and predicts the next ones. The search for the fit is InfluxDB's (`nelder-mead.ts`), so that
// predictions agree with its.

import { timeAt } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { HoltWintersModel, intervalsMax, seasonMax } from '../../query/holt-winters.js'
import { findMinimum } from './nelder-mead.js'
import type { Points, PointsBuilder, Transform } from './points.js'
import { floatsOf } from './value-order.js'

/** The spread of the corners at which a search ends. */
const epsilon = 1e-4

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
    const model = new HoltWintersModel(observed, season, 0)
    const { at } = yield* model.fit((objective, start) => findMinimum(objective, start, epsilon))
    const forecast = model.forecast(at, n)
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
