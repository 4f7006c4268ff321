// Numbers in the order of their byte strings, sorted only as far as somebody reads: three-way radix quicksort that
// takes its parts from the left. Of many the first hundredth or so is set apart before, by one comparison of each: the
// first twenty of a million values are in place after little more than one look at each; all of them cost what sorting
// costs. Interruptible: see `platform/turns.ts`; loops over many are functions of their own, since within a generator
// they stay as slow as they begin.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { MaybePromise } from '../../../platform/pull-stream.js'
import { atOnce, inTurns, type Work } from '../../../platform/turns.js'
import { sortSmall } from './key-order.js'

/** Looks at a byte between two places where the work may be interrupted: a millisecond of code that has just begun. */
const stepEntries = 2048
/** Below this, whole rests are compared. */
const smallMax = 12
/** Of a larger part a small value is looked for first: who asks for the first page waits for one look at each. */
export const largeMin = 32_768
const sampleCount = 24
/** Of so many the smallest few tell where about the first hundredth ends. */
const firstSamples = 256
const firstRank = 3

export class LazyOrder {
  protected readonly ids: Uint32Array
  protected readonly strings: ByteTableView
  /**
   * Parts that are not sorted yet, the leftmost last: start, stop and where in their strings the parts go on: how many
   * bytes all of a part share.
   */
  protected readonly parts: number[]
  /** How many at the beginning are where they belong. */
  protected sorted = 0
  #underWay: Promise<void> | undefined
  #isParted: boolean

  /** Takes the numbers over. */
  constructor(ids: Uint32Array, strings: ByteTableView) {
    this.ids = ids
    this.strings = strings
    this.parts = [0, ids.length, 0]
    this.#isParted = ids.length < largeMin
  }

  get count(): number {
    return this.ids.length
  }

  /** Of those that `ensure` was asked for. */
  at(i: number): number {
    return this.ids[i]
  }

  /** Until the first `count` are in place. Several may ask: nobody's going ends what others wait for. */
  ensure(count: number): MaybePromise<void> {
    if (this.sorted >= Math.min(count, this.count)) return
    if (this.#underWay !== undefined) return this.#underWay.then(() => this.ensure(count))
    const work = inTurns(this.#sortUpTo(count), undefined)
    if (!(work instanceof Promise)) return
    this.#underWay = work.finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  /** The same at once, for whoever cannot wait; nobody else may be asking. How many are in place then. */
  sortNow(count: number): number {
    atOnce(this.#sortUpTo(count))
    return this.sorted
  }

  *#sortUpTo(count: number): Work<void> {
    if (!this.#isParted) yield* this.#setFirstApart()
    while (this.sorted < count && this.parts.length > 0) {
      const depth = this.parts.pop() as number
      const stop = this.parts.pop() as number
      const start = this.parts.pop() as number
      if (stop - start > smallMax) yield* this.split(start, stop, depth)
      else {
        this.sortFew(start, stop, depth)
        this.sorted = stop
        yield
      }
    }
  }

  *#setFirstApart(): Work<void> {
    const { ids } = this
    this.#isParted = true
    const step = Math.floor(ids.length / firstSamples)
    const samples = Array.from({ length: firstSamples }, (_, i) => ids[i * step])
    const count = yield* this.#setBefore(this.#ofRank(samples, firstRank))
    if (count === 0) return
    this.parts.length = 0
    this.parts.push(count, ids.length, 0, 0, count, 0)
  }

  /** The one that `rank` others sort before. Few are looked for: sorting all would take many comparisons for each. */
  #ofRank(samples: readonly number[], rank: number): number {
    const smallest: number[] = []
    for (const sample of samples) {
      let to = smallest.length
      while (to > 0 && this.isBefore(sample, smallest[to - 1])) to--
      if (to > rank) continue
      smallest.splice(to, 0, sample)
      smallest.length = Math.min(smallest.length, rank + 1)
    }
    return smallest[rank]
  }

  /** Those that sort before a bound come first; how many they are. */
  *#setBefore(bound: number): Work<number> {
    let count = 0
    for (let start = 0; start < this.count; start += stepEntries) {
      count = this.setBefore(bound, start, Math.min(start + stepEntries, this.count), count)
      yield
    }
    return count
  }

  /** Of those from `start` to `stop`, behind `before` that were found; how many there are then. */
  protected setBefore(bound: number, start: number, stop: number, before: number): number {
    const { ids } = this
    const { arena, starts, lengths } = this.strings
    const boundByte = lengths[bound] > 0 ? arena[starts[bound]] : -1
    let count = before
    for (let i = start; i < stop; i++) {
      const id = ids[i]
      // Most differ in their first byte.
      if (arena[starts[id]] > boundByte && lengths[id] > 0) continue
      if (!this.isBefore(id, bound)) continue
      ids[i] = ids[count]
      ids[count++] = id
    }
    return count
  }

  protected isBefore(a: number, b: number): boolean {
    const { arena, starts, lengths } = this.strings
    const length = Math.min(lengths[a], lengths[b])
    const aStart = starts[a]
    const bStart = starts[b]
    for (let i = 0; i < length; i++) {
      const difference = arena[aStart + i] - arena[bStart + i]
      if (difference !== 0) return difference < 0
    }
    return lengths[a] < lengths[b]
  }

  protected sortFew(start: number, stop: number, depth: number): void {
    sortSmall(this.ids, start, stop, depth, this.strings)
  }

  /** Smaller, equal and greater at one byte; -1 stands behind the end. */
  protected *split(start: number, stop: number, depth: number): Work<void> {
    const { ids } = this
    const { arena, starts, lengths } = this.strings
    if (stop - start >= largeMin) {
      const shared = yield* this.sharedBytes(start, stop, depth)
      if (shared > depth) {
        this.parts.push(start, stop, shared)
        return
      }
    }
    const symbolAt = (id: number) => (depth < lengths[id] ? arena[starts[id] + depth] : -1)
    const pivot = pivotOf(start, stop, (i) => symbolAt(ids[i]))
    const [less, greater] = yield* this.partition(start, stop, pivot, symbolAt)
    this.afterSplit([start, less, greater, stop], depth, pivot < 0 ? undefined : depth + 1)
  }

  /** How many bytes all of a part begin with: found by one look at each, and not by one for each byte. */
  protected *sharedBytes(start: number, stop: number, from: number): Work<number> {
    const first = this.ids[start]
    let shared = this.strings.lengths[first]
    for (let at = start + 1; at < stop && shared > from; at += stepEntries) {
      shared = this.#sharedWith(first, at, Math.min(at + stepEntries, stop), from, shared)
      yield
    }
    return shared
  }

  /** At most `most`, at least `from`. */
  #sharedWith(first: number, start: number, stop: number, from: number, most: number): number {
    const { arena, starts, lengths } = this.strings
    let shared = most
    for (let i = start; i < stop && shared > from; i++) {
      const id = this.ids[i]
      const longest = Math.min(shared, lengths[id])
      let at = from
      while (at < longest && arena[starts[id] + at] === arena[starts[first] + at]) at++
      shared = at
    }
    return shared
  }

