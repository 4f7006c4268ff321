// A generation of memtables: everything written between two flushes, by bucket, shard and measurement.

import type { Bucket, Shard } from './bucket.js'
import type { BufferSource } from './buffer-pool.js'
import { MemTable, type ShardTable } from './memtable.js'

export interface ShardTables {
  readonly bucket: Bucket
  readonly shard: Shard
  readonly tables: Map<number, MemTable>
}

export type RowCounts = ReadonlyMap<Shard, ReadonlyMap<number, number>>

export class Generation {
  readonly #shards = new Map<Shard, ShardTables>()
  readonly #buffers: BufferSource
  readonly #before: RowCounts | undefined
  #byteLength = 0
  #rowCount = 0
  #users = 0
  #retired = false

  /** What the generation before held is what this one is expected to hold. */
  constructor(buffers: BufferSource, before?: RowCounts) {
    this.#buffers = buffers
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
      const expected = this.#before?.get(shard)?.get(table.measurementId) ?? 0
      memtable = new MemTable(table.measurementId, this.#buffers, expected)
      entry.tables.set(table.measurementId, memtable)
    }
    const before = memtable.byteLength
    const { fields } = bucket.index.measurements[table.measurementId]
    memtable.append(table, (fieldId) => fields[fieldId].type)
    this.#byteLength += memtable.byteLength - before
    this.#rowCount += table.rowCount
  }

  table(shard: Shard, measurementId: number): MemTable | undefined {
    return this.#shards.get(shard)?.tables.get(measurementId)
  }

  entries(): Iterable<ShardTables> {
    return this.#shards.values()
  }

  /** The bucket is gone: so are its rows. */
  drop(bucket: Bucket): void {
    for (const [shard, entry] of this.#shards) {
      if (entry.bucket !== bucket) continue
      for (const table of entry.tables.values()) {
        this.#byteLength -= table.byteLength
        this.#rowCount -= table.rowCount
      }
      this.#shards.delete(shard)
    }
  }
}
