// Changes and rates of samples: how often they change or start anew, how fast they rise, carried on to the
// ends of the range, or between the last two.

import type { Table } from '../../../table/table.js'
import {
  type Fold,
  keyTime,
  type RangeFunction,
  requiredColumn,
  type Samples,
  secondsOf,
} from './range-vector.js'

/** How many samples are different from the one before, by `isStep`. */
class StepCount implements Fold {
  readonly #isStep: (previous: number, current: number) => boolean
  #count: number | undefined
  #previous = 0

  constructor(isStep: (previous: number, current: number) => boolean) {
    this.#isStep = isStep
  }

  add({ count, values }: Samples): void {
    for (let i = 0; i < count; i++) {
      if (this.#count === undefined) this.#count = 0
      else if (this.#isStep(this.#previous, values[i])) this.#count++
      this.#previous = values[i]
    }
  }

  result(): number | undefined {
    return this.#count
  }
}

const hasChanged = (previous: number, current: number): boolean =>
  current !== previous && !(Number.isNaN(current) && Number.isNaN(previous))

const hasFallen = (previous: number, current: number): boolean => current < previous

export const changes: RangeFunction = {
  needsTime: false,
  fold: () => new StepCount(hasChanged),
}

export const resets: RangeFunction = { needsTime: false, fold: () => new StepCount(hasFallen) }

/** Samples further than so many average distances from an end of the range do not reach it. */
const reachFactor = 1.1

/** First and last sample, and what a counter lost by starting anew in between. */
class ExtrapolatedRate implements Fold {
  readonly #startNs: bigint
  readonly #stopNs: bigint
  readonly #isCounter: boolean
  readonly #isRate: boolean
  #count = 0
  #lost = 0
  #first = 0
  #firstNs = 0n
  #last = 0
  #lastNs = 0n

  constructor(startNs: bigint, stopNs: bigint, isCounter: boolean, isRate: boolean) {
    this.#startNs = startNs
    this.#stopNs = stopNs
    this.#isCounter = isCounter
    this.#isRate = isRate
  }

  add({ count, values, times }: Samples): void {
    if (count === 0) return
    if (this.#count === 0) {
      this.#first = values[0]
      this.#firstNs = times[0]
    }
    for (let i = 0; i < count; i++) {
      if (this.#isCounter && values[i] < this.#last) this.#lost += this.#last
      this.#last = values[i]
    }
    this.#lastNs = times[count - 1]
    this.#count += count
  }

  result(): number | undefined {
    if (this.#count < 2) return undefined
    const rise = this.#last - this.#first + this.#lost
    const sampledNs = Number(this.#lastNs - this.#firstNs)
    const averageNs = sampledNs / (this.#count - 1)
    const reach = averageNs * reachFactor
    const reached = (ns: number): number => (ns < reach ? ns : averageNs / 2)
    let spanNs = sampledNs + reached(this.#toStart(rise, sampledNs))
    spanNs += reached(Number(this.#stopNs - this.#lastNs))
    const value = rise * (spanNs / sampledNs)
    return this.#isRate ? value / secondsOf(Number(this.#stopNs - this.#startNs)) : value
  }

  /** A counter is never negative: it is carried on no further than to where it would have been zero. */
  #toStart(rise: number, sampledNs: number): number {
    const toStart = Number(this.#firstNs - this.#startNs)
    if (!this.#isCounter || rise <= 0 || this.#first < 0) return toStart
    return Math.min(toStart, sampledNs * (this.#first / rise))
  }
}

export function extrapolatedRate(isCounter: boolean, isRate: boolean): RangeFunction {
  const fold = (table: Table): Fold => {
    requiredColumn(table, '_start', 'start')
    requiredColumn(table, '_stop', 'stop')
    const startNs = keyTime(table.key, '_start')
    return new ExtrapolatedRate(startNs, keyTime(table.key, '_stop'), isCounter, isRate)
  }
  return { needsTime: true, fold }
}

/** The last two samples. */
class InstantRate implements Fold {
  readonly #isRate: boolean
  #count = 0
  #previous = 0
  #previousNs = 0n
  #last = 0
  #lastNs = 0n

  constructor(isRate: boolean) {
    this.#isRate = isRate
  }

  add({ count, values, times }: Samples): void {
    for (let i = Math.max(0, count - 2); i < count; i++) {
      this.#previous = this.#last
      this.#previousNs = this.#lastNs
      this.#last = values[i]
      this.#lastNs = times[i]
    }
    this.#count += count
  }

  result(): number | undefined {
    const ns = Number(this.#lastNs - this.#previousNs)
    if (this.#count < 2 || ns === 0) return undefined
    if (!this.#isRate) return this.#last - this.#previous
    // A counter that fell has started anew from zero.
    const rise = this.#last < this.#previous ? this.#last : this.#last - this.#previous
    return rise / secondsOf(ns)
  }
}

export function instantRate(isRate: boolean): RangeFunction {
  return { needsTime: true, fold: () => new InstantRate(isRate) }
}
