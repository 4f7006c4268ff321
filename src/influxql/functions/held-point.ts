// One point kept from block to block while a selector looks for a better one. Its time stays an
// offset from its block's base as long as it is only compared.

import { type Value, valueAt } from '../../column/column.js'
import type { TimeColumn } from '../../column/time.js'
import type { Points, PointsBuilder } from './points.js'

const none: readonly (Value | null)[] = []

/** About what one takes, with a place in a list. */
export const heldPointBytes = 120

export class HeldPoint {
  isHeld = false
  value: Value = 0
  #base = 0n
  #offset = 0
  #companions: readonly (Value | null)[] = none

  /** Copies the row. `value` is the row's, given by the caller since it knows the column's type. */
  take(value: Value, points: Points, row: number): void {
    this.isHeld = true
    this.value = value
    this.#base = points.times.base
    this.#offset = points.times.offsets[row]
    const { companions } = points
    this.#companions = companions.length === 0 ? none : companions.map((each) => valueAt(each, row))
  }

  get time(): bigint {
    return this.#base + BigInt(this.#offset)
  }

  /** Negative when the row is earlier than the point held. */
  compareTime(times: TimeColumn, row: number): number {
    if (times.base === this.#base) return times.offsets[row] - this.#offset
    const time = times.base + BigInt(times.offsets[row])
    const held = this.time
    return time < held ? -1 : time > held ? 1 : 0
  }

  /** Negative when this point is earlier than the other. */
  compareTimeWith(other: HeldPoint): number {
    if (this.#base === other.#base) return this.#offset - other.#offset
    const mine = this.time
    const theirs = other.time
    return mine < theirs ? -1 : mine > theirs ? 1 : 0
  }

  pushTo(out: PointsBuilder): void {
    out.pushCopied(this.value, this.time, this.#companions)
  }

  clear(): void {
    this.isHeld = false
    this.#companions = none
  }
}
