// Flush: the memtables of one shard become one segment. Runs on a worker or, for a disk in memory,
// where it is called. It sees only arrays, keys and a path.

import type { Column, FieldType } from '../../../column/column.js'
import type { Disk } from '../../../platform/disk.js'
import { sortByKey } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { BufferPool } from '../rows/buffer-pool.js'
import { ColumnBuilder } from '../rows/column-builder.js'
import type { FrozenTable } from '../rows/memtable.js'
import { RowMerger, type Rows, slice } from '../rows/rows.js'
import type { FieldEntry } from '../segment/directory.js'
import { type SegmentSummary, SegmentWriter } from '../segment/writer.js'
import { SmallFlush, type SmallTables, unpackSmallTables } from './small-flush.js'

/** Rows brought together at a time: bounds the memory that a flush takes on top of the memtable. */
const chunkRows = 1 << 15

/** Of strings and of columns with gaps: a few chunks' worth. Left to the worker's collector it would be 100 MB. */
const spareBytesMax = 4 << 20

const keptColumnsMax = 256

/** Arrays that a flush sorts rows into, kept from one to the next. Two flushes at a time need one each. */
export class FlushScratch {
  readonly #numbers: Float64Array[] = []
  readonly buffers = new BufferPool({ shared: false, spareBytesMax })

  /** Of thousands of fields nothing is kept for the next flush, which most likely has others. */
  trim(): void {
    if (this.#numbers.length > keptColumnsMax) this.#numbers.length = keptColumnsMax
  }

  numbers(position: number, count: number): Float64Array {
    const known = this.#numbers[position]
    if (known === undefined || known.length < count) {
      // Of thousands of fields with few rows each, room for all rows of a chunk would be gigabytes.
      const spare = position < keptColumnsMax ? Math.min(count * 2, chunkRows) : 0
      this.#numbers[position] = new Float64Array(Math.max(count, spare))
    }
    return this.#numbers[position]
  }
}

export interface FlushTable {
  readonly measurement: string
  /** Those of the table's columns, in the same order. */
  readonly fields: readonly FieldEntry[]
  readonly table: FrozenTable
}

export interface FlushJob {
  readonly path: string
  readonly base: bigint
  /** Number of the one in force. */
  readonly manifest: number
  readonly keys: SeriesKeyView
  readonly tables: readonly FlushTable[]
  /** Those that share a slab. */
  readonly small: SmallTables
}

export async function runFlush(
  disk: Disk,
  job: FlushJob,
  scratch: FlushScratch,
): Promise<SegmentSummary> {
  const file = await disk.open(job.path, 'create')
  try {
    const writer = new SegmentWriter(file, job.base, job.manifest)
    // Measurements in the order of their names, as series in the order of their keys would have them.
    const tables = [...job.tables, ...unpackSmallTables(job.small)]
    tables.sort((a, b) => (a.measurement < b.measurement ? -1 : 1))
    for (const table of tables) {
      if (table instanceof SmallFlush) await table.write(writer, job.keys)
      else await writeTable(writer, table, job.keys, scratch)
    }
    return await writer.finish()
  } finally {
    scratch.trim()
    await file.close()
  }
}

async function writeTable(
  writer: SegmentWriter,
  { measurement, fields, table }: FlushTable,
  keys: SeriesKeyView,
  scratch: FlushScratch,
): Promise<void> {
  writer.beginMeasurement(measurement, fields)
  const order = slotsInKeyOrder(table, keys)
  const counts = rowCounts(table)
  const chunks = chunksOf(order, counts)
  const sorter = new RowSorter(table, scratch, chunks)
  for (const chunk of chunks) await writeChunk(writer, sorter, chunk, counts)
  sorter.free()
}

/** Series that are brought together at a time, how many rows they have, and how many those of the chunks before. */
interface Chunk {
  readonly slots: Uint32Array
  readonly rowCount: number
  readonly start: number
}

function chunksOf(order: Uint32Array, counts: Uint32Array): Chunk[] {
  const chunks: Chunk[] = []
  let start = 0
  for (let first = 0; first < order.length; ) {
    let stop = first
    let rowCount = 0
    while (stop < order.length && (stop === first || rowCount + counts[order[stop]] <= chunkRows)) {
      rowCount += counts[order[stop++]]
    }
    chunks.push({ slots: order.subarray(first, stop), rowCount, start })
    first = stop
    start += rowCount
  }
  return chunks
}

function slotsInKeyOrder(table: FrozenTable, keys: SeriesKeyView): Uint32Array {
  const order = table.slotSeries.slice(0, table.seriesCount)
  const slotOf = new Map<number, number>()
  for (let slot = 0; slot < order.length; slot++) slotOf.set(order[slot], slot)
  sortByKey(order, keys)
  return order.map((series) => slotOf.get(series)!)
}

function rowCounts(table: FrozenTable): Uint32Array {
  const counts = new Uint32Array(table.seriesCount)
  for (let row = 0; row < table.rowCount; row++) counts[table.slots[row]]++
  return counts
}

async function writeChunk(
  writer: SegmentWriter,
  sorter: RowSorter,
  chunk: Chunk,
  counts: Uint32Array,
): Promise<void> {
  const rows = sorter.sort(chunk, counts)
  let start = 0
  for (const slot of chunk.slots) {
    const stop = start + counts[slot]
    const ofSeries = slice(rows, start, stop)
    await writer.addSeries(sorter.table.slotSeries[slot], sorter.merger.merge(ofSeries))
    start = stop
  }
}

/**
 * Brings the rows of some series together, series by series, each in the order of arrival. Rows of a series lie far
 * apart in the table: fetching them one series at a time misses the cache with every value (80 ns each). So a column is
 * read from front to back, and its values are dealt out to the series' places, which are few enough to stay in cache.
 */
class RowSorter {
  readonly table: FrozenTable
  readonly merger: RowMerger
  readonly #scratch: FlushScratch
  /** By slot: where its next row goes. */
  readonly #next: Uint32Array
  /** The table's rows chunk by chunk, rising within each. */
  readonly #rows: Uint32Array
  #to = new Uint32Array(0)
  #picks = new Uint32Array(0)
  readonly #columns: readonly Column[]
  /** Of the rows that were sorted last. */
  readonly #builders: ColumnBuilder[] = []

