// A generation of memtables: everything written between two flushes, by bucket, shard and
// measurement. It counts its bytes, and gives its memory back when it is flushed and nobody reads
// it.

import type { BufferSource } from '../rows/buffer-pool.js'
import { MemTable, type ShardTable } from '../rows/memtable.js'
import type { Bucket, Shard } from './bucket.js'

export interface ShardTables {
  readonly bucket: Bucket
  readonly shard: Shard
  readonly tables: Map<number, MemTable>
}

/** Generations differ a little in size: growing for the last few rows would double the arrays. */
const spareRoom = 1.125

/** Below this a table's share of the generation says little. */
const reserveRowsMin = 2048

export type RowCounts = ReadonlyMap<Shard, ReadonlyMap<number, number>>

export class Generation {
  readonly #shards = new Map<Shard, ShardTables>()
  readonly #buffers: BufferSource
  readonly #bytesMax: number
  readonly #before: RowCounts | undefined
  #byteLength = 0
  #rowCount = 0
  #users = 0
  #retired = false

  /** What the generation before held is what this one is expected to hold. */
  constructor(buffers: BufferSource, bytesMax: number, before?: RowCounts) {
    this.#buffers = buffers
    this.#bytesMax = bytesMax
    this.#before = before
  }

  /** Rows by shard and measurement. */
  rowCounts(): RowCounts {
    const counts = new Map<Shard, Map<number, number>>()
    for (const { shard, tables } of this.#shards.values()) {
      counts.set(shard, new Map(Array.from(tables, ([id, table]) => [id, table.rowCount])))
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
    for (const { tables } of this.#shards.values())
      for (const table of tables.values()) table.free()
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
      entry = { bucket, shard, tables: new Map() }
      this.#shards.set(shard, entry)
    }
    let memtable = entry.tables.get(table.measurementId)
    if (memtable === undefined) {
      const before = this.#before?.get(shard)?.get(table.measurementId) ?? 0
      memtable = new MemTable(table.measurementId, this.#buffers, Math.ceil(before * spareRoom))
      entry.tables.set(table.measurementId, memtable)
    }
    this.#reserve(memtable, table.rowCount)
    const before = memtable.byteLength
    const { fields } = bucket.index.measurements[table.measurementId]
    memtable.append(table, (fieldId) => fields[fieldId].type)
    this.#byteLength += memtable.byteLength - before
    this.#rowCount += table.rowCount
  }

  /**
   * A table that outgrows its arrays gets room for its share of a full generation. Doubling up to there would leave as
   * much memory behind as the generation takes.
   */
  #reserve(memtable: MemTable, rowCount: number): void {
    const needed = memtable.rowCount + rowCount
    if (needed <= memtable.capacity || memtable.rowCount < reserveRowsMin) return
    const share = (memtable.rowCount / this.#byteLength) * this.#bytesMax
    memtable.reserve(Math.ceil(Math.max(needed, share) * spareRoom))
  }

  table(shard: Shard, measurementId: number): MemTable | undefined {
    return this.#shards.get(shard)?.tables.get(measurementId)
  }

  entries(): Iterable<ShardTables> {
    return this.#shards.values()
  }
}
