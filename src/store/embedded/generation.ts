// A generation of memtables: everything written between two flushes, by bucket, shard and measurement.

import type { Bucket, Shard } from './bucket.js'
import { MemTable, type ShardTable } from './memtable.js'

export interface ShardTables {
  readonly bucket: Bucket
  readonly shard: Shard
  readonly tables: Map<number, MemTable>
}

export class Generation {
  /** WAL files up to this number hold the generation's writes; known when it is frozen. */
  walNumber = 0
  readonly #shards = new Map<Shard, ShardTables>()
  readonly #shared: boolean
  #byteLength = 0
  #rowCount = 0

  constructor(options: { shared: boolean }) {
    this.#shared = options.shared
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
      memtable = new MemTable(table.measurementId, { shared: this.#shared })
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
