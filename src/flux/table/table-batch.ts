// Many small tables of one shape as one batch: they share their columns, each is a range of rows, and the
// columns of the key are ordinary columns. A function that knows batches works on a few arrays where it would
// otherwise have to wait for every table; for all others a batch is taken apart again.

import { compareUtf8 } from '../../column/series.js'
import { type Cells, type Chunk, cellAt, type TableColumn } from '../../query/table.js'
import { GroupKey } from '../value/key.js'
import { constantCells, gatherChunk, sliceCells } from './cells.js'
import { compactChunk } from './compact.js'
import { type Table, tableOf } from './table.js'

/** A table with more rows gains nothing from sharing its columns. */
export const batchedRowsMax = 64
/** Rows of a batch: functions that are called for each work on them without a pause, for some milliseconds. */
export const batchRowsMax = 1024

export class TableBatch {
  readonly columns: readonly TableColumn[]
  /** Where the columns of the key stand, by name. */
  readonly keyPlaces: readonly number[]
  readonly rows: Chunk
  /** Where the rows of each table end. Every table has some. */
  readonly ends: Uint32Array

  constructor(
    columns: readonly TableColumn[],
    keyPlaces: readonly number[],
    rows: Chunk,
    ends: Uint32Array,
  ) {
    this.columns = columns
    this.keyPlaces = keyPlaces
    this.rows = rows
    this.ends = ends
  }

  get count(): number {
    return this.ends.length
  }

  get keyNames(): readonly string[] {
    return this.keyPlaces.map((place) => this.columns[place].name)
  }

  start(table: number): number {
    return table === 0 ? 0 : this.ends[table - 1]
  }

  key(table: number): GroupKey {
    const row = this.start(table)
    return GroupKey.ofSorted(
      this.keyPlaces.map((place) => {
        const { name, type } = this.columns[place]
        return { name, type, value: cellAt(this.rows.columns[place], row) }
      }),
    )
  }

  table(table: number): Table {
    return tableOf(this.key(table), this.columns, [this.chunk(table)])
  }

  /** The rows of one table; what its key says is told once. */
  chunk(table: number): Chunk {
    const [start, end] = [this.start(table), this.ends[table]]
    const columns = this.rows.columns.map((cells, place): Cells => {
      if (cells.kind === 'constant') return cells
      if (!this.keyPlaces.includes(place)) return sliceCells(cells, start, end)
      return constantCells(cells.type, cellAt(cells, start))
    })
    // Rows that stay for long must not keep the arrays of the whole batch.
    return compactChunk({ rowCount: end - start, columns })
  }

  /** Only these rows, which are in order; undefined: none. Tables without any are left out. */
  keeping(rows: Uint32Array): TableBatch | undefined {
    if (rows.length === 0) return undefined
    const ends: number[] = []
    for (let table = 0, at = 0; table < this.count; table++) {
      const before = at
      while (at < rows.length && rows[at] < this.ends[table]) at++
      if (at > before) ends.push(at)
    }
    const kept = gatherChunk(this.rows, rows)
    return new TableBatch(this.columns, this.keyPlaces, kept, Uint32Array.from(ends))
  }

  *tables(): Generator<Table, void, void> {
    for (let table = 0; table < this.count; table++) yield this.table(table)
  }
}

/** Tables, some of them in batches. No two have the same key. */
export type BatchStream = AsyncIterable<Table | TableBatch>

/** The places of the columns that `isKey` chooses, by name as keys have them. */
export function placesByName(
  columns: readonly TableColumn[],
  isKey: (column: TableColumn) => boolean,
): readonly number[] {
  const places: number[] = []
  for (const [place, column] of columns.entries()) if (isKey(column)) places.push(place)
  return places.sort((a, b) => compareUtf8(columns[a].name, columns[b].name))
}

/** One by one. */
export async function* singleTables(stream: BatchStream): AsyncGenerator<Table, void, void> {
  for await (const item of stream) {
    if (item instanceof TableBatch) yield* item.tables()
    else yield item
  }
}
