// The rule for `pivot` by time: fields that the store reads side by side need not be taken apart into tables and put
// together again.

import type { FluxContext } from '../../context/context.js'
import { isFromStore } from '../../node/lineage.js'
import type { Table } from '../../table/table.js'
import type { BatchStream, TableBatch } from '../../table/table-batch.js'
import { batchedTables } from '../storage/batched-tables.js'
import { stringsOf } from '../storage/column-step.js'
import { type PivotOrder, pivotedTables } from '../storage/pivoted-tables.js'
import { type StorageRead, selectFields } from '../storage/storage-read.js'
import { builtTable } from '../storage/stored-table.js'
import type { Rule } from './shape.js'

/** The same in all rows of a series: they tell no rows apart. */
const bounds: ReadonlySet<string> = new Set(['_start', '_stop', '_measurement'])

export const pivotRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.pivot' || input.kind !== 'rows') return undefined
  const { read } = input
  if (read.rowsMax !== undefined || !isFromStore(node.inputs[0])) return undefined
  const rowKey = stringsOf(node.args.get('rowKey'))
  const columnKey = stringsOf(node.args.get('columnKey'))
  if (columnKey?.length !== 1 || columnKey[0] !== '_field') return undefined
  if (rowKey === undefined || !rowKey.includes('_time')) return undefined
  if (!rowKey.every((name) => name === '_time' || bounds.has(name))) return undefined
  if (node.args.get('valueColumn') !== '_value') return undefined
  const order = { byTime: rowKey.length === 1 }
  return { run: (general, inBatches) => pivotedRows(read, context, order, general, inBatches) }
}

async function* pivotedRows(
  read: StorageRead,
  context: FluxContext,
  order: PivotOrder,
  general: () => BatchStream,
  inBatches: boolean,
): AsyncGenerator<Table | TableBatch, void, void> {
  const fields = await selectFields(read, context)
  const tables = await pivotedTables(read, fields, context, order)
  if (tables === undefined) yield* general()
  else if (inBatches) yield* batchedTables(tables, context)
  else for await (const group of tables) for (const table of group) yield builtTable(table)
}
