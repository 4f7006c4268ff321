// top and bottom: the n greatest (smallest) points of a window, of equal values the earliest. With
// tags in the call at most one point per combination of their values takes part: its best. They come
// out by time, earliest first whatever the order of the query, the better first where times are equal.
//
// The n stand in a heap with the worst at the root, moved as Go's container/heap moves them: which
// of several points equal in value and time stay is then the same as in InfluxDB.

import { type Column, type StringColumn, valueAt } from '../../column/column.js'
import { HeldPoint, heldPointBytes } from './held-point.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { sortLikeGo } from './row-order.js'
import { compareText } from './value-order.js'

type Numbers = Float64Array | BigInt64Array | BigUint64Array

export interface TopBottomCall {
  readonly isTop: boolean
  readonly n: number
  /** Which companions are the call's tags, in the alphabetical order of their keys. */
  readonly tagCompanions: readonly number[]
}

export class TopBottomReducer implements Reducer {
  readonly #call: TopBottomCall
  #heap: HeldPoint[] = []
  #bestByTags = new Map<string, HeldPoint>()

  constructor(call: TopBottomCall) {
    this.#call = call
  }

  add(points: Points, start: number, stop: number): void {
    if (this.#call.tagCompanions.length > 0) this.#addByTags(points, start, stop)
    else this.#addToHeap(points, start, stop)
  }

  get heldBytes(): number {
    return (this.#heap.length + this.#bestByTags.size) * heldPointBytes
  }

  finish(out: PointsBuilder): void {
    const byTags = [...this.#bestByTags].sort((a, b) => compareText(a[0], b[0]))
    for (const [, best] of byTags) this.#offer(best)
    const chosen = this.#heap
    const swap = (i: number, j: number) => swapIn(chosen, i, j)
    sortLikeGo({ less: (i, j) => this.#isWorse(chosen[j], chosen[i]), swap }, chosen.length)
    chosen.sort((a, b) => a.compareTimeWith(b))
    for (const point of chosen) point.pushTo(out)
    this.#heap = []
    this.#bestByTags = new Map()
  }

  #addToHeap(points: Points, start: number, stop: number): void {
    const values = points.values.values as Numbers
    for (let row = start; row < stop; row++) {
      if (this.#heap.length < this.#call.n) {
        const point = new HeldPoint()
        point.take(values[row], points, row)
        this.#offer(point)
      } else if (this.#isBetterRow(values[row], points, row, this.#heap[0])) {
        this.#heap[0].take(values[row], points, row)
        this.#siftDown()
      }
    }
  }

  #addByTags(points: Points, start: number, stop: number): void {
    const values = points.values.values as Numbers
    const tags = new TagReader(points, this.#call.tagCompanions)
    for (let row = start; row < stop; row++) {
      const best = tags.best(row) ?? tags.note(row, this.#bestOf(tags.key(row)))
      if (!best.isHeld || this.#isBetterRow(values[row], points, row, best)) {
        best.take(values[row], points, row)
      }
    }
  }

  #bestOf(key: string): HeldPoint {
    const known = this.#bestByTags.get(key)
    if (known !== undefined) return known
    const best = new HeldPoint()
    this.#bestByTags.set(key, best)
    return best
  }

  #isBetterRow(value: number | bigint, points: Points, row: number, than: HeldPoint): boolean {
    const other = than.value as number | bigint
    if (value > other) return this.#call.isTop
    if (value < other) return !this.#call.isTop
    return than.compareTime(points.times, row) < 0
  }

  /** Worse in value, or as good and later. */
  #isWorse(a: HeldPoint, b: HeldPoint): boolean {
    if (a.value < b.value) return this.#call.isTop
    if (a.value > b.value) return !this.#call.isTop
    return a.compareTimeWith(b) > 0
  }

  #offer(point: HeldPoint): void {
    const heap = this.#heap
    if (heap.length < this.#call.n) {
      heap.push(point)
      this.#siftUp(heap.length - 1)
    } else if (this.#isWorse(heap[0], point)) {
      heap[0] = point
      this.#siftDown()
    }
  }

  #siftUp(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#isWorse(this.#heap[at], this.#heap[parent])) return
      swapIn(this.#heap, at, parent)
      at = parent
    }
  }

  #siftDown(): void {
    const heap = this.#heap
    for (let at = 0; ; ) {
      let child = 2 * at + 1
      if (child >= heap.length) return
      if (child + 1 < heap.length && this.#isWorse(heap[child + 1], heap[child])) child++
      if (!this.#isWorse(heap[child], heap[at])) return
      swapIn(heap, at, child)
      at = child
    }
  }
}

/**
 * The best point so far of rows with the same tags. Rows of many series come mixed, and to spell their tags out takes
 * ten times as long as the rest: what belongs to them is found by the numbers that their values have in dictionaries.
 */
class TagReader {
  readonly #columns: readonly Column[]
  readonly #bestByCode: Map<number, HeldPoint> | undefined

  constructor({ companions }: Points, tags: readonly number[]) {
    this.#columns = tags.map((tag) => companions[tag])
    let codes = 1
    for (const column of this.#columns) {
      codes *= column.type === 'string' ? column.dictionary.count + 1 : Number.POSITIVE_INFINITY
    }
    // Else a float64 does not tell all combinations.
    if (codes <= Number.MAX_SAFE_INTEGER) this.#bestByCode = new Map()
  }

  best(row: number): HeldPoint | undefined {
    return this.#bestByCode?.get(this.#code(row))
  }

  note(row: number, best: HeldPoint): HeldPoint {
    this.#bestByCode?.set(this.#code(row), best)
    return best
  }

  key(row: number): string {
    return this.#columns.map((column) => valueAt(column, row) ?? '').join('\0')
  }

  #code(row: number): number {
    let code = 0
    for (const { values, validity, dictionary } of this.#columns as readonly StringColumn[]) {
      const entry = validity !== undefined && validity[row] === 0 ? 0 : values[row] + 1
      code = code * (dictionary.count + 1) + entry
    }
    return code
  }
}

function swapIn<T>(items: T[], i: number, j: number): void {
  const item = items[i]
  items[i] = items[j]
  items[j] = item
}
