// A table with few rows since the last flush, as most are where there are many measurements: its rows lie in a slab
// that it shares with others. It is a number of numbers and nothing more; what is asked of it is read out of the slab.

import { type BufferSource, heapBuffers } from './buffer-pool.js'
import {
  type FrozenTable,
  MemTable,
  type SeriesRead,
  type SeriesTable,
  type ShardTable,
} from './memtable.js'
import { boundsOf, type OffsetBounds, pickRows } from './picked-rows.js'
import type { Rows } from './rows.js'
import { SlabPages } from './slab-pages.js'
import { SlabRows } from './slab-rows.js'

/** The small tables of one shard: their pages, and the rows of the one that was read last. */
export class Slab {
  readonly pages = new SlabPages()
  readonly #buffers: BufferSource
  #opened: { readonly last: number; readonly rows: SlabRows } | undefined

  constructor(buffers: BufferSource) {
    this.#buffers = buffers
  }

  append(table: ShardTable, before: number, cells: number): number {
    return this.pages.append(table, before, cells, this.#buffers)
  }

  /** A read asks for a table's series one after the other. */
  rows({ last, rowCount }: { readonly last: number; readonly rowCount: number }): SlabRows {
    if (this.#opened?.last !== last) {
      this.#opened = { last, rows: new SlabRows(this.pages, last, rowCount) }
    }
    return this.#opened.rows
  }

  free(): void {
    this.#opened = undefined
    this.pages.free(this.#buffers)
  }
}

export class SmallTable implements SeriesTable {
  readonly measurementId: number
  rowCount = 0
  minOffset = Number.POSITIVE_INFINITY
  maxOffset = Number.NEGATIVE_INFINITY
  byteLength = 0
  /** Address + 1 of its newest chunk. */
  last = 0
  readonly #slab: Slab

  constructor(measurementId: number, slab: Slab) {
    this.measurementId = measurementId
    this.#slab = slab
  }

  /** `cells`: what the rows take. */
  append(table: ShardTable, cells: number): void {
    this.last = this.#slab.append(table, this.last, cells) + 1
    this.rowCount += table.rowCount
    this.byteLength += 8 * cells
    for (let row = 0; row < table.rowCount; row++) {
      const offset = table.offsets[row]
      if (offset < this.minOffset) this.minOffset = offset
      if (offset > this.maxOffset) this.maxOffset = offset
    }
  }

  /** All its rows in one piece, for a table with arrays of its own. */
  table(): ShardTable {
    return this.#slab.rows(this).table(this.measurementId)
  }

  seriesIds(): Uint32Array {
    return Uint32Array.from(new Set(this.#slab.rows(this).series))
  }

  hasSeries(series: number): boolean {
    return this.#slab.rows(this).series.includes(series)
  }

  rowsMax(): number {
    return this.rowCount
  }

  boundsOf(series: number, within: OffsetBounds): OffsetBounds | undefined {
    const rows = this.#slab.rows(this)
    return boundsOf(picksOf(rows, series, within), rows.offsets)
  }

  hasField(fieldId: number): boolean {
    const rows = this.#slab.rows(this)
    const type = rows.fields().get(fieldId)
    if (type === undefined) return false
    return rows.column(fieldId, type)?.validity?.includes(1) ?? true
  }

  readSeries(series: number, wanted: SeriesRead): Rows {
    const { fieldIds, types } = wanted
    const rows = this.#slab.rows(this)
    const columns = fieldIds.map((fieldId, f) => rows.column(fieldId, types[f]))
    return pickRows(picksOf(rows, series, wanted), rows.offsets, columns, types)
  }

  /** In arrays of its own, which another thread gets as copies: they are small. */
  freeze(): FrozenTable {
    const table = this.table()
    const types = this.#slab.rows(this).fields()
    const memtable = new MemTable(this.measurementId, heapBuffers, this.rowCount)
    memtable.append(table, (fieldId) => types.get(fieldId)!)
    return memtable.freeze()
  }
}

/** The rows of a series that lie within bounds. */
function picksOf(
  { rowCount, series: ofRows, offsets }: SlabRows,
  series: number,
  { minOffset, maxOffset }: OffsetBounds,
): Uint32Array {
  const picks = new Uint32Array(rowCount)
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    if (ofRows[row] !== series) continue
    if (offsets[row] >= minOffset && offsets[row] <= maxOffset) picks[count++] = row
  }
  return picks.subarray(0, count)
}
