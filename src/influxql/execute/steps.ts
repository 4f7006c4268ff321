// The steps of a call at work on one group after the other: points go in block by block, results come
// out as soon as they are final. Each step is as new when its group has ended.

import type { FieldType } from '../../column/column.js'
import { timeAt } from '../../column/time.js'
import type { Random } from '../../platform/random.js'
import type { QueryMeter } from '../../query/limits.js'
import type { ReducerSpec } from '../functions/function-spec.js'
import {
  noPoints,
  type Points,
  PointsBuilder,
  type Reducer,
  type Transform,
} from '../functions/points.js'
import type { Interval } from '../plan/validate.js'
import type { ChainStep } from './call-chain.js'
import { densePoints, slicePoints } from './row-picks.js'
import { stampOf } from './stamps.js'
import type { Window, WindowClock } from './windows.js'

export interface Step {
  /** What is not taken of the points before `finish` is not wanted. */
  add(points: Points): Iterable<Points>
  /** Blocks without points among them: it takes long, and others may have their turn. */
  finish(): Iterable<Points>
}

export interface StepOptions {
  readonly windows: WindowClock
  readonly interval: Interval | undefined
  readonly ascending: boolean
  /** Selected points keep their own time. */
  readonly keepsTime: boolean
  /** Windows without points are filled behind this step. */
  readonly isFilled: boolean
  /** The SELECT has no other call. */
  readonly isAlone: boolean
  /** No step of the call comes behind this one. */
  readonly isLast: boolean
  readonly companionTypes: readonly FieldType[]
  /** Which companions are the tags in the call of top or bottom. */
  readonly tagCompanions: readonly number[]
  readonly random: Random
  readonly meter: QueryMeter
}

export function makeStep(step: ChainStep, options: StepOptions): Step {
  const { spec, args, inputType, outputType } = step
  if (spec.work === 'reduce') return new ReduceStep(step, spec, options)
  const { windows, interval, ascending, meter } = options
  const call = {
    args,
    inputType,
    descending: !ascending,
    intervalNs: intervalNs(interval),
    windows,
  }
  return new TransformStep(spec.make(call), outputType, meter)
}

/** A month counts 30 days where a length is needed and no calendar is at hand. */
function intervalNs(interval: Interval | undefined): bigint {
  if (interval === undefined) return 0n
  return interval.months > 0 ? BigInt(interval.months) * 30n * 86_400_000_000_000n : interval.ns
}

class TransformStep implements Step {
  readonly #transform: Transform
  readonly #meter: QueryMeter
  readonly #out: PointsBuilder

  constructor(transform: Transform, type: FieldType, meter: QueryMeter) {
    this.#transform = transform
    this.#meter = meter
    this.#out = new PointsBuilder(type)
  }

  add(points: Points): Points[] {
    const dense = densePoints(points)
    if (dense.count > 0) this.#transform.add(dense, this.#out)
    this.#meter.checkMemory(this.#transform.heldBytes ?? 0)
    return this.#out.take()
  }

  *finish(): Generator<Points, void, void> {
    const parts = this.#transform.finishInParts?.(this.#out)
    if (parts === undefined) this.#transform.finish(this.#out)
    else for (const _ of parts) yield noPoints
    yield* this.#out.take()
  }
}

class ReduceStep implements Step {
  readonly #meter: QueryMeter
  readonly #windows: WindowClock
  readonly #reducer: Reducer
  readonly #out: PointsBuilder
  readonly #keepsTime: boolean
  #window: Window | undefined
  /** Nothing more comes, of this group and of all others: see `#endWindow` and `#windowFor`. */
  #isOver = false
  /** How many windows on end have given nothing. */
  #emptyRun = 0
  /** How many windows on end may give nothing, once one has given something. */
  readonly #emptyMax: number
  readonly #isAlone: boolean

  constructor({ args, inputType, outputType }: ChainStep, spec: ReducerSpec, options: StepOptions) {
    const { ascending, companionTypes, random, tagCompanions } = options
    this.#windows = options.windows
    this.#meter = options.meter
    this.#reducer = spec.make({
      args,
      inputType,
      descending: !ascending,
      random,
      companionTypes,
      tagCompanions,
    })
    this.#out = new PointsBuilder(outputType, companionTypes)
    this.#keepsTime = options.keepsTime || (spec.kind === 'selector' && spec.givesSeveral === true)
    this.#emptyMax = options.isFilled ? Number.POSITIVE_INFINITY : options.isLast ? 1 : 0
    this.#isAlone = options.isAlone
  }

  add(points: Points): Points[] {
    const { base, offsets } = points.times
    let start = 0
    while (start < points.count && !this.#isOver) {
      const window = this.#windowFor(timeAt(points.times, start))
      if (window === undefined) break
      const from = Number(window.start - base)
      const to = Number(window.stop - base)
      let stop = start + 1
      while (stop < points.count && offsets[stop] >= from && offsets[stop] < to) stop++
      this.#reducer.add(points, start, stop)
      start = stop
    }
    this.#meter.checkMemory(this.#reducer.heldBytes ?? 0)
    return this.#out.take()
  }

  finish(): Points[] {
    this.#endWindow()
    return this.#out.take()
  }

  /**
   * Undefined: the point lies outside the query's range, as the start of a subquery's first window may. InfluxDB's
   * call without windows stops at such a point and gets no further.
   */
  #windowFor(time: bigint): Window | undefined {
    const current = this.#window
    if (current !== undefined && time >= current.start && time < current.stop) return current
    this.#endWindow()
    if (this.#isOver) return undefined
    const window = this.#windows.windowOf(time)
    if (time < window.start || time >= window.stop) {
      this.#isOver = true
      return undefined
    }
    this.#window = window
    return window
  }

  /**
   * A window may give nothing, as a percentile of too few points does. InfluxDB takes that for the end of a call that
   * stands alone: where there was nothing before; and without a fill, where it happens twice on end, or
   * at once if another function takes its points.
   */
  #endWindow(): void {
    if (this.#window === undefined) return
    const stamp = stampOf(this.#window.start)
    this.#out.defaultTime = stamp
    this.#out.fixedTime = this.#keepsTime ? undefined : stamp
    const before = this.#out.pushedCount
    this.#reducer.finish(this.#out)
    this.#emptyRun = this.#out.pushedCount === before ? this.#emptyRun + 1 : 0
    const emptyMax = before === 0 ? 0 : this.#emptyMax
    if (this.#isAlone && this.#emptyRun > emptyMax) this.#isOver = true
    this.#window = undefined
  }
}

/** LIMIT and OFFSET count the points of each call by itself. */
export class LimitStep implements Step {
  readonly #limit: number
  readonly #offset: number
  #seen = 0

  constructor(limit: number, offset: number) {
    this.#limit = limit
    this.#offset = offset
  }

  /** Nothing more comes out of this group. */
  get isFull(): boolean {
    return this.#limit > 0 && this.#seen >= this.#offset + this.#limit
  }

  add(points: Points): Points[] {
    const end = this.#limit === 0 ? Number.POSITIVE_INFINITY : this.#offset + this.#limit
    const start = Math.min(Math.max(0, this.#offset - this.#seen), points.count)
    const stop = Math.max(start, Math.min(points.count, end - this.#seen))
    this.#seen += points.count
    return start < stop ? [slicePoints(points, start, stop)] : []
  }

  finish(): Points[] {
    this.#seen = 0
    return []
  }
}
