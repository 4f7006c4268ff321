// Pairs of rows of two tables whose columns have the same values, in the order of these values. Both
// sides are put in order, which mostly they are, and walked along side by side; rows without a value
// in one of the columns match nothing and come last. Pairs leave in batches: there may be far more of
// them than rows.

import { firstNumbers } from '../../column/first-numbers.js'
import { type Chunk, cellAt } from '../../query/table.js'
import { joinCells } from './cells.js'
import { type SortKeys, sortedOrder, sortKeys } from './row-order.js'

export type JoinMethod = 'inner' | 'left' | 'right' | 'full'

/** Row i of the left and row j of the right; `noRow`: the other side has none to match. */
export interface JoinedRows {
  readonly left: Uint32Array
  readonly right: Uint32Array
}

export const noRow = 0xffff_ffff

const batchRows = 8192

/** Columns to compare: the place on the left and the place on the right. They are of the same type. */
export type ColumnPair = readonly [number, number]

export function* joinedRows(
  left: Chunk,
  right: Chunk,
  on: readonly ColumnPair[],
  method: JoinMethod,
): Generator<JoinedRows, void, void> {
  const keys = commonKeys(left, right, on)
  const lefts = side(
    left,
    keys,
    0,
    on.map(([place]) => place),
  )
  const rights = side(
    right,
    keys,
    left.rowCount,
    on.map(([, place]) => place),
  )
  const merge = new Merge(keys, left.rowCount, lefts.rows, rights.rows, method)
  const batch = new Batch()
  while (merge.next()) if (batch.add(merge.left, merge.right)) yield batch.take()
  if (method === 'left' || method === 'full') {
    for (const row of lefts.without) if (batch.add(row, noRow)) yield batch.take()
  }
  if (method === 'right' || method === 'full') {
    for (const row of rights.without) if (batch.add(noRow, row)) yield batch.take()
  }
  if (batch.count > 0) yield batch.take()
}

/** Two sides in order, walked along together: the pairs one by one. */
class Merge {
  /** Of the current pair. */
  left = noRow
  right = noRow
  readonly #keys: SortKeys
  readonly #rightStart: number
  readonly #lefts: Uint32Array
  readonly #rights: Uint32Array
  readonly #keepsLeft: boolean
  readonly #keepsRight: boolean
  #i = 0
  #j = 0
  /** Within a run of right rows that match the left row: where it goes on, and where it ends. */
  #at = 0
  #end = 0

  constructor(
    keys: SortKeys,
    rightStart: number,
    lefts: Uint32Array,
    rights: Uint32Array,
    method: JoinMethod,
  ) {
    this.#keys = keys
    this.#rightStart = rightStart
    this.#lefts = lefts
    this.#rights = rights
    this.#keepsLeft = method === 'left' || method === 'full'
    this.#keepsRight = method === 'right' || method === 'full'
  }

  next(): boolean {
    for (;;) {
      if (this.#at < this.#end) return this.#pair(this.#lefts[this.#i], this.#rights[this.#at++])
      if (this.#end > this.#j) this.#nextLeft()
      if (this.#at < this.#end) continue
      const isLeftOver = this.#i >= this.#lefts.length
      const isRightOver = this.#j >= this.#rights.length
      if (isLeftOver && isRightOver) return false
      const order = isLeftOver ? 1 : isRightOver ? -1 : this.#compare(this.#i, this.#j)
      if (order < 0) {
        const row = this.#lefts[this.#i++]
        if (this.#keepsLeft) return this.#pair(row, noRow)
      } else if (order > 0) {
        const row = this.#rights[this.#j++]
        this.#at = this.#j
        this.#end = this.#j
        if (this.#keepsRight) return this.#pair(noRow, row)
      } else this.#findRun()
    }
  }

  #pair(left: number, right: number): boolean {
    this.left = left
    this.right = right
    return true
  }

  #findRun(): void {
    this.#at = this.#j
    this.#end = this.#j + 1
    while (this.#end < this.#rights.length && this.#compare(this.#i, this.#end) === 0) this.#end++
  }

  /** The next left row may match the same run; else the run is done. */
  #nextLeft(): void {
    this.#i++
    if (this.#i < this.#lefts.length && this.#compare(this.#i, this.#j) === 0) this.#at = this.#j
    else {
      this.#j = this.#end
      this.#at = this.#end
    }
  }

  #compare(i: number, j: number): number {
    const a = this.#lefts[i]
    const b = this.#rightStart + this.#rights[j]
    for (const key of this.#keys) {
      if (key[a] < key[b]) return -1
      if (key[a] > key[b]) return 1
    }
    return 0
  }
}

/** Numbers that compare rows of both sides, those of the left first. */
function commonKeys(left: Chunk, right: Chunk, on: readonly ColumnPair[]): SortKeys {
  const rowCounts = [left.rowCount, right.rowCount]
  return on.flatMap(([l, r]) => {
    const both = joinCells([left.columns[l], right.columns[r]], rowCounts)
    return sortKeys(both, left.rowCount + right.rowCount, false)
  })
}

interface Side {
  /** In order. */
  readonly rows: Uint32Array
  /** Rows that match nothing. */
  readonly without: readonly number[]
}

function side(chunk: Chunk, keys: SortKeys, from: number, places: readonly number[]): Side {
  const { rowCount } = chunk
  const own = keys.map((key) => key.subarray(from, from + rowCount))
  const order = sortedOrder(own, rowCount) ?? firstNumbers(rowCount)
  const suspects = places.filter((place) => mayLack(chunk, place))
  if (suspects.length === 0) return { rows: order, without: [] }
  const without: number[] = []
  const rows = order.filter((row) => {
    const lacks = suspects.some((place) => isNothing(cellAt(chunk.columns[place], row)))
    if (lacks) without.push(row)
    return !lacks
  })
  return { rows, without }
}

/** Not a number equals nothing, not even itself. */
function mayLack(chunk: Chunk, place: number): boolean {
  const cells = chunk.columns[place]
  if (cells.kind === 'constant') return isNothing(cells.value)
  return cells.validity !== undefined || cells.type === 'float'
}

function isNothing(cell: unknown): boolean {
  return cell === null || Number.isNaN(cell)
}

class Batch {
  readonly #left = new Uint32Array(batchRows)
  readonly #right = new Uint32Array(batchRows)
  count = 0

  /** Whether it is full now. */
  add(left: number, right: number): boolean {
    this.#left[this.count] = left
    this.#right[this.count] = right
    this.count++
    return this.count === batchRows
  }

  take(): JoinedRows {
    const { count } = this
    this.count = 0
    return { left: this.#left.slice(0, count), right: this.#right.slice(0, count) }
  }
}
