// The frame of selectors that keep one row of each table whole: a choice looks at one column, chunk by
// chunk, and only the row chosen so far is kept. A table in which nothing is chosen stays, without rows.

import type { Cells, CellType, Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Call, type FunctionDefinition, transformation } from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'

export interface Choice {
  /** The row of this chunk that is better than all before; -1: none is. */
  choose(cells: Cells, rowCount: number): number
  /** No row to come can be better than the one chosen. */
  readonly isFinal?: boolean
}

/** Throws FluxError where columns of the type cannot be chosen by. */
export type NewChoice = (type: CellType) => Choice

export function selector(type: string, prepare: (call: Call) => NewChoice): FunctionDefinition {
  return transformation(type, (call) => {
    const column = call.string('column', '_value')
    const make = prepare(call)
    return (input, context) => mapTables(input, (table) => selectRow(table, column, make, context))
  })
}

/** The column's place. */
export function selectedColumn(table: Table, column: string): number {
  const place = columnIndex(table.columns, column)
  if (place < 0) throw new FluxError(`no column "${column}" exists`)
  return place
}

async function selectRow(
  table: Table,
  column: string,
  make: NewChoice,
  context: FluxContext,
): Promise<Table> {
  context.signal.throwIfAborted()
  const place = selectedColumn(table, column)
  const choice = make(table.columns[place].type)
  let chosen: Chunk | undefined
  const look = (chunk: Chunk): boolean => {
    if (chunk.rowCount === 0) return false
    const row = choice.choose(chunk.columns[place], chunk.rowCount)
    // A copy of the row: the chunk it lies in is not to be kept for it.
    if (row >= 0) chosen = gatherChunk(chunk, Uint32Array.of(row))
    return choice.isFinal === true
  }
  const chunks = table.chunks()
  if (Symbol.asyncIterator in chunks) {
    for await (const chunk of chunks) if (look(chunk)) break
  } else {
    for (const chunk of chunks) if (look(chunk)) break
  }
  return tableOf(table.key, table.columns, chosen === undefined ? [] : [chosen])
}
