// `sort`: the rows of each table by some columns. Columns that a table does not have, or has in its key,
// do not count.

import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { collectRows } from '../../table/collect.js'
import { sortedInTurns, sortKeys } from '../../table/row-order.js'
import { columnIndex, type Table, type TableStream, tableOf } from '../../table/table.js'

const type = '(<-tables: stream[A], ?columns: [string], ?desc: bool) => stream[A] where A: Record'

export const sorts: Definitions = {
  sort: transformation(type, (call) => {
    const columns = call.strings('columns', ['_value'])
    const isDescending = call.bool('desc', false)
    return (input, context) => sortTables(input, context, columns, isDescending)
  }),
}

export function sortPlaces(table: Table, columns: readonly string[]): readonly number[] {
  return columns
    .map((name) => columnIndex(table.columns, name))
    .filter((place) => place >= 0 && !table.key.has(table.columns[place].name))
}

async function* sortTables(
  input: TableStream,
  context: FluxContext,
  columns: readonly string[],
  isDescending: boolean,
): AsyncGenerator<Table, void, void> {
  for await (const table of input) {
    context.signal.throwIfAborted()
    const places = sortPlaces(table, columns)
    if (places.length === 0) {
      yield table
      continue
    }
    const { rows, bytes } = await collectRows(table, context.memory)
    const keys = places.flatMap((place) => {
      return sortKeys(rows.columns[place], rows.rowCount, isDescending)
    })
    const order = await sortedInTurns(keys, rows.rowCount, context.yielder)
    const sorted = order === undefined ? rows : gatherChunk(rows, order)
    yield tableOf(table.key, table.columns, [sorted])
    context.memory.release(bytes)
  }
}
