// The frame of functions that replace columns row by row and remember something from row to row:
// difference, cumulativeSum, movingAverage and their kind. What is remembered goes on from chunk to
// chunk of a table; rows at its start may be left out, and where all would be, the last one may stay.

import type { Cells, CellType, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { gatherChunk, sliceChunk } from '../../table/cells.js'
import { mapTables } from '../../table/streams.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'

/** One column of one table on its way through. */
export interface RunningColumn {
  /** Of the new column. */
  readonly type: CellType
  /** The new cells of the next rows, as many as there are rows. */
  next(cells: Cells, rowCount: number): Cells
  /** What it remembers takes so much memory; absent: next to nothing. */
  readonly heldBytes?: number
}

export interface Running {
  /** What becomes of a column; undefined: it stays as it is. Throws FluxError where it cannot be. */
  readonly columnOf: (column: TableColumn, table: Table) => RunningColumn | undefined
  /** So many rows at the start of a table are left out; their values count all the same. */
  readonly skipCount: number
  /** A table that would have no row left keeps its last one. */
  readonly keepsLast?: boolean
}

export function runColumns(
  input: TableStream,
  context: FluxContext,
  running: Running,
): TableStream {
  return mapTables(input, (table) => runTable(table, context, running))
}

function runTable(table: Table, context: FluxContext, running: Running): Table {
  const steps = table.columns.map((column) => {
    const step = running.columnOf(column, table)
    // A key has one value for all rows, and rows would now have several.
    if (step !== undefined && table.key.has(column.name)) {
      throw new FluxError(`cannot replace column "${column.name}": it is part of the group key`)
    }
    return step
  })
  const columns = table.columns.map(({ name, type }, i) => ({ name, type: steps[i]?.type ?? type }))
  return { key: table.key, columns, chunks: () => chunksOf(table, context, running, steps) }
}

async function* chunksOf(
  table: Table,
  context: FluxContext,
  { skipCount, keepsLast = false }: Running,
  steps: readonly (RunningColumn | undefined)[],
): AsyncGenerator<Chunk, void, void> {
  let toSkip = skipCount
  let last: Chunk | undefined
  let bytes = 0
  try {
    for await (const chunk of table.chunks()) {
      context.signal.throwIfAborted()
      const { rowCount } = chunk
      if (rowCount === 0) continue
      const cells = chunk.columns.map((cells, i) => steps[i]?.next(cells, rowCount) ?? cells)
      const held = heldBytes(steps)
      context.memory.take(held - bytes)
      bytes = held
      const next = { rowCount, columns: cells }
      if (toSkip < rowCount) {
        yield sliceChunk(next, toSkip, rowCount)
        toSkip = 0
        last = undefined
      } else {
        toSkip -= rowCount
        if (keepsLast) last = gatherChunk(next, Uint32Array.of(rowCount - 1))
      }
    }
    if (last !== undefined) yield last
  } finally {
    context.memory.release(bytes)
  }
}

function heldBytes(steps: readonly (RunningColumn | undefined)[]): number {
  let bytes = 0
  for (const step of steps) bytes += step?.heldBytes ?? 0
  return bytes
}
