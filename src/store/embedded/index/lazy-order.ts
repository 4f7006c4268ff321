// Numbers in the order of their byte strings, sorted only as far as somebody reads: three-way radix quicksort that
// takes its parts from the left. The first twenty of a million values are in place after a few looks at each; all of
// them cost what sorting costs. Interruptible: see `platform/turns.ts`.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { MaybePromise } from '../../../platform/pull-stream.js'
import { inTurns, type Work } from '../../../platform/turns.js'
import { sortSmall } from './key-order.js'

/** Looks at a byte between two places where the work may be interrupted. */
const stepEntries = 8192
/** Below this, whole rests are compared. */
const smallMax = 12

/** 0, 1, 2, … */
export function firstNumbers(count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  for (let i = 0; i < count; i++) numbers[i] = i
  return numbers
}

export class LazyOrder {
  readonly #ids: Uint32Array
  readonly #strings: ByteTableView
  /** Parts that are not sorted yet, the leftmost last: start, stop and how many bytes all of a part share. */
  readonly #parts: number[]
  /** How many at the beginning are where they belong. */
  #sorted = 0
  #underWay: Promise<void> | undefined

  /** Takes the numbers over. */
  constructor(ids: Uint32Array, strings: ByteTableView) {
    this.#ids = ids
    this.#strings = strings
    this.#parts = [0, ids.length, 0]
  }

  get count(): number {
    return this.#ids.length
  }

  /** Of those that `ensure` was asked for. */
  at(i: number): number {
    return this.#ids[i]
  }

  /** Until the first `count` are in place. Several may ask: nobody's going ends what others wait for. */
  ensure(count: number): MaybePromise<void> {
    if (this.#sorted >= Math.min(count, this.count)) return
    if (this.#underWay !== undefined) return this.#underWay.then(() => this.ensure(count))
    const work = inTurns(this.#sortUpTo(count), undefined)
    if (!(work instanceof Promise)) return
    this.#underWay = work.finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  *#sortUpTo(count: number): Work<void> {
    while (this.#sorted < count && this.#parts.length > 0) {
      const depth = this.#parts.pop() as number
      const stop = this.#parts.pop() as number
      const start = this.#parts.pop() as number
      if (stop - start > smallMax) yield* this.#split(start, stop, depth)
      else {
        sortSmall(this.#ids, start, stop, depth, this.#strings)
        this.#sorted = stop
        yield
      }
    }
  }

  /** Smaller, equal and greater at one byte; -1 stands behind the end. */
  *#split(start: number, stop: number, depth: number): Work<void> {
    const ids = this.#ids
    const { arena, starts, lengths } = this.#strings
    const middle = ids[start + ((stop - start) >>> 1)]
    const pivot = depth < lengths[middle] ? arena[starts[middle] + depth] : -1
    let less = start
    let greater = stop
    let i = start
    while (i < greater) {
      for (let step = 0; step < stepEntries && i < greater; step++) {
        const id = ids[i]
        const byte = depth < lengths[id] ? arena[starts[id] + depth] : -1
        if (byte < pivot) {
          ids[i++] = ids[less]
          ids[less++] = id
        } else if (byte > pivot) {
          ids[i] = ids[--greater]
          ids[greater] = id
        } else i++
      }
      yield
    }
    if (greater < stop) this.#parts.push(greater, stop, depth)
    // Strings that end here are all the same, and nothing is smaller.
    if (pivot < 0) this.#sorted = greater
    else this.#parts.push(less, greater, depth + 1)
    if (less > start) this.#parts.push(start, less, depth)
  }
}
