// The area under a group's points, by trapezia. A window gets the part of the line that lies in it,
// so the points on both sides of a border are needed: this is a transform, not a reducer.
//
// InfluxDB treats integers otherwise than floats, and so does this. Crossing a border, the value at
// it is taken for the point's, and the value before it for the border's. And without windows the
// result of integers has the start of the query's time range for its time (its end when the query
// is descending), where that of floats has 0.

import type { FieldType } from '../../column/column.js'
import { type TimeRange, timeMin } from '../../column/time.js'
import { multiplyAdd } from '../../query/multiply-add.js'
import type { Points, PointsBuilder, Transform } from './points.js'
import { floatsOf } from './value-order.js'

export interface IntegralCall {
  readonly inputType: FieldType
  readonly unitNs: bigint
  readonly descending: boolean
  /** Whether the query has windows. If it has none, `windowOf` gives its whole time range. */
  readonly hasWindows: boolean
  windowOf(time: bigint): TimeRange
}

export class IntegralTransform implements Transform {
  readonly #call: IntegralCall
  readonly #unitNs: number
  readonly #isFloat: boolean
  #hasPrevious = false
  #previousTime = 0n
  #previous = 0
  #sum = 0
  /** Undefined: there is no border to cross. */
  #windowEnd: bigint | undefined
  /** What the window's result has for its time. In a descending query this is the window's later end. */
  #windowTime = 0n

  constructor(call: IntegralCall) {
    this.#call = call
    this.#unitNs = Number(call.unitNs)
    this.#isFloat = call.inputType === 'float'
  }

  add(points: Points, out: PointsBuilder): void {
    const { count } = points
    const { base, offsets } = points.times
    if (count === 0) return
    const floats = floatsOf(points.values, count)
    let row = 0
    if (!this.#hasPrevious) this.#begin(base + BigInt(offsets[row]), floats[row++])
    let previousOffset = Number(this.#previousTime - base)
    let endOffset = this.#endOffset(base)
    for (; row < count; row++) {
      const offset = offsets[row]
      let value = floats[row]
      if (offset === previousOffset) {
        this.#previous = value
        continue
      }
      if (this.#call.descending ? offset <= endOffset : offset >= endOffset) {
        value = this.#crossBorder(value, offset, previousOffset, endOffset)
        previousOffset = endOffset
        out.push(this.#sum, this.#windowTime)
        this.#sum = 0
        this.#enterWindow(base + BigInt(offset))
        endOffset = this.#endOffset(base)
      }
      this.#addArea(this.#previous, value, offset - previousOffset)
      this.#previous = floats[row]
      previousOffset = offset
    }
    this.#previousTime = base + BigInt(previousOffset)
  }

  finish(out: PointsBuilder): void {
    const hasArea = this.#hasPrevious && this.#previousTime !== this.#windowTime
    if (hasArea) out.push(this.#sum, this.#windowTime)
    this.#hasPrevious = false
    this.#sum = 0
  }

  #begin(time: bigint, value: number): void {
    this.#hasPrevious = true
    this.#previousTime = time
    this.#previous = value
    this.#enterWindow(time)
    if (!this.#isFloat && this.#windowTime === timeMin) this.#windowTime = 0n
  }

  #enterWindow(time: bigint): void {
    const { hasWindows, descending } = this.#call
    // The one result of floats has no window at all.
    if (this.#isFloat && !hasWindows) return
    const { start, stop } = this.#call.windowOf(time)
    this.#windowEnd = descending ? start : stop
    this.#windowTime = descending ? stop : start
  }

  #endOffset(base: bigint): number {
    if (this.#windowEnd !== undefined) return Number(this.#windowEnd - base)
    return this.#call.descending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  /** Adds the area up to the window's end. Returns what counts as the point's value behind it. */
  #crossBorder(value: number, offset: number, previousOffset: number, endOffset: number): number {
    if (previousOffset === endOffset) return value
    const slope = (value - this.#previous) / (offset - previousOffset)
    const atBorder = multiplyAdd(slope, endOffset - previousOffset, this.#previous)
    this.#addArea(this.#previous, atBorder, endOffset - previousOffset)
    if (!this.#isFloat) return atBorder
    this.#previous = atBorder
    return value
  }

  #addArea(from: number, to: number, elapsedNs: number): void {
    this.#sum = multiplyAdd(0.5 * (to + from), elapsedNs / this.#unitNs, this.#sum)
  }
}
