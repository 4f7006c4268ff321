// `group`: tables put together by the values of other columns. Where all of them are in a table's key
// the table moves as a whole; otherwise its rows are dealt out chunk by chunk.

import type { TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { batchTransformation, type Definitions } from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { RegroupedTables } from '../../table/regrouped-tables.js'
import { RowDealer } from '../../table/row-groups.js'
import type { Table } from '../../table/table.js'
import { type BatchStream, placesByName, TableBatch } from '../../table/table-batch.js'
import { FluxError } from '../../value/error.js'
import { GroupKey } from '../../value/key.js'

const type = '(<-tables: stream[A], ?mode: string, ?columns: [string]) => stream[A] where A: Record'

/** Which of a table's columns make its new key. */
export type KeyChoice = (
  columns: readonly TableColumn[],
  isKey: (name: string) => boolean,
) => (column: TableColumn) => boolean

export const groups: Definitions = {
  group: batchTransformation(type, (call) => {
    const mode = call.string('mode', 'by')
    const names = new Set(call.strings('columns', []))
    if (mode !== 'by' && mode !== 'except') {
      throw new FluxError('invalid group mode: must be "by" or "except"')
    }
    const isKey = ({ name }: TableColumn) => names.has(name) === (mode === 'by')
    return (input, context) => groupTables(input, context, () => isKey)
  }),
}

export async function* groupTables(
  input: BatchStream,
  context: FluxContext,
  choice: KeyChoice,
): AsyncGenerator<Table | TableBatch, void, void> {
  const merged = new RegroupedTables(context.memory)
  for await (const table of input) {
    context.signal.throwIfAborted()
    const { columns } = table
    if (table instanceof TableBatch) {
      const names = table.keyNames
      const isKey = choice(columns, (name) => names.includes(name))
      merged.addRows(columns, placesByName(columns, isKey), table.rows)
      continue
    }
    const keyColumns = columns.filter(choice(columns, (name) => table.key.has(name)))
    const isWhole = keyColumns.every(({ name }) => table.key.has(name))
    if (isWhole) await addWhole(table, keyColumns, merged)
    else await dealOut(table, keyColumns, merged, context)
  }
  yield* merged.tables()
}

/** The key is the old one, or a part of it. An empty table keeps its place. */
async function addWhole(
  table: Table,
  keyColumns: readonly TableColumn[],
  merged: RegroupedTables,
): Promise<void> {
  const key = GroupKey.of(keyColumns.map(({ name }) => table.key.entry(name)!))
  const target = merged.table(key)
  target.declare(table.columns)
  for await (const chunk of table.chunks()) target.add(table.columns, chunk)
}

async function dealOut(
  table: Table,
  keyColumns: readonly TableColumn[],
  merged: RegroupedTables,
  { signal }: FluxContext,
): Promise<void> {
  const dealer = new RowDealer(table.columns, keyColumns)
  for await (const chunk of table.chunks()) {
    signal.throwIfAborted()
    for (const { key, rows } of dealer.deal(chunk)) {
      merged.table(key).add(table.columns, rows === null ? chunk : gatherChunk(chunk, rows))
    }
  }
}
