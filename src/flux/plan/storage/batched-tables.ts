// Tables of the storage in batches, for functions that know them: series with few rows each, as checks and
// dashboards over many series have them, cost little more than their rows.

import type { FluxContext } from '../../context/context.js'
import { BatchBuilder } from '../../table/batch-builder.js'
import type { Table } from '../../table/table.js'
import { batchedRowsMax, type TableBatch } from '../../table/table-batch.js'
import { builtTable, type StoredRows, type StoredTable } from './stored-table.js'
import type { StoredTables } from './table-source.js'

export async function* batchedTables(
  tables: StoredTables,
  { memory, signal }: FluxContext,
): AsyncGenerator<Table | TableBatch, void, void> {
  const builder = new BatchBuilder(memory)
  try {
    for await (const group of tables) {
      signal.throwIfAborted()
      for (const table of group) {
        const rows = smallRows(table)
        if (rows !== undefined && builder.add(smallTable(table, rows))) continue
        const batch = builder.take()
        if (batch !== undefined) yield batch
        if (rows === undefined || !builder.add(smallTable(table, rows))) yield builtTable(table)
      }
    }
    const last = builder.take()
    if (last !== undefined) yield last
  } finally {
    builder.release()
  }
}

/** undefined: too many, or not at hand. */
function smallRows({ rows }: StoredTable): StoredRows | undefined {
  if (!Array.isArray(rows) || rows.length !== 1) return undefined
  const [only] = rows as readonly StoredRows[]
  return only.rowCount <= batchedRowsMax ? only : undefined
}

function smallTable({ key, columns }: StoredTable, rows: StoredRows) {
  return { key, columns, rowCount: rows.rowCount, cells: rows.cells }
}
