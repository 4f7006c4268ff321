// A table of the storage before its columns are built: rows that have come from the store, of which a
// column becomes cells when it is asked for. What nobody asks for is never made.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { Table } from '../../table/table.js'
import type { GroupKey } from '../../value/key.js'

export interface StoredTable {
  readonly key: GroupKey
  /** The same array for all tables that have the same columns, as far as that is easily known. */
  readonly columns: readonly TableColumn[]
  /** In order, some at least. A list where all are at hand. To be read at most once, before the next table. */
  readonly rows: RowsOf<StoredRows>
}

export type RowsOf<T> = readonly T[] | Iterable<T> | AsyncIterable<T>

export interface StoredRows {
  readonly rowCount: number
  /** Of the column at that place. */
  cells(place: number): Cells
}

/** With all its columns. */
export function builtTable({ key, columns, rows }: StoredTable): Table {
  return { key, columns, chunks: () => mappedRows(rows, (each) => builtChunk(columns, each)) }
}

function builtChunk(columns: readonly TableColumn[], rows: StoredRows): Chunk {
  return { rowCount: rows.rowCount, columns: columns.map((_, place) => rows.cells(place)) }
}

/** A list stays one: whoever reads it need not wait. */
export function mappedRows<A, B>(rows: RowsOf<A>, fn: (each: A) => B): RowsOf<B> {
  if (Array.isArray(rows)) return (rows as readonly A[]).map(fn)
  return Symbol.asyncIterator in rows ? mappedLater(rows, fn) : mappedAtHand(rows, fn)
}

function* mappedAtHand<A, B>(rows: Iterable<A>, fn: (each: A) => B): Generator<B, void, void> {
  for (const each of rows) yield fn(each)
}

async function* mappedLater<A, B>(
  rows: AsyncIterable<A>,
  fn: (each: A) => B,
): AsyncGenerator<B, void, void> {
  for await (const each of rows) yield fn(each)
}
