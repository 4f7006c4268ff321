// A frozen memtable as a read wants it: its rows by series. A memtable finds them by its chains;
// here they are sorted once, by counting, when the first series is asked for.

import { type FrozenTable, hasValue, type SeriesRead, type SeriesTable } from '../rows/memtable.js'
import { boundsOf, endOf, type OffsetBounds, pickRows } from '../rows/picked-rows.js'
import type { Rows } from '../rows/rows.js'

export class FrozenSeries implements SeriesTable {
  readonly minOffset: number
  readonly maxOffset: number
  readonly #table: FrozenTable
  readonly #slotOf = new Map<number, number>()
  /** Rows by slot, each slot's in the order of arrival, and where each slot's begin. */
  #rows: Uint32Array | undefined
  readonly #starts: Uint32Array

  constructor(table: FrozenTable, minOffset: number, maxOffset: number) {
    this.#table = table
    this.minOffset = minOffset
    this.maxOffset = maxOffset
    this.#starts = new Uint32Array(table.seriesCount + 1)
  }

  get rowCount(): number {
    return this.#table.rowCount
  }

  seriesIds(): Uint32Array {
    return this.#table.slotSeries.subarray(0, this.#table.seriesCount)
  }

  hasSeries(series: number): boolean {
    this.#rows ??= this.#sort()
    return this.#slotOf.has(series)
  }

  hasField(fieldId: number): boolean {
    return hasValue(this.#table.columns[fieldId], this.#table.rowCount)
  }

  readSeries(series: number, wanted: SeriesRead): Rows {
    const { offsets, columns } = this.#table
    const picks = endOf(this.#rowsOf(series, wanted), offsets, wanted.end)
    const ofFields = wanted.fieldIds.map((id) => columns[id])
    return pickRows(picks, offsets, ofFields, wanted.types)
  }

  rowsMax(series: number): number {
    return this.#allRowsOf(series).length
  }

  boundsOf(series: number, within: OffsetBounds): OffsetBounds | undefined {
    return boundsOf(this.#rowsOf(series, within), this.#table.offsets)
  }

  #allRowsOf(series: number): Uint32Array {
    this.#rows ??= this.#sort()
    const slot = this.#slotOf.get(series)
    return slot === undefined
      ? new Uint32Array(0)
      : this.#rows.subarray(this.#starts[slot], this.#starts[slot + 1])
  }

  /** In order of arrival. */
  #rowsOf(series: number, { minOffset, maxOffset }: OffsetBounds): Uint32Array {
    const rows = this.#allRowsOf(series)
    if (minOffset <= this.minOffset && maxOffset >= this.maxOffset) return rows
    const { offsets } = this.#table
    return rows.filter((row) => offsets[row] >= minOffset && offsets[row] <= maxOffset)
  }

  #sort(): Uint32Array {
    const { rowCount, seriesCount, slots, slotSeries } = this.#table
    const starts = this.#starts
    for (let row = 0; row < rowCount; row++) starts[slots[row] + 1]++
    for (let slot = 0; slot < seriesCount; slot++) {
      starts[slot + 1] += starts[slot]
      this.#slotOf.set(slotSeries[slot], slot)
    }
    const next = starts.slice()
    const rows = new Uint32Array(rowCount)
    for (let row = 0; row < rowCount; row++) rows[next[slots[row]]++] = row
    return rows
  }

  freeze(): FrozenTable {
    return this.#table
  }
}
