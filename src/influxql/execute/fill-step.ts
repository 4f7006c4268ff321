// Fills windows that nothing fell into, from the first window of the range to the last, or from the
// first point where the range has no beginning. A group without points stays empty.

import type { FieldType, Value } from '../../column/column.js'
import { valueAt } from '../../column/column.js'
import { timeAt, timeMin } from '../../column/time.js'
import { multiplyAdd } from '../../query/multiply-add.js'
import { type Points, PointsBuilder } from '../functions/points.js'
import type { Fill } from '../syntax/ast.js'
import type { Step } from './steps.js'
import type { WindowClock, WindowWalk } from './windows.js'

export interface FillOptions {
  readonly fill: Fill
  readonly type: FieldType
  readonly windows: WindowClock
  readonly intervalNs: bigint
  /** Both ends belong to it. */
  readonly range: { readonly min: bigint; readonly max: bigint }
  readonly ascending: boolean
  readonly companionTypes: readonly FieldType[]
  /** No more points of a group are of use. 0: all are. */
  readonly pointsMax: number
}

/** Windows are filled so many at a time, when somebody asks for them. */
export const fillBlockRows = 8192

interface Known {
  readonly time: bigint
  readonly value: Value
}

export class FillStep implements Step {
  readonly #options: FillOptions
  readonly #out: PointsBuilder
  /** The windows at which filling starts and ends, in the order of the query. */
  readonly #first: bigint
  readonly #last: bigint
  #walk: WindowWalk | undefined
  #previous: Known | undefined
  /** How many points had been given out when the group began. */
  #begunAt = 0

  constructor(options: FillOptions) {
    this.#options = options
    this.#out = new PointsBuilder(options.type, options.companionTypes)
    const { windows, range, ascending } = options
    const early = range.min === timeMin ? timeMin : windows.windowOf(range.min).start
    const late = windows.windowOf(range.max).start
    this.#first = ascending ? early : late
    this.#last = ascending ? late : early
  }

  *add(points: Points): Generator<Points, void, void> {
    for (let row = 0; row < points.count; row++) {
      const time = timeAt(points.times, row)
      this.#walk ??= this.#begin(time)
      const next = { time, value: valueAt(points.values, row)! }
      while (this.#isBefore(this.#walk.time, time)) {
        this.#pushFilled(this.#walk.time, next)
        this.#walk.advance()
        if (this.#hasBlock) yield* this.#out.take()
      }
      this.#out.pushPoint(points, row)
      this.#previous = next
      this.#walk.advance()
      if (this.#hasBlock) yield* this.#out.take()
    }
    yield* this.#out.take()
  }

  *finish(): Generator<Points, void, void> {
    try {
      yield* this.#rest()
    } finally {
      this.#walk = undefined
      this.#previous = undefined
      this.#begunAt = this.#out.pushedCount
    }
  }

  *#rest(): Generator<Points, void, void> {
    const walk = this.#walk
    if (walk !== undefined) {
      const { pointsMax } = this.#options
      const enough = pointsMax === 0 ? Number.POSITIVE_INFINITY : this.#begunAt + pointsMax
      while (this.#isInRange(walk.time) && this.#out.pushedCount < enough) {
        this.#pushFilled(walk.time, undefined)
        walk.advance()
        if (this.#hasBlock) yield* this.#out.take()
      }
    }
    yield* this.#out.take()
  }

  get #hasBlock(): boolean {
    return this.#out.count >= fillBlockRows
  }

  #begin(time: bigint): WindowWalk {
    const { windows, ascending } = this.#options
    const start = this.#first === timeMin ? windows.windowOf(time).start : this.#first
    return windows.walk(start, ascending)
  }

  #isBefore(a: bigint, b: bigint): boolean {
    return this.#options.ascending ? a < b : a > b
  }

  #isInRange(time: bigint): boolean {
    if (this.#options.ascending) return time <= this.#last
    return time >= this.#last && this.#last !== timeMin
  }

  #pushFilled(time: bigint, next: Known | undefined): void {
    const value = this.#filled(time, next)
    if (value === undefined) this.#out.pushMissing(time)
    else this.#out.push(value, time)
  }

  #filled(time: bigint, next: Known | undefined): Value | undefined {
    const { fill, type } = this.#options
    switch (fill.kind) {
      case 'number':
        return fillValue(fill.value, type)
      case 'previous':
        return this.#previous?.value
      case 'linear':
        return this.#linear(time, next)
      default:
        return undefined
    }
  }

  #linear(time: bigint, next: Known | undefined): Value | undefined {
    const { type, intervalNs } = this.#options
    const previous = this.#previous
    if (previous === undefined || next === undefined) return undefined
    if (type === 'string' || type === 'boolean') return undefined
    const [at, from, to] = [time, previous.time, next.time].map((each) => Number(each / intervalNs))
    const slope = rise(previous.value, next.value, type) / (to - from)
    const value = multiplyAdd(slope, at - from, Number(previous.value))
    return type === 'float' ? value : BigInt(Math.trunc(value))
  }
}

/** Between integers it is exact, also where the integers themselves are no exact floats. */
function rise(from: Value, to: Value, type: FieldType): number {
  if (type === 'float') return Number(to) - Number(from)
  return Number(BigInt(to) - BigInt(from))
}

/** A number in the type of the column; what it cannot be is the type's emptiness. */
export function fillValue(value: number | bigint, type: FieldType): Value {
  switch (type) {
    case 'float':
      return Number(value)
    case 'integer':
    case 'unsigned':
      return BigInt(typeof value === 'bigint' ? value : Math.trunc(value))
    case 'string':
      return ''
    case 'boolean':
      return false
  }
}