  /** Where the equal ones begin and end, when the smaller ones stand before them and the greater ones behind. */
  protected *partition(
    start: number,
    stop: number,
    pivot: number,
    symbolAt: (id: number) => number,
  ): Work<readonly [less: number, greater: number]> {
    const bounds = { less: start, at: start, greater: stop }
    while (bounds.at < bounds.greater) {
      partitionSome(this.ids, bounds, pivot, symbolAt)
      yield
    }
    return [bounds.less, bounds.greater]
  }

  /** `next`: where the equal ones go on; undefined: they have ended, so that they are all the same. */
  protected afterSplit(
    [start, less, greater, stop]: readonly [number, number, number, number],
    depth: number,
    next: number | undefined,
  ): void {
    if (greater < stop) this.parts.push(greater, stop, depth)
    if (next !== undefined) this.parts.push(less, greater, next)
    // Nothing is smaller than an end.
    else this.sorted = greater
    if (less > start) this.parts.push(start, less, depth)
  }
}

/** What lies before `less` is smaller than the pivot, from there to `at` equal, from `greater` on greater. */
interface Bounds {
  less: number
  at: number
  greater: number
}

function partitionSome(
  ids: Uint32Array,
  bounds: Bounds,
  pivot: number,
  symbolAt: (id: number) => number,
): void {
  let { less, at, greater } = bounds
  for (let step = 0; step < stepEntries && at < greater; step++) {
    const id = ids[at]
    const symbol = symbolAt(id)
    if (symbol < pivot) {
      ids[at++] = ids[less]
      ids[less++] = id
    } else if (symbol > pivot) {
      ids[at] = ids[--greater]
      ids[greater] = id
    } else at++
  }
  bounds.less = less
  bounds.at = at
  bounds.greater = greater
}

/** What to split a part at: the middle one's, of a large part a small one of some. */
export function pivotOf(start: number, stop: number, symbolAt: (i: number) => number): number {
  if (stop - start < largeMin) return symbolAt(start + ((stop - start) >>> 1))
  const samples: number[] = []
  const step = Math.floor((stop - start) / sampleCount)
  for (let i = 0; i < sampleCount; i++) samples.push(symbolAt(start + i * step))
  return samples.sort((a, b) => a - b)[2]
}
