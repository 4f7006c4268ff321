// The order of rows by the values of some columns: nulls before everything whichever way it goes, as
// Flux sorts. Every column becomes numbers first (texts their rank, 64-bit integers their two halves),
// so that comparing two rows compares numbers.

import { firstNumbers } from '../../column/first-numbers.js'
import { compareUtf8 } from '../../column/series.js'
import type { Cells, StringCells } from '../../query/table.js'
import type { Yielder } from '../context/yielder.js'
import { expandCells } from './cells.js'

/** Numbers that compare as the rows do, the more telling ones first. */
export type SortKeys = readonly Float64Array[]

export function sortKeys(cells: Cells, rowCount: number, isDescending: boolean): SortKeys {
  if (cells.kind === 'constant') return []
  const { validity } = cells
  const keys = valueKeys(cells, rowCount)
  if (isDescending) for (const key of keys) for (let i = 0; i < rowCount; i++) key[i] = -key[i]
  if (validity === undefined) return keys
  const isThere = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) {
    isThere[i] = validity[i]
    if (validity[i] === 0) for (const key of keys) key[i] = 0
  }
  return [isThere, ...keys]
}

function valueKeys(cells: Exclude<Cells, { kind: 'constant' }>, rowCount: number): Float64Array[] {
  switch (cells.type) {
    case 'float': {
      const key = new Float64Array(rowCount)
      for (let i = 0; i < rowCount; i++) {
        const value = cells.values[i]
        key[i] = Number.isNaN(value) ? Number.POSITIVE_INFINITY : value
      }
      return [key]
    }
    case 'bool':
      return [Float64Array.from(cells.values.subarray(0, rowCount))]
    case 'string':
      return [textRanks(cells, rowCount)]
    default:
      return halves(expandCells(cells, rowCount).values as BigInt64Array, cells.type, rowCount)
  }
}

function halves(values: BigInt64Array, type: string, rowCount: number): Float64Array[] {
  const words = new Uint32Array(values.buffer, values.byteOffset, rowCount * 2)
  const high = new Float64Array(rowCount)
  const low = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) {
    low[i] = words[2 * i]
    high[i] = type === 'uint' ? words[2 * i + 1] : words[2 * i + 1] | 0
  }
  return [high, low]
}

function textRanks({ values, dictionary }: StringCells, rowCount: number): Float64Array {
  const texts = [...new Set(dictionary)].sort(compareUtf8)
  const ranks = new Map(texts.map((text, i) => [text, i]))
  const rankOf = Float64Array.from(dictionary, (text) => ranks.get(text)!)
  const key = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) key[i] = rankOf[values[i]]
  return key
}

type Compare = (a: number, b: number) => number

/** Rows that are equal are in the order in which they stand. */
function comparison(keys: SortKeys): Compare {
  return (a, b) => {
    for (const key of keys) {
      if (key[a] < key[b]) return -1
      if (key[a] > key[b]) return 1
    }
    return a - b
  }
}

function isInOrder(compare: Compare, rowCount: number): boolean {
  for (let i = 1; i < rowCount; i++) if (compare(i - 1, i) > 0) return false
  return true
}

/** Rows that are equal stay as they were. undefined: all are in order already. */
export function sortedOrder(keys: SortKeys, rowCount: number): Uint32Array | undefined {
  const compare = comparison(keys)
  if (isInOrder(compare, rowCount)) return undefined
  return firstNumbers(rowCount).sort(compare)
}

/** The first `count` rows of that order: a fraction of the work where there are many more. */
export function firstInOrder(keys: SortKeys, rowCount: number, count: number): Uint32Array {
  const compare = comparison(keys)
  if (8 * count > rowCount) {
    const all = firstNumbers(rowCount)
    return all.sort(compare).subarray(0, count)
  }
  const first = firstNumbers(count)
  for (let i = (count >> 1) - 1; i >= 0; i--) sink(first, i, compare)
  for (let row = count; row < rowCount && count > 0; row++) {
    if (compare(row, first[0]) > 0) continue
    first[0] = row
    sink(first, 0, compare)
  }
  return first.sort(compare)
}

/** A heap whose top comes last in the order. */
function sink(heap: Uint32Array, from: number, compare: Compare): void {
  let at = from
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) return
    if (child + 1 < heap.length && compare(heap[child + 1], heap[child]) > 0) child++
    if (compare(heap[at], heap[child]) >= 0) return
    const row = heap[at]
    heap[at] = heap[child]
    heap[child] = row
    at = child
  }
}

/** Rows that are sorted in one go, in some ten milliseconds. */
const runRows = 32_768

/** The same for any number of rows, while others have their turn: ten millions take as many seconds. */
export async function sortedInTurns(
  keys: SortKeys,
  rowCount: number,
  yielder: Yielder,
): Promise<Uint32Array | undefined> {
  if (rowCount <= runRows) return sortedOrder(keys, rowCount)
  const compare = comparison(keys)
  if (isInOrder(compare, rowCount)) return undefined
  let order = firstNumbers(rowCount)
  for (let from = 0; from < rowCount; from += runRows) {
    order.subarray(from, from + runRows).sort(compare)
    yielder.add(runRows)
    if (yielder.isDue) await yielder.yield()
  }
  let other = new Uint32Array(rowCount)
  for (let width = runRows; width < rowCount; width *= 2) {
    for (let from = 0; from < rowCount; from += 2 * width) {
      const merge = new RunMerge(
        order,
        other,
        from,
        Math.min(from + width, rowCount),
        from + 2 * width,
      )
      while (!merge.advance(compare, runRows)) {
        yielder.add(runRows)
        if (yielder.isDue) await yielder.yield()
      }
    }
    ;[order, other] = [other, order]
  }
  return order
}

/** Two runs that stand behind each other become one, some rows at a time. */
class RunMerge {
  readonly #from: Uint32Array
  readonly #to: Uint32Array
  readonly #leftEnd: number
  readonly #rightEnd: number
  #left: number
  #right: number
  #at: number

  constructor(from: Uint32Array, to: Uint32Array, start: number, middle: number, end: number) {
    this.#from = from
    this.#to = to
    this.#left = start
    this.#leftEnd = middle
    this.#right = middle
    this.#rightEnd = Math.min(end, from.length)
    this.#at = start
  }

  /** true: all is done. */
  advance(compare: Compare, rows: number): boolean {
    const from = this.#from
    const stop = Math.min(this.#at + rows, this.#rightEnd)
    while (this.#at < stop) {
      const isLeft =
        this.#right >= this.#rightEnd ||
        (this.#left < this.#leftEnd && compare(from[this.#left], from[this.#right]) < 0)
      this.#to[this.#at++] = isLeft ? from[this.#left++] : from[this.#right++]
    }
    return this.#at === this.#rightEnd
  }
}
