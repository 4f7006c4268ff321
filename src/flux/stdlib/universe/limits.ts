// `limit` and `tail`: the first and the last rows of each table. No more is read, or kept, than is
// asked for.

import type { Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Call, type Definitions, native, transformation } from '../../package/define.js'
import { chunkBytes, sliceChunk } from '../../table/cells.js'
import { mapTables } from '../../table/streams.js'
import type { Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { sortedLimit } from './sorted-limit.js'

const type = '(<-tables: stream[A], n: int, ?offset: int) => stream[A]'

export const limits: Definitions = {
  limit: native(type, (call) => {
    const { n, offset } = counts(call)
    if (offset < 0) throw new FluxError(`limit offset cannot be negative (${offset})`)
    const node = call.node([call.stream('tables')], ([input]) =>
      mapTables(input, (table) => limitTable(table, n, offset)),
    )
    node.shortcut = sortedLimit(node, n, offset)
    return node
  }),
  tail: transformation(type, (call) => {
    const { n, offset } = counts(call)
    return (input, context) => mapTables(input, (table) => tailTable(table, n, offset, context))
  }),
}

function counts(call: Call): { readonly n: number; readonly offset: number } {
  return { n: Number(call.int('n')), offset: Number(call.int('offset', 0n)) }
}

export function limitTable(table: Table, n: number, offset: number): Table {
  const { key, columns } = table
  return { key, columns, chunks: () => firstChunks(table, n, offset) }
}

async function* firstChunks(
  table: Table,
  n: number,
  offset: number,
): AsyncGenerator<Chunk, void, void> {
  let skip = offset
  let left = n
  if (left <= 0) return
  for await (const chunk of table.chunks()) {
    const from = Math.min(skip, chunk.rowCount)
    skip -= from
    const to = Math.min(from + left, chunk.rowCount)
    left -= to - from
    if (to > from) yield sliceChunk(chunk, from, to)
    if (left === 0) return
  }
}

function tailTable(table: Table, n: number, offset: number, context: FluxContext): Table {
  const { key, columns } = table
  return { key, columns, chunks: () => lastChunks(table, n, Math.max(offset, 0), context) }
}

/** Keeps no more chunks than the rows asked for lie in. */
async function* lastChunks(
  table: Table,
  n: number,
  offset: number,
  { memory, signal }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  if (n <= 0) return
  const kept: Chunk[] = []
  let rows = 0
  for await (const chunk of table.chunks()) {
    signal.throwIfAborted()
    if (chunk.rowCount === 0) continue
    memory.take(chunkBytes(chunk))
    kept.push(chunk)
    rows += chunk.rowCount
    while (rows - kept[0].rowCount >= n + offset) {
      const [first] = kept.splice(0, 1)
      rows -= first.rowCount
      memory.release(chunkBytes(first))
    }
  }
  const stop = rows - offset
  const start = Math.max(stop - n, 0)
  let at = 0
  for (const chunk of kept) {
    const from = Math.max(start - at, 0)
    const to = Math.min(stop - at, chunk.rowCount)
    if (to > from) yield sliceChunk(chunk, from, to)
    at += chunk.rowCount
    memory.release(chunkBytes(chunk))
  }
}
