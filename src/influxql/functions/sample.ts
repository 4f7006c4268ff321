// sample: n points of a window, each set of n equally likely (a reservoir). They come out by time,
// earliest first whatever the order of the query, and by value where times are equal.

import { valueAt } from '../../column/column.js'
import type { Random } from '../../platform/random.js'
import { HeldPoint, heldPointBytes } from './held-point.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { compareValues } from './value-order.js'

export class SampleReducer implements Reducer {
  readonly #size: number
  readonly #random: Random
  #held: HeldPoint[] = []
  #count = 0

  constructor(size: number, random: Random) {
    this.#size = size
    this.#random = random
  }

  add(points: Points, start: number, stop: number): void {
    for (let row = start; row < stop; row++) {
      const place = this.#count < this.#size ? this.#count : this.#draw(this.#count + 1)
      this.#count++
      if (place >= this.#size) continue
      this.#held[place] ??= new HeldPoint()
      this.#held[place].take(valueAt(points.values, row)!, points, row)
    }
  }

  get heldBytes(): number {
    return this.#held.length * heldPointBytes
  }

  finish(out: PointsBuilder): void {
    const sample = this.#held.map((point) => ({ point, time: point.time, value: point.value }))
    sample.sort((a, b) => compareTimes(a.time, b.time) || compareValues(a.value, b.value))
    for (const { point } of sample) point.pushTo(out)
    this.#held = []
    this.#count = 0
  }

  /** A number in [0, n). */
  #draw(n: number): number {
    return n <= 2 ** 32 ? this.#random.below(n) : Math.floor(this.#random.float() * n)
  }
}

function compareTimes(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
