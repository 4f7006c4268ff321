// Tables of the storage whose columns are changed while they are built. Tables that lose columns of
// their key may come to have the same one; where that can be ruled out beforehand each leaves as it
// comes, otherwise they are put together as `keep` and `drop` do it. What would come out otherwise than
// from the functions one after the other is left to them.

import type { FluxContext } from '../../context/context.js'
import { running } from '../../node/runner.js'
import { MergedTables } from '../../table/merged-tables.js'
import type { Table, TableStream } from '../../table/table.js'
import type { BatchStream, TableBatch } from '../../table/table-batch.js'
import { batchedTables } from './batched-tables.js'
import { type ColumnPlan, columnPlan } from './column-plan.js'
import type { ColumnStep } from './column-step.js'
import { type SettledSteps, settledSteps } from './settled-steps.js'
import { selectFields } from './storage-read.js'
import { builtTable, mappedRows, type StoredTable } from './stored-table.js'
import { type StoredTables, storedTables, type TableSource } from './table-source.js'

/** As they are. `general`: where the store cannot give them. */
export async function* sourceTables(
  source: TableSource,
  context: FluxContext,
  general: () => BatchStream,
  inBatches: boolean,
): AsyncGenerator<Table | TableBatch, void, void> {
  const fields = await selectFields(source.read, context)
  const tables = await storedTables(source, fields, context)
  if (tables === undefined) yield* general()
  else if (inBatches) yield* batchedTables(tables, context)
  else for await (const group of tables) for (const table of group) yield builtTable(table)
}

/** `general`: the last step on what the one before gives. */
export async function* changedTables(
  source: TableSource,
  steps: readonly ColumnStep[],
  context: FluxContext,
  general: () => BatchStream,
): AsyncGenerator<Table | TableBatch, void, void> {
  const fields = await selectFields(source.read, context)
  if (fields.length === 0) return
  const settled = await settledSteps(source, steps, fields, context)
  const tables =
    settled === undefined
      ? undefined
      : await storedTables(source, fields, context, settled.withoutValues)
  if (settled === undefined || tables === undefined) yield* general()
  else yield* builtTables(tables, steps, settled, context)
}

async function* builtTables(
  tables: StoredTables,
  steps: readonly ColumnStep[],
  settled: SettledSteps,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const plans = new Map<StoredTable['columns'], ColumnPlan | 'none'>()
  const merged = new MergedTables(context.memory)
  for await (const stored of oneByOne(tables)) {
    context.signal.throwIfAborted()
    let plan = plans.get(stored.columns)
    if (plan === undefined) {
      plan = columnPlan(settled.steps, stored.columns) ?? 'none'
      plans.set(stored.columns, plan)
    }
    const changed = plan === 'none' ? throughNodes(stored, steps, context) : [planned(stored, plan)]
    for await (const table of changed) {
      if (settled.isApart) yield table
      else await addTo(merged, table)
    }
  }
  yield* merged.tables()
}

async function* oneByOne(tables: StoredTables): AsyncGenerator<StoredTable, void, void> {
  for await (const group of tables) yield* group
}

function planned({ key, rows }: StoredTable, plan: ColumnPlan): Table {
  const chunks = () => mappedRows(rows, (each) => plan.chunk(each))
  return { key: plan.key(key), columns: plan.columns, chunks }
}

/** One table through the functions themselves, which say what is wrong where something is. */
function throughNodes(
  stored: StoredTable,
  steps: readonly ColumnStep[],
  context: FluxContext,
): TableStream {
  let stream: TableStream = only(builtTable(stored))
  for (const { node } of steps) {
    const input = stream
    stream = running({ node, context }, () => node.run([input], context))
  }
  return stream
}

async function* only(table: Table): AsyncGenerator<Table, void, void> {
  yield table
}

async function addTo(merged: MergedTables, { key, columns, chunks }: Table): Promise<void> {
  const target = merged.table(key)
  target.declare(columns)
  for await (const chunk of chunks()) target.add(columns, chunk)
}
