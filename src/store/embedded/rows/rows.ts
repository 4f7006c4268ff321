// Rows of one series inside the engine, and the two steps by which rows from several places become
// one answer: sort by time (stable, so that later writes stay behind earlier ones), then collapse
// rows of equal time, where the latest value of each field wins. Times are offsets from the start
// of a shard.

import type { Column, FieldType } from '../../../column/column.js'
import { ColumnBuilder, noRow, pickFloats } from './column-builder.js'

export interface Rows {
  readonly rowCount: number
  readonly offsets: Float64Array
  /** One per field asked for; undefined: no row has a value. */
  readonly columns: readonly (Column | undefined)[]
  /** By field, where it is known: no number in the column is larger, either way. */
  readonly magnitudes?: readonly (number | undefined)[]
}

/** Rows `start` up to `stop`, over the same arrays. */
export function slice(rows: Rows, start: number, stop: number): Rows {
  if (start === 0) return { ...rows, rowCount: stop }
  return {
    rowCount: stop - start,
    offsets: rows.offsets.subarray(start, stop),
    columns: rows.columns.map((column) => {
      if (column === undefined) return undefined
      const values = column.values.subarray(start, stop)
      return { ...column, values, validity: column.validity?.subarray(start, stop) } as Column
    }),
  }
}

const noNumbers = new Uint32Array(0)
const noOffsets = new Float64Array(0)

export function isAscending(offsets: Float64Array, start: number, stop: number): boolean {
  for (let i = start + 1; i < stop; i++) if (!(offsets[i - 1] < offsets[i])) return false
  return true
}

/**
 * Sorts rows by time and collapses equal times. Its arrays serve again and again: merging is done series after series,
 * and left to the collector they would be most of a compaction's memory.
 */
export class RowMerger {
  readonly types: readonly FieldType[]
  /** For whoever brings rows together before they are merged. */
  readonly gathered: RowsBuilder
  readonly #merged: RowsBuilder
  // Made when first needed, as most reads never merge: an array costs as much as decoding a hundred values.
  #order = noNumbers
  #spare = noNumbers
  #ends = noNumbers
  #picks = noNumbers

  constructor(types: readonly FieldType[]) {
    this.types = types
    this.gathered = new RowsBuilder(types)
    this.#merged = new RowsBuilder(types)
  }

