// `union`: several streams as one; tables with the same key become one table. Rows keep the order of the
// streams.

import type { FluxContext } from '../../context/context.js'
import { StreamNode } from '../../node/node.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { MergedTables } from '../../table/merged-tables.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { FluxValue } from '../../value/value.js'

export const unions: Definitions = {
  union: native('(tables: [stream[A]]) => stream[A] where A: Record', union),
}

function union(call: Call): FluxValue {
  const values = call.array('tables')
  if (values.length < 2) throw new FluxError('union must have at least two streams as input')
  const streams = values.map((value) => {
    if (value instanceof StreamNode) return value
    throw new FluxError('input to union is not a table object')
  })
  return call.node(streams, unionTables)
}

async function* unionTables(
  inputs: readonly TableStream[],
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const merged = new MergedTables(context.memory)
  for (const input of inputs) {
    for await (const table of input) {
      context.signal.throwIfAborted()
      const target = merged.table(table.key)
      target.declare(table.columns)
      for await (const chunk of table.chunks()) target.add(table.columns, chunk)
    }
  }
  yield* merged.tables()
}
