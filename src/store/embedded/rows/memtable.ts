// What was written since the last flush, readable as soon as it is there: per bucket, shard and measurement the
// columns in the order of arrival, plus a chain of rows for each series, so that appending is a
// copy of arrays and two stores per row, and a read of one series touches its own rows only.
//
// A generation is everything between two flushes. It is frozen as a whole, handed to the flush as
// arrays (shared ones where a worker does it), and dropped when its segments are in the manifest.

import type { Column, FieldType } from '../../../column/column.js'
import type { BufferSource } from './buffer-pool.js'
import { ColumnBuilder, grownCapacity } from './column-builder.js'
import { greatestOf, leastOf } from './extremes.js'
import { boundsOf, endOf, type OffsetBounds, pickRows, type WantedEnd } from './picked-rows.js'
import type { Rows } from './rows.js'

/** Tables with so many fields grow by a quarter. */
const wideColumns = 256
const manyColumns = 512

const noPicks = new Uint32Array(0)
const noRows: Rows = { rowCount: 0, offsets: new Float64Array(0), columns: [] }

/** Points of one measurement that lie in one shard, as WAL and memtable take them. */
export interface ShardTable {
  readonly measurementId: number
  readonly rowCount: number
  /** The bucket's number of each row's series. */
  readonly series: Uint32Array
  /** From the start of the shard. */
  readonly offsets: Float64Array
  readonly fields: readonly { readonly fieldId: number; readonly column: Column }[]
}

/** A table's arrays, for a flush here or on another thread. */
export interface FrozenTable {
  readonly measurementId: number
  readonly rowCount: number
  readonly seriesCount: number
  /** By slot: the series' number. */
  readonly slotSeries: Uint32Array
  readonly slots: Uint32Array
  readonly offsets: Float64Array
  /** By field number; undefined: no row has it. */
  readonly columns: readonly (Column | undefined)[]
}

/** What is read of a series: fields by number, and rows within bounds. */
export interface SeriesRead extends OffsetBounds {
  readonly fieldIds: readonly number[]
  readonly types: readonly FieldType[]
  readonly end: WantedEnd | undefined
}

/** Rows that are not in a segment yet, as a read wants them. */
export interface SeriesTable {
  readonly rowCount: number
  readonly minOffset: number
  readonly maxOffset: number
  /** The numbers of the series that have rows here; valid until the next append. */
  seriesIds(): Uint32Array
  hasSeries(series: number): boolean
  /** It has so many rows here at most. */
  rowsMax(series: number): number
  /** Of its rows within bounds the first and the last; undefined: there are none. */
  boundsOf(series: number, within: OffsetBounds): OffsetBounds | undefined
  /** Whether a row has the field (by number). */
  hasField(fieldId: number): boolean
  /** Rows of a series so far, sorted and collapsed. */
  readSeries(series: number, wanted: SeriesRead): Rows
  freeze(): FrozenTable
}

/** Series of a table get slots in the order they come; an open-addressing table finds them. */
export class MemTable implements SeriesTable {
  readonly measurementId: number
  rowCount = 0
  seriesCount = 0
  minOffset = Number.POSITIVE_INFINITY
  maxOffset = Number.NEGATIVE_INFINITY
  readonly #buffers: BufferSource
  #rowsExpected: number
  #lookup = new Uint32Array(128)
  #slotSeries: Uint32Array
  /** By slot: its newest row + 1, and how many rows it has. */
  #heads = new Uint32Array(64)
  #counts = new Uint32Array(64)
  #slots: Uint32Array
  /** By row: the series' row before it + 1. */
  #previous: Uint32Array
  #offsets: Float64Array
  #picks = noPicks
  readonly #columns: (ColumnBuilder | undefined)[] = []
  /** Those that there are: a measurement may have a hundred thousand fields, and few of them here. */
  readonly #builders: ColumnBuilder[] = []

  /** `rowsExpected`: so many rows get room in one go, without copies on the way. */
  constructor(measurementId: number, buffers: BufferSource, rowsExpected: number) {
    this.measurementId = measurementId
    this.#buffers = buffers
    this.#rowsExpected = Math.max(64, rowsExpected)
    this.#slotSeries = new Uint32Array(buffers.allocate(64 * 4))
    const rows = this.#rowsExpected
    // Lengths are given: a buffer from the pool may be larger, and these three must grow together.
    this.#slots = new Uint32Array(buffers.allocate(rows * 4), 0, rows)
    this.#previous = new Uint32Array(buffers.allocate(rows * 4), 0, rows)
    this.#offsets = new Float64Array(buffers.allocate(rows * 8), 0, rows)
  }

