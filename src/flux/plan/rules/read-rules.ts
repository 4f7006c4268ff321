// Rules for reading rows: `range` bounds a bucket, `filter` becomes a predicate of the store as far as it
// can be told, `sort` by time is the order in which the store reads, `limit` ends the read of a series.

import type { FluxContext } from '../../context/context.js'
import type { StreamNode } from '../../node/node.js'
import type { Table, TableStream } from '../../table/table.js'
import type { TableBatch } from '../../table/table-batch.js'
import { batchedTables } from '../storage/batched-tables.js'
import { readPredicate } from '../storage/row-predicate.js'
import { rowTables } from '../storage/row-tables.js'
import { type StorageRead, selectFields } from '../storage/storage-read.js'
import { builtTable } from '../storage/stored-table.js'
import type { Planned, Rule, Shape } from './shape.js'

/** A read of rows, and how it runs. */
export function rowsOf(read: StorageRead, context: FluxContext): Planned & { shape: Shape } {
  return {
    shape: { kind: 'rows', read },
    run: (_, inBatches) => builtRows(read, context, inBatches),
  }
}

async function* builtRows(
  read: StorageRead,
  context: FluxContext,
  inBatches: boolean,
): AsyncGenerator<Table | TableBatch, void, void> {
  const fields = await selectFields(read, context)
  const tables = rowTables(read, fields, context)
  if (inBatches) yield* batchedTables(tables, context)
  else for await (const group of tables) for (const table of group) yield builtTable(table)
}

/** The node on the rows of a read. */
function afterRows(node: StreamNode, read: StorageRead, context: FluxContext): Planned {
  const run = (_: unknown, inBatches: boolean) => {
    const rows = builtRows(read, context, inBatches && node.takesBatches)
    return node.run([rows as TableStream], context)
  }
  return { run }
}

export const rangeRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.range' || input.kind !== 'bucket') return undefined
  const bounds = node.bounds
  if (bounds === undefined) return undefined
  const range = { start: bounds.startNs, stop: bounds.stopNs }
  return rowsOf({ bucket: input.bucket, range, predicates: [] }, context)
}

/** What the store cannot be told the function looks at again, on the rows that are left. */
export const filterRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.filter' || input.kind !== 'rows') return undefined
  const { read } = input
  if (read.rowsMax !== undefined) return undefined
  const onEmpty = node.args.get('onEmpty')
  if (onEmpty !== undefined && onEmpty !== 'drop') return undefined
  const fn = node.args.get('fn')
  const { parts, isWhole } = fn === undefined ? { parts: [], isWhole: false } : readPredicate(fn)
  if (parts.length === 0) return undefined
  const narrowed = { ...read, predicates: [...read.predicates, ...parts] }
  if (isWhole) return rowsOf(narrowed, context)
  return afterRows(node, narrowed, context)
}

/** Rows come in the order of their times; newest first the store reads them in that order. */
export const sortRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.sort' || input.kind !== 'rows') return undefined
  const columns = node.args.get('columns')
  const desc = node.args.get('desc') ?? false
  if (!Array.isArray(columns) || columns.length !== 1 || columns[0] !== '_time') return undefined
  const { read } = input
  if (read.rowsMax !== undefined || typeof desc !== 'boolean') return undefined
  return rowsOf({ ...read, descending: desc }, context)
}

/** Beyond this many rows a series is read as usual. */
const rowsMaxPushed = 100_000

export const limitRule: Rule = (node, input, context) => {
  if (node.operation !== 'universe.limit' || input.kind !== 'rows') return undefined
  const { read } = input
  const n = node.args.get('n')
  const offset = node.args.get('offset') ?? 0n
  if (typeof n !== 'bigint' || typeof offset !== 'bigint') return undefined
  if (read.rowsMax !== undefined || n <= 0n || offset < 0n) return undefined
  const rows = n + offset
  if (rows > rowsMaxPushed) return undefined
  const limited = { ...read, rowsMax: Number(rows) }
  if (offset === 0n) return rowsOf(limited, context)
  return afterRows(node, limited, context)
}
