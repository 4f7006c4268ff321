// A generation of memtables: everything written between two flushes, by bucket, shard and
// measurement. It counts its bytes, and gives its memory back when it is flushed and nobody reads
// it. A table begins small, in the slab that a shard's small tables share, and gets arrays of its
// own once it has many rows.

import type { BufferSource } from '../rows/buffer-pool.js'
import { MemTable, type SeriesTable, type ShardTable } from '../rows/memtable.js'
import { chunkCells, chunkCellsMax } from '../rows/slab-pages.js'
import { Slab, SmallTable } from '../rows/small-table.js'
import type { Bucket, Shard } from './bucket.js'

export interface ShardTables {
  readonly bucket: Bucket
  readonly shard: Shard
  /** Of the small ones. */
  readonly slab: Slab
  readonly tables: Map<number, MemTable | SmallTable>
}

/** Generations differ a little in size: growing for the last few rows would double the arrays. */
const spareRoom = 1.125

/** A table with more of the generation is not small: what it had in the slab lies there unused once it has moved. */
const smallShare = 1 / 16

/** Below this a table's share of the generation says little. */
const reserveRowsMin = 2048

export type RowCounts = ReadonlyMap<Shard, ReadonlyMap<number, number>>

export interface GenerationLimits {
  /** At this size it is flushed. */
  readonly memtableBytesMax: number
  /** A table with more rows gets arrays of its own. */
  readonly smallRowsMax: number
}

export class Generation {
  readonly #shards = new Map<Shard, ShardTables>()
  readonly #buffers: BufferSource
  readonly #limits: GenerationLimits
  readonly #before: RowCounts | undefined
  #byteLength = 0
  #rowCount = 0
  #users = 0
  #retired = false

  /** What the generation before held is what this one is expected to hold. */
  constructor(buffers: BufferSource, limits: GenerationLimits, before?: RowCounts) {
    this.#buffers = buffers
    this.#limits = limits
    this.#before = before
  }

  /** Rows by shard and measurement, of those that are not small. */
  rowCounts(): RowCounts {
    const counts = new Map<Shard, Map<number, number>>()
    for (const { shard, tables } of this.#shards.values()) {
      const ofShard = new Map<number, number>()
      for (const [id, table] of tables) {
        if (table instanceof MemTable) ofShard.set(id, table.rowCount)
      }
      counts.set(shard, ofShard)
    }
    return counts
  }

  /** A read holds on to the rows. */
  acquire(): void {
    this.#users++
  }

  release(): void {
    this.#users--
    this.#freeIfUnused()
  }

  /** The rows are in segments: their memory is given back once nobody reads them any more. */
  retire(): void {
    this.#retired = true
    this.#freeIfUnused()
  }

  #freeIfUnused(): void {
    if (!this.#retired || this.#users > 0) return
    for (const { tables, slab } of this.#shards.values()) {
      for (const table of tables.values()) if (table instanceof MemTable) table.free()
      slab.free()
    }
    this.#shards.clear()
  }

  get byteLength(): number {
    return this.#byteLength
  }

  get rowCount(): number {
    return this.#rowCount
  }

  get isEmpty(): boolean {
    return this.#rowCount === 0
  }

  append(bucket: Bucket, shard: Shard, table: ShardTable): void {
    let entry = this.#shards.get(shard)
    if (entry === undefined) {
      entry = { bucket, shard, slab: new Slab(this.#buffers), tables: new Map() }
      this.#shards.set(shard, entry)
    }
    this.#rowCount += table.rowCount
    const known = entry.tables.get(table.measurementId)
    if (known instanceof MemTable) this.#appendTo(known, bucket, table)
    else if (!this.#appendSmall(entry, known, table)) {
      const memtable = this.#makeTable(entry, table)
      if (known !== undefined) this.#appendTo(memtable, bucket, known.table())
      this.#appendTo(memtable, bucket, table)
    }
  }

  /** False: these are too many rows, or too large ones. */
  #appendSmall(entry: ShardTables, known: SmallTable | undefined, table: ShardTable): boolean {
    const { measurementId, rowCount } = table
    if ((known?.rowCount ?? 0) + rowCount > this.#limits.smallRowsMax) return false
    if (known === undefined && this.#expected(entry.shard, measurementId) > 0) return false
    const cells = chunkCells(table)
    const bytes = (known?.byteLength ?? 0) + 8 * cells
    if (cells > chunkCellsMax || bytes > this.#limits.memtableBytesMax * smallShare) return false
    const small = known ?? new SmallTable(measurementId, entry.slab)
    if (known === undefined) entry.tables.set(measurementId, small)
    small.append(table, cells)
    this.#byteLength += 8 * cells
    return true
  }

  #makeTable({ shard, tables }: ShardTables, { measurementId }: ShardTable): MemTable {
    const rows = Math.ceil(this.#expected(shard, measurementId) * spareRoom)
    const memtable = new MemTable(measurementId, this.#buffers, rows)
    tables.set(measurementId, memtable)
    return memtable
  }

  #expected(shard: Shard, measurementId: number): number {
    return this.#before?.get(shard)?.get(measurementId) ?? 0
  }

  #appendTo(memtable: MemTable, bucket: Bucket, table: ShardTable): void {
    this.#reserve(memtable, table.rowCount)
    const before = memtable.byteLength
    const { fields } = bucket.index.measurementOf(table.measurementId)
    memtable.append(table, (fieldId) => fields[fieldId].type)
    this.#byteLength += memtable.byteLength - before
  }

  /**
   * A table that outgrows its arrays gets room for its share of a full generation. Doubling up to there would leave as
   * much memory behind as the generation takes.
   */
  #reserve(memtable: MemTable, rowCount: number): void {
    const needed = memtable.rowCount + rowCount
    if (needed <= memtable.capacity || memtable.rowCount < reserveRowsMin) return
    const share = (memtable.rowCount / this.#byteLength) * this.#limits.memtableBytesMax
    memtable.reserve(Math.ceil(Math.max(needed, share) * spareRoom))
  }

  table(shard: Shard, measurementId: number): SeriesTable | undefined {
    return this.#shards.get(shard)?.tables.get(measurementId)
  }

  entries(): Iterable<ShardTables> {
    return this.#shards.values()
  }
}