  /** Gives the memory back; the table must not be used again. */
  free(): void {
    for (const array of [this.#slotSeries, this.#slots, this.#previous, this.#offsets]) {
      this.#buffers.free(array.buffer)
    }
    for (const column of this.#builders) column.free()
  }

  /**
   * Bytes in use, by rows and not by capacity: pages that were never touched are not there. Of many small columns there
   * is hardly a page that was not, and each has objects here and where it is flushed: they count twice.
   */
  get byteLength(): number {
    let perRow = 4 + 4 + 8
    let dictionaries = 0
    for (const column of this.#builders) {
      if (column.type === 'string') dictionaries += column.byteLength
      else perRow += column.type === 'boolean' ? 2 : 9
    }
    const bytes = this.rowCount * perRow + this.seriesCount * 20 + dictionaries
    return this.#builders.length < manyColumns ? bytes : 2 * bytes
  }

  append(table: ShardTable, types: (fieldId: number) => FieldType): void {
    const at = this.rowCount
    this.#appendRows(table)
    for (const { fieldId, column } of table.fields) {
      let builder = this.#columns[fieldId]
      if (builder === undefined) {
        builder = new ColumnBuilder(types(fieldId), this.#buffers, this.#rowsExpected)
        builder.appendNulls(at)
        this.#columns[fieldId] = builder
        this.#builders.push(builder)
      }
      builder.append(column, 0, table.rowCount)
    }
    for (const each of this.#builders) each.appendNulls(this.rowCount - each.length)
  }

  #appendRows(table: ShardTable): void {
    const at = this.rowCount
    const { rowCount } = table
    this.rowCount += rowCount
    if (this.rowCount > this.#slots.length) this.#makeRoom()
    this.#offsets.set(table.offsets.subarray(0, rowCount), at)
    this.minOffset = leastOf(table.offsets, rowCount, this.minOffset)
    this.maxOffset = greatestOf(table.offsets, rowCount, this.maxOffset)
    this.#findSlots(table.series, rowCount, at)
    chainRows(this.#slots, at, at + rowCount, this.#previous, this.#heads, this.#counts)
  }

  /**
   * The slot of each row. Series mostly come in the order in which they came first: the slot after that of the row
   * before is looked at before it is searched for.
   */
  #findSlots(series: Uint32Array, count: number, at: number): void {
    let slot = -1
    for (let i = 0; i < count; i++) {
      const next = slot + 1
      const isNext = next < this.seriesCount && this.#slotSeries[next] === series[i]
      slot = isNext ? next : this.#slotOf(series[i])
      this.#slots[at + i] = slot
    }
  }

  /** For the rows that there are now. Doubling would leave half of a thousand columns empty. */
  #makeRoom(): void {
    const { length } = this.#slots
    if (this.#builders.length < wideColumns) {
      this.#resizeRows(grownCapacity(length, this.rowCount))
      return
    }
    this.reserve(Math.max(this.rowCount, length + (length >>> 2)))
  }

  /** Fields that a row has. */
  get columnCount(): number {
    return this.#builders.length
  }

  get capacity(): number {
    return this.#slots.length
  }

  /** Makes room for so many rows in one go, instead of by doubling again and again. */
  reserve(rowCount: number): void {
    this.#rowsExpected = rowCount
    this.#resizeRows(rowCount)
    for (const column of this.#builders) column.reserve(rowCount)
  }

  #resizeRows(capacity: number): void {
    this.#slots = this.#grown(this.#slots, capacity)
    this.#previous = this.#grown(this.#previous, capacity)
    this.#offsets = this.#grown(this.#offsets, capacity)
  }

  #grown<T extends Uint32Array | Float64Array>(array: T, capacity: number): T {
    const kind = array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => T
    const buffer = this.#buffers.allocate(capacity * array.BYTES_PER_ELEMENT)
    const larger = new kind(buffer, 0, capacity)
    larger.set(array)
    this.#buffers.free(array.buffer)
    return larger
  }

  #slotOf(series: number): number {
    const mask = this.#lookup.length - 1
    let at = Math.imul(series, 0x9e3779b1) & mask
    for (;;) {
      const entry = this.#lookup[at]
      if (entry === 0) return this.#addSlot(series, at)
      if (this.#slotSeries[entry - 1] === series) return entry - 1
      at = (at + 1) & mask
    }
  }

  #addSlot(series: number, at: number): number {
    const slot = this.seriesCount++
    if (slot === this.#slotSeries.length) this.#growSlots()
    this.#slotSeries[slot] = series
    this.#lookup[at] = slot + 1
    if (this.seriesCount * 2 > this.#lookup.length) this.#growLookup()
    return slot
  }

  #growSlots(): void {
    const capacity = this.#slotSeries.length * 2
    this.#slotSeries = this.#grown(this.#slotSeries, capacity)
    const heads = new Uint32Array(capacity)
    heads.set(this.#heads)
    this.#heads = heads
    const counts = new Uint32Array(capacity)
    counts.set(this.#counts)
    this.#counts = counts
  }

  #growLookup(): void {
    const mask = this.#lookup.length * 2 - 1
    this.#lookup = new Uint32Array(mask + 1)
    for (let slot = 0; slot < this.seriesCount; slot++) {
      let at = Math.imul(this.#slotSeries[slot], 0x9e3779b1) & mask
      while (this.#lookup[at] !== 0) at = (at + 1) & mask
      this.#lookup[at] = slot + 1
    }
  }

  seriesIds(): Uint32Array {
    return this.#slotSeries.subarray(0, this.seriesCount)
  }

  hasSeries(series: number): boolean {
    return this.#findSlot(series) >= 0
  }

  rowsMax(series: number): number {
    const slot = this.#findSlot(series)
    return slot < 0 ? 0 : this.#counts[slot]
  }

  boundsOf(series: number, within: OffsetBounds): OffsetBounds | undefined {
    return boundsOf(this.#rowsOf(series, within), this.#offsets)
  }

  /** -1: the series has no rows here. */
  #findSlot(series: number): number {
    const mask = this.#lookup.length - 1
    let at = Math.imul(series, 0x9e3779b1) & mask
    for (;;) {
      const slot = this.#lookup[at] - 1
      if (slot < 0 || this.#slotSeries[slot] === series) return slot
      at = (at + 1) & mask
    }
  }

  /** Whether there is room for the field. */
  hasColumn(fieldId: number): boolean {
    return this.#columns[fieldId] !== undefined
  }

  hasField(fieldId: number): boolean {
    return hasValue(this.#columns[fieldId]?.column(), this.rowCount)
  }

  readSeries(series: number, wanted: SeriesRead): Rows {
    const picks = endOf(this.#rowsOf(series, wanted), this.#offsets, wanted.end)
    if (picks.length === 0) return noRows
    const columns = wanted.fieldIds.map((fieldId) => this.#columns[fieldId]?.column())
    return pickRows(picks, this.#offsets, columns, wanted.types)
  }

  /** In order of arrival; valid until the next call. */
  #rowsOf(series: number, { minOffset, maxOffset }: OffsetBounds): Uint32Array {
    const slot = this.#findSlot(series)
    if (slot < 0) return noPicks
    const count = this.#counts[slot]
    if (this.#picks.length < count) this.#picks = new Uint32Array(2 * count)
    const picks = this.#picks
    let start = count
    for (let row = this.#heads[slot]; row !== 0; row = this.#previous[row - 1]) {
      const offset = this.#offsets[row - 1]
      if (offset >= minOffset && offset <= maxOffset) picks[--start] = row - 1
    }
    return picks.subarray(start, count)
  }

  freeze(): FrozenTable {
    return {
      measurementId: this.measurementId,
      rowCount: this.rowCount,
      seriesCount: this.seriesCount,
      slotSeries: this.#slotSeries,
      slots: this.#slots,
      offsets: this.#offsets,
      columns: Array.from(this.#columns, (builder) => builder?.column()),
    }
  }
}

/** Puts the rows from `start` to `stop` at the ends of the chains of their series. By itself as in `extremes.ts`. */
function chainRows(
  slots: Uint32Array,
  start: number,
  stop: number,
  previous: Uint32Array,
  heads: Uint32Array,
  counts: Uint32Array,
): void {
  for (let row = start; row < stop; row++) {
    const slot = slots[row]
    previous[row] = heads[slot]
    heads[slot] = row + 1
    counts[slot]++
  }
}

/** Whether any of the rows has a value: mostly the first has. */
export function hasValue(column: Column | undefined, rowCount: number): boolean {
  if (column === undefined) return false
  return column.validity === undefined || column.validity.subarray(0, rowCount).includes(1)
}
