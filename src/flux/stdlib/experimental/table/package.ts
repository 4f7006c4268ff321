// The package `experimental/table`: a row for tables that have none, so that functions behind it see
// something.

import type { Chunk } from '../../../../query/table.js'
import { type Definitions, transformation } from '../../../package/define.js'
import { constantCells } from '../../../table/cells.js'
import { mapTables } from '../../../table/streams.js'
import { type Table, tableOf } from '../../../table/table.js'

const type = '(<-tables: stream[A]) => stream[A] where A: Record'

export const experimentalTableBuiltins: Definitions = {
  fill: transformation(type, () => (input) => mapTables(input, filledTable)),
}

async function filledTable(table: Table): Promise<Table> {
  const chunks = chunksWithRows(table)
  const first = await chunks.next()
  if (first.done !== true) {
    const rest = continued(first.value, chunks)
    return { key: table.key, columns: table.columns, chunks: () => rest }
  }
  const columns = table.columns.map(({ name, type }) => {
    return constantCells(type, table.key.entry(name)?.value ?? null)
  })
  return tableOf(table.key, table.columns, [{ rowCount: 1, columns }])
}

async function* chunksWithRows(table: Table): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) if (chunk.rowCount > 0) yield chunk
}

async function* continued(
  first: Chunk,
  rest: AsyncGenerator<Chunk, void, void>,
): AsyncGenerator<Chunk, void, void> {
  yield first
  yield* rest
}
