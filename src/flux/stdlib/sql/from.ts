// `sql.from`: the rows of a query as one table,
// read as they are asked for.

import type { SqlConnection, SqlRow, SqlTarget } from '../../../platform/sql-connection.js'
import type { Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { Call } from '../../package/define.js'
import { lentChunk } from '../../table/collect.js'
import type { Table } from '../../table/table.js'
import { emptyKey } from '../../value/key.js'
import type { FluxValue } from '../../value/value.js'
import { chunkOf, columnsOf } from './columns.js'
import { targetOf } from './data-source.js'

export function from(call: Call): FluxValue {
  const driver = call.string('driverName')
  const source = call.string('dataSourceName')
  const query = call.string('query')
  return call.node([], (_, context) => rowsOf(targetOf(driver, source, 'read'), query, context))
}

async function* rowsOf(
  target: SqlTarget,
  query: string,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const connection = await context.scope.databasesOutside.connect(target, context.signal)
  try {
    const table = await tableOfQuery(connection, target, query, context)
    if (table !== undefined) yield table
  } finally {
    await connection.close()
  }
}

/** undefined: the statement gives no rows, not even none of some columns. */
async function tableOfQuery(
  connection: SqlConnection,
  { kind }: SqlTarget,
  query: string,
  context: FluxContext,
): Promise<Table | undefined> {
  const { columns: found, batches } = await connection.query(query)
  if (found.length === 0) return undefined
  const rest = batches[Symbol.asyncIterator]()
  const first = await rest.next()
  const rows = first.done === true ? [] : first.value
  const columns = columnsOf(kind, found, rows)
  return { key: emptyKey, columns, chunks: () => chunksOf(columns, rows, rest, context) }
}

async function* chunksOf(
  columns: readonly TableColumn[],
  first: readonly SqlRow[],
  rest: AsyncIterator<readonly SqlRow[]>,
  { memory, signal }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for (let rows = first; rows.length > 0; ) {
    signal.throwIfAborted()
    yield* lentChunk(chunkOf(columns, rows), memory)
    const next = await rest.next()
    rows = next.done === true ? [] : next.value
  }
}
