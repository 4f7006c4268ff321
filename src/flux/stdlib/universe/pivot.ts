// `pivot`: values that stand below each other come to stand side by side, in columns named by the values
// of other columns. Rows are told apart by the row key; a later value for the same place wins.

import { compareUtf8 } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import { isFromStore } from '../../node/lineage.js'
import { batchTransformation, type Definitions } from '../../package/define.js'
import { constantCells, gatherChunk } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { compareKeys } from '../../table/key-order.js'
import { RowDealer } from '../../table/row-groups.js'
import { newRowIndex, type RowIndex } from '../../table/row-index.js'
import { sortedOrder, sortKeys } from '../../table/row-order.js'
import { ScatteredCells } from '../../table/scattered-cells.js'
import { columnIndex, type Table, tableOf } from '../../table/table.js'
import { type BatchStream, TableBatch } from '../../table/table-batch.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey } from '../../value/key.js'
import { BatchPivot } from './batch-pivot.js'
import {
  checkLabel,
  keptColumns,
  type Pivoting,
  type PivotPlaces,
  pivotLabel,
  pivotPlaces,
} from './pivot-shape.js'

const type = `(<-tables: stream[A], rowKey: [string], columnKey: [string], valueColumn: string) => stream[B]
  where A: Record, B: Record`

/** About what a column takes besides its cells. */
const columnBytes = 512

export const pivots: Definitions = {
  pivot: batchTransformation(type, (call) => {
    const rowKey = call.strings('rowKey')
    const columnKey = call.strings('columnKey')
    const both = columnKey.find((name) => rowKey.includes(name))
    if (both !== undefined) {
      throw new FluxError(`column name found in both rowKey and colKey: ${both}`)
    }
    const isInOrder =
      rowKey.length === 1 && columnKey.length === 1 && isFromStore(call.stream('tables'))
    const valueColumn = call.string('valueColumn')
    const dropped = new Set([...columnKey, valueColumn])
    const settings = { rowKey, columnKey, valueColumn, dropped, isInOrder }
    return (input, context) => pivotTables(input, context, settings)
  }),
}

async function* pivotTables(
  input: BatchStream,
  context: FluxContext,
  settings: Pivoting,
): AsyncGenerator<Table | TableBatch, void, void> {
  const batches = new BatchPivot(settings, context.memory)
  const groups = new Map<string, PivotedTable>()
  const add = async (table: Table): Promise<void> => {
    const places = pivotPlaces(table.columns, settings)
    const key = table.key.without(settings.dropped)
    let group = groups.get(key.text)
    if (group === undefined) {
      group = new PivotedTable(key, table, settings, context.memory)
      groups.set(key.text, group)
    }
    await group.add(table, places, context)
  }
  for await (const item of input) {
    context.signal.throwIfAborted()
    if (item instanceof TableBatch && groups.size === 0 && batches.add(item)) continue
    // Tables may belong to what came in batches: then all go one by one.
    for (const batch of batches.takeBack()) for (const table of batch.tables()) await add(table)
    for (const table of item instanceof TableBatch ? item.tables() : [item]) await add(table)
  }
  const together = batches.tables()
  if (together !== undefined) yield* together
  else for (const batch of batches.takeBack()) for (const table of batch.tables()) await add(table)
  batches.release()
  const sorted = [...groups.values()].sort((a, b) => compareKeys(a.key, b.key))
  groups.clear()
  for (const group of sorted) {
    yield group.toTable()
    group.release()
  }
}

/** One table on the way out. */
class PivotedTable {
  readonly key: GroupKey
  readonly #settings: Pivoting
  readonly #memory: MemoryMeter
  /** What is kept of the first table: its key, as far as it stays, and the row key. */
  readonly #kept: readonly TableColumn[]
  readonly #keptCells: readonly (CellsBuilder | undefined)[]
  readonly #rows: RowIndex
  readonly #pivoted = new Map<string, ScatteredCells>()
  #bytes = 0

  constructor(key: GroupKey, table: Table, settings: Pivoting, memory: MemoryMeter) {
    this.key = key
    this.#settings = settings
    this.#memory = memory
    this.#kept = keptColumns(table.columns, (name) => key.has(name), settings)
    this.#keptCells = this.#kept.map(({ name, type }) => {
      return key.has(name) ? undefined : new CellsBuilder(type)
    })
    const types = settings.rowKey.map(
      (name) => table.columns[columnIndex(table.columns, name)].type,
    )
    this.#rows = newRowIndex(types)
  }

  async add(table: Table, places: PivotPlaces, context: FluxContext): Promise<void> {
    const keyColumns = places.columnKey.map((place) => table.columns[place])
    const dealer = new RowDealer(table.columns, keyColumns)
    const keptPlaces = this.#kept.map(({ name }) => columnIndex(table.columns, name))
    for await (const chunk of table.chunks()) {
      context.signal.throwIfAborted()
      const targets = this.#number(chunk, places.rowKey, keptPlaces)
      for (const { rows } of dealer.deal(chunk)) {
        const label = pivotLabel(chunk, places.columnKey, rows === null ? 0 : rows[0])
        const cells = this.#column(label, chunk.columns[places.value])
        cells.reserve(this.#rows.count)
        cells.set(chunk.columns[places.value], chunk.rowCount, targets, rows)
      }
    }
  }

  /** The row that each row of the chunk becomes part of. */
  #number(chunk: Chunk, rowKey: readonly number[], keptPlaces: readonly number[]): Uint32Array {
    const before = this.#rows.count
    const targets = this.#rows.numbers(chunk, rowKey, (row) => {
      for (let i = 0; i < keptPlaces.length; i++) {
        this.#keptCells[i]?.pushFrom(chunk.columns[keptPlaces[i]], row)
      }
    })
    // Key words, slots and cells of every column, whether set or not.
    this.#took((this.#rows.count - before) * (24 + 9 * (this.#kept.length + this.#pivoted.size)))
    return targets
  }

  #column(label: string, { type }: Cells): ScatteredCells {
    let cells = this.#pivoted.get(label)
    if (cells === undefined) {
      checkLabel(label, this.#kept)
      this.#took(columnBytes + this.#rows.count * 9)
      cells = new ScatteredCells(label, type, Math.max(this.#rows.count, 16))
      this.#pivoted.set(label, cells)
    }
    return cells
  }

  toTable(): Table {
    const rowCount = this.#rows.count
    const columns = [...this.#kept]
    const cells: Cells[] = this.#kept.map(({ name, type }, i) => {
      return this.#keptCells[i]?.finish() ?? constantCells(type, this.key.entry(name)!.value)
    })
    const pivoted = [...this.#pivoted.values()]
    if (this.#settings.isInOrder) pivoted.sort((a, b) => compareUtf8(a.name, b.name))
    for (const column of pivoted) {
      columns.push({ name: column.name, type: column.type })
      cells.push(column.finish(rowCount))
    }
    const rows: Chunk = { rowCount, columns: cells }
    const order = this.#settings.isInOrder ? this.#order(rows) : undefined
    return tableOf(this.key, columns, [order === undefined ? rows : gatherChunk(rows, order)])
  }

  #order({ rowCount, columns }: Chunk): Uint32Array | undefined {
    const place = columnIndex(this.#kept, this.#settings.rowKey[0])
    return sortedOrder(sortKeys(columns[place], rowCount, false), rowCount)
  }

  release(): void {
    this.#memory.release(this.#bytes)
    this.#bytes = 0
  }

  #took(bytes: number): void {
    this.#memory.take(bytes)
    this.#bytes += bytes
  }
}
