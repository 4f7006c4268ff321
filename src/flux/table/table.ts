// Tables on their way through the functions of a query: a group key, columns, and rows in chunks that
// come when they are asked for. A table's chunks are read at most once, and before the next table of
// its stream is asked for; whoever wants to keep them collects them. Arrays of a chunk are never
// changed once it was handed over.

import type { Chunk, TableColumn } from '../../query/table.js'
import type { GroupKey } from '../value/key.js'

export interface Table {
  readonly key: GroupKey
  /** Every key column is among them. Names are unique. */
  readonly columns: readonly TableColumn[]
  /** None, or some without rows: the table is empty. */
  chunks(): AsyncIterable<Chunk> | Iterable<Chunk>
}

/** No two tables of a stream have the same key. */
export type TableStream = AsyncIterable<Table>

export function columnIndex(columns: readonly TableColumn[], name: string): number {
  for (let i = 0; i < columns.length; i++) if (columns[i].name === name) return i
  return -1
}

/** A table whose rows are at hand. */
export function tableOf(
  key: GroupKey,
  columns: readonly TableColumn[],
  chunks: readonly Chunk[],
): Table {
  return { key, columns, chunks: () => chunks }
}

export function areSameColumns(a: readonly TableColumn[], b: readonly TableColumn[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i].name !== b[i].name || a[i].type !== b[i].type) return false
  }
  return true
}
