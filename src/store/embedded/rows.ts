// Rows of one series inside the engine, and the two steps by which rows from several places become one answer: sort by
// time (stable, so that later writes stay behind earlier ones), then collapse rows of equal time, where the latest
// value of each field wins. Times are offsets from the start of a shard.

import type { Column, FieldType } from '../../column/column.js'
import { ColumnBuilder, noRow } from './column-builder.js'

export interface Rows {
  readonly rowCount: number
  readonly offsets: Float64Array
  /** One per field asked for; undefined: no row has a value. */
  readonly columns: readonly (Column | undefined)[]
}

export function isAscending(offsets: Float64Array, start: number, stop: number): boolean {
  for (let i = start + 1; i < stop; i++) if (!(offsets[i - 1] < offsets[i])) return false
  return true
}

/** The order of rows by time, equal times in the order given: natural merge sort, quick on a few sorted runs. */
export function timeOrder(offsets: Float64Array, count: number): Uint32Array {
  let order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  let runs = [0]
  for (let i = 1; i < count; i++) if (offsets[i] < offsets[i - 1]) runs.push(i)
  runs.push(count)
  let spare = new Uint32Array(count)
  while (runs.length > 2) {
    const merged: number[] = []
    for (let r = 0; r + 1 < runs.length; r += 2) {
      merged.push(runs[r])
      mergeRuns(order, runs[r], runs[r + 1], runs[r + 2] ?? runs[r + 1], offsets, spare)
    }
    merged.push(count)
    runs = merged
    const previous = order
    order = spare
    spare = previous
  }
  return order
}

function mergeRuns(
  order: Uint32Array,
  start: number,
  middle: number,
  stop: number,
  offsets: Float64Array,
  out: Uint32Array,
): void {
  let a = start
  let b = middle
  for (let to = start; to < stop; to++) {
    if (a < middle && (b >= stop || offsets[order[a]] <= offsets[order[b]])) out[to] = order[a++]
    else out[to] = order[b++]
  }
}

/** Where each group of equal times ends in `order`, or undefined where every time stands alone. */
function groupEnds(offsets: Float64Array, order: Uint32Array): Uint32Array | undefined {
  let groups = 1
  for (let i = 1; i < order.length; i++) if (offsets[order[i]] !== offsets[order[i - 1]]) groups++
  if (groups === order.length) return undefined
  const ends = new Uint32Array(groups)
  let group = 0
  for (let i = 1; i < order.length; i++) {
    if (offsets[order[i]] !== offsets[order[i - 1]]) ends[group++] = i
  }
  ends[group] = order.length
  return ends
}

/** Rows in any order, later ones winning, as strictly ascending rows. */
export function sortAndCollapse(rows: Rows, types: readonly FieldType[]): Rows {
  if (rows.rowCount === 0 || isAscending(rows.offsets, 0, rows.rowCount)) return rows
  const order = timeOrder(rows.offsets, rows.rowCount)
  const ends = groupEnds(rows.offsets, order)
  const rowCount = ends === undefined ? order.length : ends.length
  const offsets = new Float64Array(rowCount)
  for (let i = 0; i < rowCount; i++) {
    offsets[i] = rows.offsets[order[ends === undefined ? i : ends[i] - 1]]
  }
  const columns = rows.columns.map((column, f) => {
    if (column === undefined) return undefined
    const builder = new ColumnBuilder(types[f])
    builder.appendPicked(column, latestRows(column, order, ends), rowCount)
    return builder.column()
  })
  return { rowCount, offsets, columns }
}

/** For each group of equal times the last row that has a value. */
function latestRows(
  column: Column,
  order: Uint32Array,
  ends: Uint32Array | undefined,
): Uint32Array {
  if (ends === undefined) return order
  const { validity } = column
  const picks = new Uint32Array(ends.length)
  let start = 0
  for (let group = 0; group < ends.length; group++) {
    let at = ends[group] - 1
    while (at >= start && validity !== undefined && validity[order[at]] === 0) at--
    picks[group] = at < start ? noRow : order[at]
    start = ends[group]
  }
  return picks
}

/** Rows gathered one after the other from several places. */
export class RowsBuilder {
  readonly types: readonly FieldType[]
  #offsets = new Float64Array(64)
  #rowCount = 0
  readonly #builders: ColumnBuilder[]
  readonly #present: boolean[]

  constructor(types: readonly FieldType[]) {
    this.types = types
    this.#builders = types.map((type) => new ColumnBuilder(type))
    this.#present = types.map(() => false)
  }

  get rowCount(): number {
    return this.#rowCount
  }

  clear(): void {
    this.#rowCount = 0
    for (const builder of this.#builders) builder.clear()
    this.#present.fill(false)
  }

  /** Appends rows `start` up to `stop`; `shift` is added to their offsets. */
  append(rows: Rows, start: number, stop: number, shift = 0): void {
    const count = stop - start
    const at = this.#reserve(count)
    if (shift === 0) this.#offsets.set(rows.offsets.subarray(start, stop), at)
    else for (let i = 0; i < count; i++) this.#offsets[at + i] = rows.offsets[start + i] + shift
    for (let f = 0; f < this.#builders.length; f++) this.#appendColumn(f, rows, start, stop, at)
  }

  /** Appends the rows with these positions, in this order. */
  appendPicked(rows: Rows, picks: Uint32Array): void {
    const at = this.#reserve(picks.length)
    for (let i = 0; i < picks.length; i++) this.#offsets[at + i] = rows.offsets[picks[i]]
    for (let f = 0; f < this.#builders.length; f++) {
      const column = rows.columns[f]
      if (column === undefined) {
        if (this.#present[f]) this.#builders[f].appendNulls(picks.length)
        continue
      }
      this.#begin(f, at).appendPicked(column, picks, picks.length)
    }
  }

  #appendColumn(f: number, rows: Rows, start: number, stop: number, at: number): void {
    const column = rows.columns[f]
    if (column !== undefined) this.#begin(f, at).append(column, start, stop)
    else if (this.#present[f]) this.#builders[f].appendNulls(stop - start)
  }

  /** The builder of a field; rows from before it had a value get gaps. */
  #begin(f: number, at: number): ColumnBuilder {
    if (!this.#present[f]) {
      this.#present[f] = true
      this.#builders[f].appendNulls(at)
    }
    return this.#builders[f]
  }

  /** Makes room for `count` rows and returns the first. */
  #reserve(count: number): number {
    const at = this.#rowCount
    this.#rowCount += count
    if (this.#rowCount > this.#offsets.length) {
      const grown = new Float64Array(this.#rowCount * 2)
      grown.set(this.#offsets.subarray(0, at))
      this.#offsets = grown
    }
    return at
  }

  /** What was appended; valid until the next append or clear. */
  rows(): Rows {
    return {
      rowCount: this.#rowCount,
      offsets: this.#offsets,
      columns: this.#builders.map((builder, f) =>
        this.#present[f] ? builder.column() : undefined,
      ),
    }
  }
}
