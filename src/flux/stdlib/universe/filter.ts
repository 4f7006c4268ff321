// `filter`: keeps the rows for which a function says true. Tables that lose all rows are dropped unless
// the call asks for them.

import type { MaybePromise } from '../../../platform/pull-stream.js'
import type { Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { batchTransformation, type Definitions } from '../../package/define.js'
import type { Expression } from '../../syntax/ast.js'
import { gatherChunk } from '../../table/cells.js'
import {
  areColumnsAllowed,
  cellsByColumns,
  columnExpression,
  rowBody,
} from '../../table/column-expression.js'
import { trueRows } from '../../table/column-operators.js'
import { matchingRows, RowCalls, rowCall } from '../../table/row-calls.js'
import { areSameColumns, type Table } from '../../table/table.js'
import { type BatchStream, TableBatch } from '../../table/table-batch.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import type { FluxFunction, PositionalCall } from '../../value/value.js'

const type =
  '(<-tables: stream[A], fn: (r: A) => bool, ?onEmpty: string) => stream[A] where A: Record'

export const filters: Definitions = {
  filter: batchTransformation(type, (call) => {
    const onEmpty = call.string('onEmpty', 'drop')
    if (onEmpty !== 'keep' && onEmpty !== 'drop') {
      throw new FluxError(`onEmpty must be keep or drop, was ${quoted(onEmpty)}`)
    }
    const fn = call.function('fn')
    const prepared = { fn, call: rowCall(fn), body: rowBody(fn) }
    return (input, context) => filterTables(input, context, prepared, onEmpty === 'keep')
  }),
}

interface Predicate {
  readonly fn: FluxFunction
  readonly call: PositionalCall
  readonly body: Expression | undefined
}

async function* filterTables(
  input: BatchStream,
  context: FluxContext,
  predicate: Predicate,
  keepsEmpty: boolean,
): AsyncGenerator<Table | TableBatch, void, void> {
  const areColumnsOn = await areColumnsAllowed(context)
  let known: readonly TableColumn[] | undefined
  let matching: Matching | undefined
  for await (const item of input) {
    context.signal.throwIfAborted()
    // Most tables of a stream are alike: what the function reads of them is found out once.
    if (matching === undefined || known === undefined || !areSameColumns(known, item.columns)) {
      known = item.columns
      matching = byRows(predicate, known)
      if (areColumnsOn) matching = byColumns(predicate, known, matching) ?? matching
    }
    if (item instanceof TableBatch && !keepsEmpty) {
      const rows = await matching(item.rows)
      const kept = rows === null ? item : item.keeping(rows)
      if (kept !== undefined) yield kept
      continue
    }
    for (const table of item instanceof TableBatch ? item.tables() : [item]) {
      const chunks = matchingChunks(table, matching, context)
      const first = await chunks.next()
      if (first.done === true && !keepsEmpty) continue
      const { key, columns } = table
      yield { key, columns, chunks: () => chunksFrom(first, chunks) }
    }
  }
}

/** The rows of a chunk that are kept; null: all. */
type Matching = (chunk: Chunk) => MaybePromise<Uint32Array | null>

/** undefined: it must be called. `called`: where it must be for some rows. */
function byColumns(
  { fn, body }: Predicate,
  columns: readonly TableColumn[],
  called: Matching,
): Matching | undefined {
  const expression = body === undefined ? undefined : columnExpression(body, fn, columns)
  if (expression?.type !== 'bool') return undefined
  return (chunk) => {
    const cells = cellsByColumns(expression, chunk)
    if (cells === undefined) return called(chunk)
    if (cells.kind === 'constant') return cells.value === true ? null : new Uint32Array(0)
    const rows = trueRows(cells, chunk.rowCount)
    return rows.length === chunk.rowCount ? null : rows
  }
}

function byRows({ call }: Predicate, columns: readonly TableColumn[]): Matching {
  const calls = new RowCalls(call, columns, 'failed to evaluate filter function')
  return (chunk) => matchingRows(calls, chunk)
}

/** Chunks without rows are left out. */
async function* matchingChunks(
  table: Table,
  matching: Matching,
  context: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) {
    context.signal.throwIfAborted()
    const rows = await matching(chunk)
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