  constructor(table: FrozenTable, scratch: FlushScratch, chunks: readonly Chunk[]) {
    this.table = table
    this.#scratch = scratch
    this.#columns = table.columns.filter((column) => column !== undefined)
    this.merger = new RowMerger(this.#columns.map(({ type }): FieldType => type))
    this.#next = new Uint32Array(table.seriesCount)
    this.#rows = new Uint32Array(table.rowCount)
    this.#cut(chunks)
  }

  #cut(chunks: readonly Chunk[]): void {
    const chunkOf = new Uint32Array(this.table.seriesCount)
    const next = Uint32Array.from(chunks, ({ start }) => start)
    for (const [index, { slots }] of chunks.entries()) {
      for (const slot of slots) chunkOf[slot] = index
    }
    const rows = this.#rows
    const { slots, rowCount } = this.table
    for (let row = 0; row < rowCount; row++) rows[next[chunkOf[slots[row]]]++] = row
  }

  /** The arrays are used again by the next call. */
  sort({ slots, rowCount, start }: Chunk, counts: Uint32Array): Rows {
    this.free()
    const from = this.#rows.subarray(start, start + rowCount)
    this.#deal(from, slots, counts)
    const offsets = this.#scratch.numbers(0, rowCount)
    scatter(this.table.offsets, from, this.#to, offsets)
    const columns = this.#columns.map((column, f) => this.#column(column, f, from))
    return { rowCount, offsets, columns }
  }

  /** What was sorted last is written. */
  free(): void {
    for (const builder of this.#builders.splice(0)) builder.free()
  }

  /** Row from[i] goes to place to[i]. */
  #deal(from: Uint32Array, slots: Uint32Array, counts: Uint32Array): void {
    if (this.#to.length < from.length) {
      this.#to = new Uint32Array(from.length)
      this.#picks = new Uint32Array(from.length)
    }
    const next = this.#next
    let place = 0
    for (const slot of slots) {
      next[slot] = place
      place += counts[slot]
    }
    const to = this.#to
    const { slots: slotOfRow } = this.table
    for (let i = 0; i < from.length; i++) to[i] = next[slotOfRow[from[i]]]++
  }

  #column(column: Column, f: number, from: Uint32Array): Column {
    if (column.values instanceof Float64Array && column.validity === undefined) {
      const values = this.#scratch.numbers(f + 1, from.length)
      scatter(column.values, from, this.#to, values)
      return { ...column, values } as Column
    }
    for (let i = 0; i < from.length; i++) this.#picks[this.#to[i]] = from[i]
    const builder = new ColumnBuilder(column.type, this.#scratch.buffers, from.length)
    this.#builders.push(builder)
    builder.appendPicked(column, this.#picks, from.length)
    return builder.column()
  }
}

function scatter(
  values: Float64Array,
  from: Uint32Array,
  to: Uint32Array,
  out: Float64Array,
): void {
  for (let i = 0; i < from.length; i++) out[to[i]] = values[from[i]]
}
