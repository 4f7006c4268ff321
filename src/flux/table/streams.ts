// The shapes that most functions over tables have: something done to each table, or to each chunk of
// each table, without looking at the others.

import type { Chunk, TableColumn } from '../../query/table.js'
import type { GroupKey } from '../value/key.js'
import type { Table, TableStream } from './table.js'

/** A table for each, or none. Keys must stay different from each other. */
export async function* mapTables(
  input: TableStream,
  fn: (table: Table) => Table | undefined | Promise<Table | undefined>,
): AsyncGenerator<Table, void, void> {
  for await (const table of input) {
    const result = await fn(table)
    if (result !== undefined) yield result
  }
}

/** The same tables with other columns, made chunk by chunk. */
export function mapChunks(
  table: Table,
  columns: readonly TableColumn[],
  fn: (chunk: Chunk) => Chunk,
  key: GroupKey = table.key,
): Table {
  return { key, columns, chunks: () => chunksThrough(table, fn) }
}

async function* chunksThrough(
  table: Table,
  fn: (chunk: Chunk) => Chunk,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) yield fn(chunk)
}
