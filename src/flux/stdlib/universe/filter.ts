// `filter`: keeps the rows for which a function says true. Tables that lose all rows are dropped unless
// the call asks for them.

import type { Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../evaluate/context.js'
import { gatherChunk } from '../../table/cells.js'
import { matchingRows, RowCalls, rowCall } from '../../table/row-calls.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { PositionalCall } from '../../value/function.js'
import { quoted } from '../../value/quote.js'
import { type Definitions, transformation } from '../define.js'

const type =
  '(<-tables: stream[A], fn: (r: A) => bool, ?onEmpty: string) => stream[A] where A: Record'

export const filters: Definitions = [
  [
    'filter',
    transformation(type, (call) => {
      const onEmpty = call.string('onEmpty', 'drop')
      if (onEmpty !== 'keep' && onEmpty !== 'drop') {
        throw new FluxError(`onEmpty must be keep or drop, was ${quoted(onEmpty)}`)
      }
      const fn = rowCall(call.function('fn'))
      return (input, context) => filterTables(input, context, fn, onEmpty === 'keep')
    }),
  ],
]

async function* filterTables(
  input: TableStream,
  context: FluxContext,
  fn: PositionalCall,
  keepsEmpty: boolean,
): AsyncGenerator<Table, void, void> {
  for await (const table of input) {
    context.signal.throwIfAborted()
    const calls = new RowCalls(fn, table.columns, 'failed to evaluate filter function')
    const chunks = matchingChunks(table, calls, context)
    const first = await chunks.next()
    if (first.done === true && !keepsEmpty) continue
    const { key, columns } = table
    yield { key, columns, chunks: () => chunksFrom(first, chunks) }
  }
}

/** Chunks without rows are left out. */
async function* matchingChunks(
  table: Table,
  calls: RowCalls,
  context: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    const rows = await matchingRows(calls, chunk)
    if (rows === null) {
      if (chunk.rowCount > 0) yield chunk
    } else if (rows.length > 0) yield gatherChunk(chunk, rows)
  }
}

async function* chunksFrom(
  first: IteratorResult<Chunk, void>,
  rest: AsyncGenerator<Chunk, void, void>,
): AsyncGenerator<Chunk, void, void> {
  if (first.done === true) return
  yield first.value
  yield* rest
}