  /** Rows in any order, later ones winning, as strictly ascending rows; valid until the next call. */
  merge(rows: Rows): Rows {
    const count = rows.rowCount
    if (count === 0 || isAscending(rows.offsets, 0, count)) return rows
    this.#reserve(count)
    this.#sort(rows.offsets, count)
    const groups = this.#group(rows.offsets, count)
    this.#merged.clear()
    this.#merged.appendChosen(rows, groups, (column) =>
      column === undefined || groups === count
        ? this.#lastRows(groups)
        : this.#latestRows(column, groups),
    )
    return this.#merged.rows()
  }

  #reserve(count: number): void {
    if (this.#order.length >= count) return
    this.#order = new Uint32Array(count * 2)
    this.#spare = new Uint32Array(count * 2)
    this.#ends = new Uint32Array(count * 2)
    this.#picks = new Uint32Array(count * 2)
  }

  /**
   * By time, equal times in the order given. Most rows are in order as they came: those that were late, older than one
   * before them, are sorted by themselves and go in between. Of two with the same time the late one came later.
   */
  #sort(offsets: Float64Array, count: number): void {
    const order = this.#order
    const late = this.#spare
    const inOrder = partLate(offsets, count, order, late)
    order.set(late.subarray(0, count - inOrder), inOrder)
    this.#sortLate(offsets, inOrder, count)
    mergeRuns(order, 0, inOrder, count, offsets, this.#spare)
    this.#order = this.#spare
    this.#spare = order
  }

  /** Natural merge sort of a part of the order: quick on a few sorted runs. */
  #sortLate(offsets: Float64Array, start: number, stop: number): void {
    const order = this.#order
    let runs = [start]
    for (let i = start + 1; i < stop; i++) {
      if (offsets[order[i]] < offsets[order[i - 1]]) runs.push(i)
    }
    runs.push(stop)
    while (runs.length > 2) {
      const merged: number[] = []
      for (let r = 0; r + 1 < runs.length; r += 2) {
        const end = runs[r + 2] ?? runs[r + 1]
        merged.push(runs[r])
        mergeRuns(order, runs[r], runs[r + 1], end, offsets, this.#spare)
      }
      merged.push(stop)
      runs = merged
      order.set(this.#spare.subarray(start, stop), start)
    }
  }

  /** Marks where each group of equal times ends in the order; returns how many there are. */
  #group(offsets: Float64Array, count: number): number {
    let groups = 0
    for (let i = 1; i < count; i++) {
      if (offsets[this.#order[i]] !== offsets[this.#order[i - 1]]) this.#ends[groups++] = i
    }
    this.#ends[groups++] = count
    return groups
  }

  #lastRows(groups: number): Uint32Array {
    for (let g = 0; g < groups; g++) this.#picks[g] = this.#order[this.#ends[g] - 1]
    return this.#picks
  }

  /** For each group the last row that has a value. */
  #latestRows({ validity }: Column, groups: number): Uint32Array {
    if (validity === undefined) return this.#lastRows(groups)
    let start = 0
    for (let g = 0; g < groups; g++) {
      let at = this.#ends[g] - 1
      while (at >= start && validity[this.#order[at]] === 0) at--
      this.#picks[g] = at < start ? noRow : this.#order[at]
      start = this.#ends[g]
    }
    return this.#picks
  }
}

/** Parts rows that are older than one before them from the others; answers how many are in order. */
function partLate(
  offsets: Float64Array,
  count: number,
  order: Uint32Array,
  late: Uint32Array,
): number {
  let inOrder = 0
  let lateCount = 0
  let newest = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) {
    if (offsets[i] < newest) {
      late[lateCount++] = i
    } else {
      newest = offsets[i]
      order[inOrder++] = i
    }
  }
  return inOrder
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

/** Rows gathered one after the other from several places. */
export class RowsBuilder {
  readonly types: readonly FieldType[]
  #offsets = noOffsets
  #rowCount = 0
  /** Made when first needed: most reads never bring rows together. */
  readonly #builders: (ColumnBuilder | undefined)[] = []
  readonly #present: boolean[]

  constructor(types: readonly FieldType[]) {
    this.types = types
    this.#present = types.map(() => false)
  }

  get rowCount(): number {
    return this.#rowCount
  }

  /** Rows times fields that have a value, as many as there would be room for at most with `count` of these rows. */
  cellsWith(rows: Rows, count: number): number {
    let columns = 0
    for (const isPresent of this.#present) if (isPresent) columns++
    for (const column of rows.columns) if (column !== undefined) columns++
    return (this.#rowCount + count) * Math.min(columns, this.types.length)
  }

  /**
   * Arrays stay for fields that were just there. Of ten thousand fields with a value now and then, those of each that
   * was ever met would be hundreds of times what the rows take.
   */
  clear(): void {
    this.#rowCount = 0
    for (let f = 0; f < this.#builders.length; f++) {
      if (this.#present[f]) this.#builders[f]?.clear()
      else this.#builders[f] = undefined
    }
    this.#present.fill(false)
  }

  /** Appends rows `start` up to `stop`; `shift` is added to their offsets. */
  append(rows: Rows, start: number, stop: number, shift = 0): void {
    const count = stop - start
    const at = this.#reserve(count)
    if (shift === 0) this.#offsets.set(rows.offsets.subarray(start, stop), at)
    else for (let i = 0; i < count; i++) this.#offsets[at + i] = rows.offsets[start + i] + shift
    for (let f = 0; f < this.types.length; f++) this.#appendColumn(f, rows, start, stop, at)
  }

  /** Appends `count` rows, from places that `choose` tells: for the times (undefined) and for each column. */
  appendChosen(
    rows: Rows,
    count: number,
    choose: (column: Column | undefined) => Uint32Array,
  ): void {
    const at = this.#reserve(count)
    pickFloats(rows.offsets, choose(undefined), count, this.#offsets, at)
    for (let f = 0; f < this.types.length; f++) {
      const column = rows.columns[f]
      if (column !== undefined) this.#begin(f, at).appendPicked(column, choose(column), count)
      else if (this.#present[f]) this.#builders[f]?.appendNulls(count)
    }
  }

  #appendColumn(f: number, rows: Rows, start: number, stop: number, at: number): void {
    const column = rows.columns[f]
    if (column !== undefined) this.#begin(f, at).append(column, start, stop)
    else if (this.#present[f]) this.#builders[f]?.appendNulls(stop - start)
  }

  /** The builder of a field; rows from before it had a value get gaps. */
  #begin(f: number, at: number): ColumnBuilder {
    const builder = this.#builders[f] ?? new ColumnBuilder(this.types[f])
    this.#builders[f] = builder
    if (!this.#present[f]) {
      this.#present[f] = true
      builder.appendNulls(at)
    }
    return builder
  }

  /** Makes room for `count` rows and returns the first. */
  #reserve(count: number): number {
    const at = this.#rowCount
    this.#rowCount += count
    if (this.#rowCount > this.#offsets.length) {
      const grown = new Float64Array(Math.max(64, this.#rowCount * 2))
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
      columns: this.types.map((_, f) =>
        this.#present[f] ? this.#builders[f]?.column() : undefined,
      ),
    }
  }
}
