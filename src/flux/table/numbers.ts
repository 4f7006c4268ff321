// Columns of numbers as functions that compute with floats want them, and ways through the chunks of
// a table that wait only where the chunks do.

import type { Cells, CellType, Chunk, ValueCells } from '../../query/table.js'
import { expandCells } from './cells.js'
import { floatsOfInt64 } from './int64.js'
import type { Table } from './table.js'

export type NumberType = 'float' | 'int' | 'uint'

export function isNumberType(type: CellType): type is NumberType {
  return type === 'float' || type === 'int' || type === 'uint'
}

export interface Floats {
  /** May be longer than there are rows. Where `validity` has no value, anything. */
  readonly values: Float64Array
  readonly validity: Uint8Array | undefined
}

/** A column of numbers. Integers of more than 53 bits are rounded. */
export function floatsOf(cells: Cells, rowCount: number): Floats {
  const { type, values, validity } = expandCells(cells, rowCount)
  if (type === 'float') return { values, validity }
  return { values: floatsOfInt64(values as BigInt64Array, rowCount), validity }
}

/** The numbers of rows that have one. */
export function validFloats(cells: Cells, rowCount: number): Float64Array {
  const { values, validity } = floatsOf(cells, rowCount)
  if (validity === undefined) return values.subarray(0, rowCount)
  const valid = new Float64Array(rowCount)
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    if (validity[row] !== 0) valid[count++] = values[row]
  }
  return valid.subarray(0, count)
}

export function floatCells(values: Float64Array, validity: Uint8Array | undefined): ValueCells {
  return { kind: 'values', type: 'float', values, validity }
}

/** How many of the rows have a value. */
export function validCount(validity: Uint8Array | undefined, rowCount: number): number {
  if (validity === undefined) return rowCount
  let count = 0
  for (let row = 0; row < rowCount; row++) count += validity[row]
  return count
}

/** `fn` with every chunk that has rows. A table at hand, as windows are, costs no turn of the event loop. */
export function eachChunk(table: Table, fn: (chunk: Chunk) => void): Promise<void> | undefined {
  const chunks = table.chunks()
  if (Symbol.asyncIterator in chunks) return eachChunkLater(chunks, fn)
  for (const chunk of chunks) if (chunk.rowCount > 0) fn(chunk)
  return undefined
}

async function eachChunkLater(
  chunks: AsyncIterable<Chunk>,
  fn: (chunk: Chunk) => void,
): Promise<void> {
  for await (const chunk of chunks) if (chunk.rowCount > 0) fn(chunk)
}
