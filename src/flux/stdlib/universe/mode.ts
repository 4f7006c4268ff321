// mode: the values that a column has most often, in order, one row each under `_value`. Where all values
// come equally often, there is none: one row without a value.

import { compareUtf8 } from '../../../column/series.js'
import { type Cell, type CellType, type Chunk, cellAt } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { eachChunk } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { keyedTable, rowTable } from './aggregate.js'

/** About what an entry of a map of counts takes. */
const entryBytes = 64

class ValueCounts {
  readonly #counts = new Map<Cell, number>()
  rowCount = 0

  get size(): number {
    return this.#counts.size
  }

  add(chunk: Chunk, place: number): void {
    const cells = chunk.columns[place]
    this.rowCount += chunk.rowCount
    for (let row = 0; row < chunk.rowCount; row++) {
      const value = cellAt(cells, row)
      if (value !== null) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
    }
  }

  /** Sorted; none where all come equally often. */
  modes(): Cell[] {
    let most = 0
    for (const count of this.#counts.values()) most = Math.max(most, count)
    const modes: Cell[] = []
    for (const [value, count] of this.#counts) if (count === most) modes.push(value)
    return modes.length === this.#counts.size ? [] : modes.sort(compareCells)
  }
}

/** Of one type. */
function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'string') return compareUtf8(a, b as string)
  return a < b ? -1 : a > b ? 1 : 0
}

async function modeTable(table: Table, column: string, context: FluxContext): Promise<Table> {
  context.signal.throwIfAborted()
  const place = columnIndex(table.columns, column)
  // What Flux answers where there is no such column.
  if (place < 0) return rowTable(table.key, [{ name: '_value', type: 'string', value: '' }])
  const { type } = table.columns[place]
  const entry = table.key.entry(column)
  if (entry !== undefined) {
    return rowTable(table.key, [{ name: '_value', type, value: entry.value }])
  }
  const counts = new ValueCounts()
  let bytes = 0
  try {
    await eachChunk(table, (chunk) => {
      counts.add(chunk, place)
      context.memory.take(counts.size * entryBytes - bytes)
      bytes = counts.size * entryBytes
    })
    return modesTable(table, type, counts)
  } finally {
    context.memory.release(bytes)
  }
}

function modesTable(table: Table, type: CellType, counts: ValueCounts): Table {
  const builder = new CellsBuilder(type)
  const modes = counts.modes()
  for (const mode of modes) builder.push(mode)
  if (modes.length === 0 && counts.rowCount > 0) builder.push(null)
  const rows = { rowCount: builder.count, columns: [builder.finish()] }
  return keyedTable(table.key, [{ name: '_value', type }], rows)
}

const signature = `(<-tables: stream[A], ?column: string) => stream[{C with _value: B}]
  where A: Record, C: Record`

export const modes: Definitions = {
  mode: transformation(signature, (call) => {
    const column = call.string('column', '_value')
    return (input, context) => mapTables(input, (table) => modeTable(table, column, context))
  }),
}
