// What flows into and out of functions: points of one group (a result series), as columns. A point
// has a time, a value, and now and then companions: values of other fields and tags of the same row,
// which stay with it when a selector chooses it.

import type { Column, FieldType, Value } from '../../column/column.js'
import { isNear, type TimeColumn, timeAt } from '../../column/time.js'
import { ColumnBuilder } from '../../query/column-builder.js'

/** Every point has a value: `values.validity` is undefined. Companions may have gaps. */
export interface Points {
  readonly count: number
  readonly times: TimeColumn
  readonly values: Column
  readonly companions: readonly Column[]
}

/**
 * Brings the points of one window down to one or a few. Windows come one after the other; a window's points come in
 * the order of the query (newest first when it is descending), in several calls of `add` where need be.
 */
export interface Reducer {
  /** Points `start` up to `stop`, all of the current window. They may be gone after the call: copy what is kept. */
  add(points: Points, start: number, stop: number): void
  /**
   * Ends the window: its points go to `out`, and the reducer is as new. Several points of a window come earliest first,
   * also when the query is descending, as InfluxDB has it. A window's result without a time of its own is pushed with
   * time undefined: the caller puts the window's start there.
   */
  finish(out: PointsBuilder): void
  /** About what it holds of the window; absent where that does not grow with the points. */
  readonly heldBytes?: number
}

/** Makes new points from points, one group after the other, each in the order of the query. */
export interface Transform {
  add(points: Points, out: PointsBuilder): void
  /** The group ends: what is left goes to `out`, and the transform is as new. */
  finish(out: PointsBuilder): void
  /** About what it holds of the group; absent where that is little. */
  readonly heldBytes?: number
  /** As `finish`, where that takes long: others get their turn wherever it yields. */
  finishInParts?(out: PointsBuilder): Generator<void, void, void>
}

/** A block without points: somebody is still at work. */
export const noPoints: Points = {
  count: 0,
  times: { base: 0n, offsets: new Float64Array(0) },
  values: { type: 'float', values: new Float64Array(0), validity: undefined },
  companions: [],
}

const noOffsets = new Float64Array(0)

/** Collects points and hands them out in blocks whose times share a base. */
export class PointsBuilder {
  readonly type: FieldType
  readonly companionTypes: readonly FieldType[]
  /** What a point pushed without a time gets. */
  defaultTime = 0n
  /** Where it is set, every point gets this time, whatever time it has. */
  fixedTime: bigint | undefined
  /** How many points were ever pushed. */
  pushedCount = 0
  #base = 0n
  #offsets: Float64Array
  #count = 0
  #values: ColumnBuilder
  #companions: ColumnBuilder[]
  #done: Points[] = []

  /** `capacity`: so many points get room before the first comes. */
  constructor(type: FieldType, companionTypes: readonly FieldType[] = [], capacity = 16) {
    this.type = type
    this.companionTypes = companionTypes
    this.#offsets = new Float64Array(capacity)
    this.#values = new ColumnBuilder(type, capacity)
    this.#companions = companionTypes.map((each) => new ColumnBuilder(each))
  }

  /** A point with any time. `from`: the row whose companions go with it; absent, it has none. */
  push(value: Value, time: bigint | undefined, from?: { points: Points; row: number }): void {
    this.#place(time ?? this.defaultTime)
    this.#values.push(value)
    this.#pushCompanions(from)
  }

  /** The fast way for transforms of numbers: no companions, time as an offset from a base. */
  pushNumber(value: number, base: bigint, offset: number): void {
    const isPlaced = base === this.#base && this.#count > 0 && this.fixedTime === undefined
    if (isPlaced) this.#addOffset(offset)
    else this.#place(base + BigInt(offset))
    this.#values.pushNumber(value)
    for (const companion of this.#companions) companion.pushNull()
  }

  /** A point that has a time and no value: a window that nothing fell into. */
  pushMissing(time: bigint): void {
    this.#place(time)
    this.#values.pushNull()
    this.#pushCompanions(undefined)
  }

  /** A point as it is. */
  pushPoint(points: Points, row: number, time = timeAt(points.times, row)): void {
    this.#place(time)
    this.#values.pushFrom(points.values, row)
    this.#pushCompanions({ points, row })
  }

  /** A point that was copied out of its block, with its companions' values. */
  pushCopied(value: Value, time: bigint | undefined, companions: readonly (Value | null)[]): void {
    this.#place(time ?? this.defaultTime)
    this.#values.push(value)
    for (let c = 0; c < this.#companions.length; c++)
      this.#companions[c].push(companions[c] ?? null)
  }

  /** The blocks collected since the last call. */
  take(): Points[] {
    this.#cut()
    const taken = this.#done
    this.#done = []
    return taken
  }

  /** Points of the block that is being collected. */
  get count(): number {
    return this.#count
  }

  #place(own: bigint): void {
    const time = this.fixedTime ?? own
    if (this.#count > 0 && !isNear(time, this.#base)) this.#cut()
    if (this.#count === 0) this.#base = time
    this.#addOffset(Number(time - this.#base))
  }

  #addOffset(offset: number): void {
    if (this.#count === this.#offsets.length) {
      const grown = new Float64Array(Math.max(16, this.#count * 2))
      grown.set(this.#offsets)
      this.#offsets = grown
    }
    this.#offsets[this.#count++] = offset
    this.pushedCount++
  }

  #pushCompanions(from: { points: Points; row: number } | undefined): void {
    for (let c = 0; c < this.#companions.length; c++) {
      if (from === undefined) this.#companions[c].pushNull()
      else this.#companions[c].pushFrom(from.points.companions[c], from.row)
    }
  }

  #cut(): void {
    if (this.#count === 0) return
    this.#done.push({
      count: this.#count,
      times: { base: this.#base, offsets: this.#offsets },
      values: this.#values.finish(),
      companions: this.#companions.map((companion) => companion.finish()),
    })
    // Mostly it was the last one.
    this.#offsets = noOffsets
    this.#count = 0
    this.#values = new ColumnBuilder(this.type, 0)
    this.#companions = this.companionTypes.map((each) => new ColumnBuilder(each, 0))
  }
}
