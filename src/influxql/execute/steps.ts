// The steps of a call at work on one group after the other: points go in block by block, results come
// out as soon as they are final. Each step is as new when its group has ended.

import type { FieldType } from '../../column/column.js'
import { timeAt } from '../../column/time.js'
import type { Random } from '../../platform/random.js'
import type { QueryMeter } from '../../query/limits.js'
import { IntegralTransform } from '../functions/integral.js'
import {
  noPoints,
  type Points,
  PointsBuilder,
  type Reducer,
  type Transform,
} from '../functions/points.js'
import { makeReducer } from '../functions/reducers.js'
import { makeTransform, type TransformCall, type Warmup } from '../functions/transforms.js'
import type { Interval } from '../plan/validate.js'
import type { Expression } from '../syntax/ast.js'
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
  switch (step.kind) {
    case 'reduce':
      return new ReduceStep(step, options)
    case 'integral':
      return new TransformStep(integralOf(step, options), 'float', options.meter)
    case 'transform':
      return new TransformStep(
        makeTransform(transformCall(step, options)),
        step.outputType,
        options.meter,
      )
  }
}

/** Whether the end of a group gives others their turn. */
export function takesLong({ kind, name }: ChainStep): boolean {
  return kind === 'transform' && name.startsWith('holt_winters')
}

function integralOf(step: ChainStep, { windows, ascending }: StepOptions): Transform {
  return new IntegralTransform({
    inputType: step.inputType,
    unitNs: durationOf(step.args[0]) ?? 1_000_000_000n,
    descending: !ascending,
    hasWindows: windows.isSplit,
    windowOf: (time) => windows.windowOf(time),
  })
}

function durationOf(expression: Expression | undefined): bigint | undefined {
  return expression?.kind === 'duration' ? expression.ns : undefined
}

function integerOf(expression: Expression | undefined): number | undefined {
  return expression?.kind === 'integer' ? Number(expression.value) : undefined
}

function transformCall(step: ChainStep, { interval, ascending }: StepOptions): TransformCall {
  const { name, args, inputType } = step
  const [first, second, third] = args
  const isElapsed = name === 'elapsed'
  const unitNs = durationOf(first) ?? (isElapsed ? 1n : intervalNs(interval) || 1_000_000_000n)
  const n = integerOf(first)
  const hold = integerOf(second)
  const isHoltWinters = name.startsWith('holt_winters')
  return {
    name,
    inputType,
    descending: !ascending,
    unitNs,
    ...(n === undefined ? {} : { n }),
    ...(hold === undefined ? {} : isHoltWinters ? { season: hold } : { hold }),
    ...(third?.kind === 'string' ? { warmup: third.value as Warmup } : {}),
    intervalNs: intervalNs(interval),
  }
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

const severalPoints = new Set(['top', 'bottom', 'sample'])

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

  constructor(step: ChainStep, options: StepOptions) {
    const { ascending, companionTypes, random, tagCompanions } = options
    const [arg] = step.args
    const last = step.args[step.args.length - 1]
    const number = arg?.kind === 'number' ? arg.value : integerOf(last)
    this.#windows = options.windows
    this.#meter = options.meter
    this.#reducer = makeReducer({
      name: step.name,
      inputType: step.inputType,
      descending: !ascending,
      random,
      companionTypes,
      ...(number === undefined ? {} : { n: number }),
      ...(tagCompanions.length === 0 ? {} : { tagCompanions }),
    })
    this.#out = new PointsBuilder(step.outputType, companionTypes)
    this.#keepsTime = options.keepsTime || severalPoints.has(step.name)
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
