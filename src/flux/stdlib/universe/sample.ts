// `sample`: every n-th row of each table, from a given or a random one on. The randomness is the
// service's own.

import type { Chunk } from '../../../query/table.js'
import { type Definitions, transformation } from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'

const type =
  '(<-tables: stream[A], n: int, ?pos: int, ?column: string) => stream[A] where A: Record'

export const samples: Definitions = {
  sample: transformation(type, (call) => {
    const n = call.int('n')
    if (n <= 0n) throw new FluxError(`n must be a positive integer, but was ${n}`)
    const position = call.int('pos', -1n)
    if (position >= n) throw new FluxError(`pos must be less than n, but ${position} >= ${n}`)
    const column = call.string('column', '_value')
    const step = Number(n)
    const { random } = call.context.scope
    return (input) =>
      mapTables(input, (table) => {
        if (columnIndex(table.columns, column) < 0) {
          throw new FluxError(`no column ${quoted(column)} exists`)
        }
        const first = position < 0n ? Math.floor(random.float() * step) : Number(position)
        const { key, columns } = table
        return { key, columns, chunks: () => sampledChunks(table, first, step) }
      })
  }),
}

async function* sampledChunks(
  table: Table,
  first: number,
  step: number,
): AsyncGenerator<Chunk, void, void> {
  let next = first
  for await (const chunk of table.chunks()) {
    const count = Math.max(0, Math.ceil((chunk.rowCount - next) / step))
    const rows = Uint32Array.from({ length: count }, (_, i) => next + i * step)
    next += count * step - chunk.rowCount
    if (count > 0) yield gatherChunk(chunk, rows)
  }
}
