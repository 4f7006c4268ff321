// All rows of a table together, for functions that cannot work chunk by chunk. What is collected counts
// against the memory of the query until it is released.

import type { Cells, Chunk, TableColumn } from '../../query/table.js'
import type { MemoryMeter } from '../context/memory-meter.js'
import { chunkBytes, constantCells, joinCells } from './cells.js'
import type { Table } from './table.js'

export interface Collected {
  readonly rows: Chunk
  readonly bytes: number
}

/** The caller releases `bytes` when it drops the rows. */
export async function collectRows(table: Table, memory: MemoryMeter): Promise<Collected> {
  const chunks: Chunk[] = []
  let bytes = 0
  for await (const chunk of table.chunks()) {
    if (chunk.rowCount === 0) continue
    const more = chunkBytes(chunk)
    memory.take(more)
    bytes += more
    chunks.push(chunk)
  }
  return { rows: joinChunks(table.columns, chunks), bytes }
}

/** A chunk that counts while somebody looks at it. */
export function* lentChunk(chunk: Chunk, memory: MemoryMeter): Generator<Chunk, void, void> {
  const bytes = chunkBytes(chunk)
  memory.take(bytes)
  try {
    yield chunk
  } finally {
    memory.release(bytes)
  }
}

/** One chunk with the rows of all. */
export function joinChunks(columns: readonly TableColumn[], chunks: readonly Chunk[]): Chunk {
  if (chunks.length === 1) return chunks[0]
  if (chunks.length === 0) {
    return { rowCount: 0, columns: columns.map(({ type }) => constantCells(type, null)) }
  }
  const rowCounts = chunks.map(({ rowCount }) => rowCount)
  const joined: Cells[] = columns.map((_, column) =>
    joinCells(
      chunks.map((chunk) => chunk.columns[column]),
      rowCounts,
    ),
  )
  return { rowCount: rowCounts.reduce((sum, count) => sum + count, 0), columns: joined }
}
