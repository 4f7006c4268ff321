// `distinct` and `unique`: each value of a column once, alone or with the row it came in first. Null
// counts as a value.

import { type Cells, type Chunk, cellAt, type TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import { type Definitions, type Transform, transformation } from '../../package/define.js'
import { constantCells, gatherCells, gatherChunk } from '../../table/cells.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table, type TableStream, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'

export const distincts: Definitions = {
  distinct: transformation(
    '(<-tables: stream[A], ?column: string) => stream[B] where A: Record, B: Record',
    (call) => distinctValues(call.string('column', '_value')),
  ),
  unique: transformation(
    '(<-tables: stream[A], ?column: string) => stream[A] where A: Record',
    (call) => uniqueRows(call.string('column', '_value')),
  ),
}

/** About what remembering a value takes. */
const bytesPerValue = 48

/** Values that came by already. */
export class SeenValues {
  readonly #seen = new Set<unknown>()
  readonly #memory: MemoryMeter
  #dictionary: readonly string[] | undefined
  #isKnownEntry = new Uint8Array(0)

  constructor(memory: MemoryMeter) {
    this.#memory = memory
  }

  /** The rows whose value comes for the first time. */
  newRows(cells: Cells, rowCount: number): Uint32Array {
    const rows = new Uint32Array(cells.kind === 'constant' ? 1 : rowCount)
    const before = this.#seen.size
    let count = 0
    for (let row = 0; row < rows.length && row < rowCount; row++) {
      if (this.#isNew(cells, row)) rows[count++] = row
    }
    this.#memory.take((this.#seen.size - before) * bytesPerValue)
    return rows.subarray(0, count)
  }

  release(): void {
    this.#memory.release(this.#seen.size * bytesPerValue)
  }

  #isNew(cells: Cells, row: number): boolean {
    if (cells.kind === 'values' && cells.type === 'string' && this.#isKnown(cells, row))
      return false
    const value = cellAt(cells, row)
    if (this.#seen.has(value)) return false
    this.#seen.add(value)
    return true
  }

  /** A look at a flag in the place of a look for a text, for entries of a dictionary that came before. */
  #isKnown(cells: Extract<Cells, { type: 'string'; kind: 'values' }>, row: number): boolean {
    if (cells.validity !== undefined && cells.validity[row] === 0) return false
    if (cells.dictionary !== this.#dictionary) {
      this.#dictionary = cells.dictionary
      this.#isKnownEntry = new Uint8Array(cells.dictionary.length)
    }
    const entry = cells.values[row]
    const isKnown = this.#isKnownEntry[entry] === 1
    this.#isKnownEntry[entry] = 1
    return isKnown
  }
}

export function distinctValues(column: string): Transform {
  return (input, context) =>
    mapTables(tablesWithColumns(input), (table) => distinctTable(table, column, context))
}

/** Without any column there is no row that could lack a value: `keep` of a tag that no table has leaves such. */
async function* tablesWithColumns(input: TableStream): AsyncGenerator<Table, void, void> {
  for await (const table of input) if (table.columns.length > 0) yield table
}

function distinctTable(table: Table, column: string, context: FluxContext): Table {
  context.signal.throwIfAborted()
  const place = columnIndex(table.columns, column)
  const keyColumns = table.columns.filter(({ name }) => table.key.has(name) && name !== '_value')
  const keyCells = keyColumns.map(({ name, type }) =>
    constantCells(type, table.key.entry(name)!.value),
  )
  const type = place < 0 ? 'string' : table.columns[place].type
  const columns: TableColumn[] = [...keyColumns, { name: '_value', type }]
  const entry = table.key.entry(column)
  if (place < 0 || entry !== undefined) {
    const cells = constantCells(type, place < 0 ? '' : entry!.value)
    return tableOf(table.key, columns, [{ rowCount: 1, columns: [...keyCells, cells] }])
  }
  const choose = (chunk: Chunk, rows: Uint32Array): Chunk => {
    const values = gatherCells(chunk.columns[place], rows)
    return { rowCount: rows.length, columns: [...keyCells, values] }
  }
  return { key: table.key, columns, chunks: () => newChunks(table, place, context, choose) }
}

export function uniqueRows(column: string): Transform {
  return (input, context) =>
    mapTables(input, (table) => {
      context.signal.throwIfAborted()
      const place = columnIndex(table.columns, column)
      if (place < 0) throw new FluxError(`no column ${quoted(column)} exists`)
      const { key, columns } = table
      return { key, columns, chunks: () => newChunks(table, place, context, gatherChunk) }
    })
}

async function* newChunks(
  table: Table,
  place: number,
  context: FluxContext,
  choose: (chunk: Chunk, rows: Uint32Array) => Chunk,
): AsyncGenerator<Chunk, void, void> {
  const seen = new SeenValues(context.memory)
  try {
    for await (const chunk of table.chunks()) {
      context.signal.throwIfAborted()
      const rows = seen.newRows(chunk.columns[place], chunk.rowCount)
      if (rows.length > 0) yield choose(chunk, rows)
    }
  } finally {
    seen.release()
  }
}
