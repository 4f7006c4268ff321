// `columns`, `keys` and `keyValues`: what a table is made of, told as rows. The first two never look at
// the rows they are asked about.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import {
  type Call,
  type Definitions,
  type Transform,
  transformation,
} from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { SeenValues } from './distinct.js'

const namesType = '(<-tables: stream[A], ?column: string) => stream[B] where A: Record, B: Record'
const valuesType = `(<-tables: stream[A], ?keyColumns: [string])
  => stream[{C with _key: string, _value: B}] where A: Record, C: Record`

export const keyFacts: Definitions = {
  columns: transformation(namesType, (call) => telling(call, () => true)),
  keys: transformation(namesType, (call) => telling(call, (table, name) => table.key.has(name))),
  keyValues: transformation(valuesType, keyValues),
}

function telling(call: Call, isTold: (table: Table, name: string) => boolean): Transform {
  const column = call.string('column', '_value')
  return (input) =>
    mapTables(input, (table) => {
      const names = table.columns.map(({ name }) => name).filter((name) => isTold(table, name))
      const texts = new CellsBuilder('string')
      for (const name of names) texts.push(name)
      const { columns, cells } = keyPart(table)
      return tableOf(
        table.key,
        [...columns, { name: column, type: 'string' }],
        [{ rowCount: names.length, columns: [...cells, texts.finish()] }],
      )
    })
}

interface KeyPart {
  readonly columns: readonly TableColumn[]
  readonly cells: readonly Cells[]
}

/** The columns of the key, in the table's order. */
function keyPart(table: Table): KeyPart {
  const columns = table.columns.filter(({ name }) => table.key.has(name))
  const cells = columns.map(({ name, type }) => constantCells(type, table.key.entry(name)!.value))
  return { columns, cells }
}

function keyValues(call: Call): Transform {
  if (!call.has('keyColumns')) {
    throw new FluxError('neither column list nor predicate function provided')
  }
  const names = call.strings('keyColumns')
  return (input, context) => mapTables(input, (table) => keyValueTable(table, names, context))
}

function keyValueTable(table: Table, names: readonly string[], context: FluxContext): Table {
  const places = names.map((name) => columnIndex(table.columns, name)).filter((place) => place >= 0)
  if (places.length === 0) {
    const own = table.columns.map(({ name }) => name).join(' ')
    throw new FluxError(
      `received table with columns [${own}] not having key columns [${names.join(' ')}]`,
    )
  }
  const { type } = table.columns[places[places.length - 1]]
  if (places.some((place) => table.columns[place].type !== type)) {
    throw new FluxError('keyColumns must all be the same type')
  }
  const { columns, cells } = keyPart(table)
  const told = [...columns, { name: '_key', type: 'string' }, { name: '_value', type }] as const
  return {
    key: table.key,
    columns: told,
    chunks: () => keyValueChunks(table, places, cells, context),
  }
}

/** Rows of several columns alternate, as they stand in the table. */
async function* keyValueChunks(
  table: Table,
  places: readonly number[],
  keyCells: readonly Cells[],
  context: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  const seen = places.map(() => new SeenValues(context.memory))
  let hasNull = false
  const { type } = table.columns[places[0]]
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    const found: { readonly row: number; readonly place: number }[] = []
    for (const [i, place] of places.entries()) {
      const rows = seen[i].newRows(chunk.columns[place], chunk.rowCount)
      for (const row of rows) found.push({ row, place })
    }
    found.sort((a, b) => a.row - b.row)
    const keys = new CellsBuilder('string')
    const values = new CellsBuilder(type)
    for (const { row, place } of found) {
      const cells = chunk.columns[place]
      const isNull = cells.kind === 'constant' ? cells.value === null : cells.validity?.[row] === 0
      // One null stands for those of all columns.
      if (isNull && hasNull) continue
      hasNull ||= isNull
      keys.push(table.columns[place].name)
      values.pushFrom(cells, row)
    }
    const rowCount = keys.count
    if (rowCount > 0) yield { rowCount, columns: [...keyCells, keys.finish(), values.finish()] }
  }
  for (const values of seen) values.release()
}
