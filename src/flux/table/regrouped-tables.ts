// Tables under new keys, for functions that know batches (group, map, keep, drop, set): rows of batches are only
// collected, and told apart once when all are there. Where anything else comes among them, or more than is to be
// held in one piece, all goes the way of single tables.

import type { Chunk, TableColumn } from '../../query/table.js'
import type { MemoryMeter } from '../context/memory-meter.js'
import type { GroupKey } from '../value/key.js'
import { chunkBytes, gatherChunk, sliceChunk } from './cells.js'
import { joinChunks } from './collect.js'
import { type MergedTable, MergedTables } from './merged-tables.js'
import { groupedOrder, RowDealer, rowGroups } from './row-groups.js'
import { areSameColumns, type Table } from './table.js'
import { batchRowsMax, TableBatch } from './table-batch.js'

/** Rows that are told apart at once, without a pause. */
const rowsMax = 16_384

export class RegroupedTables {
  readonly #memory: MemoryMeter
  readonly #merged: MergedTables
  #columns: readonly TableColumn[] = []
  #keyPlaces: readonly number[] = []
  #parts: Chunk[] = []
  #rowCount = 0
  #bytes = 0
  #isMerging = false

  constructor(memory: MemoryMeter) {
    this.#memory = memory
    this.#merged = new MergedTables(memory)
  }

  /** The single table of that key. */
  table(key: GroupKey): MergedTable {
    this.#merge()
    return this.#merged.table(key)
  }

  /** Rows whose key is what they have in the columns at `keyPlaces`, which are by name. */
  addRows(columns: readonly TableColumn[], keyPlaces: readonly number[], rows: Chunk): void {
    if (rows.rowCount === 0) return
    const isFirst = this.#parts.length === 0
    if (!isFirst && !(areSameColumns(columns, this.#columns) && isSame(keyPlaces, this.#keyPlaces)))
      this.#merge()
    if (this.#rowCount + rows.rowCount > rowsMax) this.#merge()
    if (this.#isMerging) return this.#deal(columns, keyPlaces, rows)
    this.#columns = columns
    this.#keyPlaces = keyPlaces
    const bytes = chunkBytes(rows)
    this.#memory.take(bytes)
    this.#bytes += bytes
    this.#rowCount += rows.rowCount
    this.#parts.push(rows)
  }

  #merge(): void {
    this.#isMerging = true
    for (const rows of this.#parts) this.#deal(this.#columns, this.#keyPlaces, rows)
    this.#release()
  }

  #deal(columns: readonly TableColumn[], keyPlaces: readonly number[], rows: Chunk): void {
    const dealer = new RowDealer(
      columns,
      keyPlaces.map((place) => columns[place]),
    )
    for (const share of dealer.deal(rows)) {
      const own = share.rows === null ? rows : gatherChunk(rows, share.rows)
      this.#merged.table(share.key).add(columns, own)
    }
  }

  /** In the order in which their keys came first. */
  *tables(): Generator<Table | TableBatch, void, void> {
    if (this.#parts.length > 0) yield* this.#batches()
    yield* this.#merged.tables()
  }

  *#batches(): Generator<Table | TableBatch, void, void> {
    const rows = joinChunks(this.#columns, this.#parts)
    this.#parts = []
    const { order, ends } = groupedOrder(rowGroups(rows, this.#keyPlaces))
    const sorted = order === undefined ? rows : gatherChunk(rows, order)
    yield* cutBatches(new TableBatch(this.#columns, this.#keyPlaces, sorted, ends))
    this.#release()
  }

  #release(): void {
    this.#memory.release(this.#bytes)
    this.#bytes = 0
    this.#parts = []
    this.#rowCount = 0
  }
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((place, i) => place === b[i])
}

/** Of bounded size; what is a large table, or the only one, goes by itself. */
export function* cutBatches(batch: TableBatch): Generator<Table | TableBatch, void, void> {
  const { columns, keyPlaces, rows, ends, count } = batch
  let first = 0
  while (first < count) {
    const start = batch.start(first)
    let stop = first + 1
    while (stop < count && ends[stop] - start <= batchRowsMax) stop++
    if (stop === first + 1) yield batch.table(first)
    else {
      const own = ends.slice(first, stop).map((end) => end - start)
      yield new TableBatch(columns, keyPlaces, sliceChunk(rows, start, ends[stop - 1]), own)
    }
    first = stop
  }
}
