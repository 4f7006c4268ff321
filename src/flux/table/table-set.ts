// Tables put together anew under their keys: what functions use that move rows to other tables (group,
// window, pivot, union, keep, drop, map …). Rows of one key come behind each other in the order they
// were added; a column that some rows of a table do not have is null there. Tables leave in the order
// in which their keys came first.

import type { Cell, Cells, Chunk, TableColumn } from '../../query/table.js'
import type { MemoryMeter } from '../evaluate/memory-meter.js'
import { FluxError } from '../value/error.js'
import { constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import type { GroupKey } from './key.js'
import { type Table, tableOf } from './table.js'

export class TableSet {
  readonly #memory: MemoryMeter
  readonly #tables = new Map<string, TableBuilder>()

  constructor(memory: MemoryMeter) {
    this.#memory = memory
  }

  get size(): number {
    return this.#tables.size
  }

  has(key: GroupKey): boolean {
    return this.#tables.has(key.text)
  }

  /** The table of that key; made where there is none. */
  table(key: GroupKey): TableBuilder {
    let table = this.#tables.get(key.text)
    if (table === undefined) {
      table = new TableBuilder(key, this.#memory)
      this.#tables.set(key.text, table)
    }
    return table
  }

  /** Lets go of each table once the reader asks for the next. */
  *tables(): Generator<Table, void, void> {
    for (const [text, builder] of this.#tables) {
      this.#tables.delete(text)
      const table = builder.finish()
      yield table
      builder.release()
    }
  }
}

/** One table being made. Columns are added as they come, with nulls in the rows before. */
export class TableBuilder {
  readonly key: GroupKey
  readonly #memory: MemoryMeter
  readonly #columns: TableColumn[] = []
  readonly #builders: (CellsBuilder | undefined)[] = []
  readonly #places = new Map<string, number>()
  #rowCount = 0
  #bytes = 0

  constructor(key: GroupKey, memory: MemoryMeter) {
    this.key = key
    this.#memory = memory
  }

  get rowCount(): number {
    return this.#rowCount
  }

  get columns(): readonly TableColumn[] {
    return this.#columns
  }

  hasColumn(name: string): boolean {
    return this.#places.has(name)
  }

  /** The column's place. Throws where it is there with another type. */
  column(name: string, type: Cells['type']): number {
    const place = this.#places.get(name)
    if (place === undefined) return this.#add(name, type)
    const { type: before } = this.#columns[place]
    if (before !== type) {
      const types = `column "${name}" is both of type ${type} and ${before}`
      throw new FluxError(`schema collision detected: ${types}`)
    }
    return place
  }

  /** Rows `start` up to `stop` of a chunk with these columns. Columns of the key are not copied. */
  addRows(columns: readonly TableColumn[], chunk: Chunk, start = 0, stop = chunk.rowCount): void {
    const count = stop - start
    for (let i = 0; i < columns.length; i++) {
      const place = this.column(columns[i].name, columns[i].type)
      this.#builders[place]?.pushRange(chunk.columns[i], start, stop)
    }
    this.#took(count)
  }

  /** One row: a cell for each place that `column` gave; places that are left out are null. */
  addRow(places: readonly number[], cells: readonly (Cell | null)[]): void {
    for (let i = 0; i < places.length; i++) this.#builders[places[i]]?.push(cells[i])
    this.#took(1)
  }

  finish(): Table {
    for (const { name, type } of this.key.entries) this.column(name, type)
    const columns = this.#columns.map(({ type }, i) => {
      const builder = this.#builders[i]
      if (builder !== undefined) return builder.finish()
      return constantCells(type, this.key.entry(this.#columns[i].name)!.value)
    })
    return tableOf(this.key, this.#columns, [{ rowCount: this.#rowCount, columns }])
  }

  release(): void {
    this.#memory.release(this.#bytes)
    this.#bytes = 0
  }

  #add(name: string, type: Cells['type']): number {
    const place = this.#columns.length
    this.#columns.push({ name, type })
    this.#places.set(name, place)
    // What the key says need not be said in every row.
    if (this.key.entry(name)?.type === type) this.#builders.push(undefined)
    else {
      const builder = new CellsBuilder(type)
      builder.pushTimes(null, this.#rowCount)
      this.#builders.push(builder)
    }
    return place
  }

  #took(count: number): void {
    this.#rowCount += count
    let width = 0
    for (const builder of this.#builders) {
      if (builder === undefined) continue
      width += 9
      if (builder.count < this.#rowCount) builder.pushTimes(null, this.#rowCount - builder.count)
    }
    const bytes = count * width
    this.#memory.take(bytes)
    this.#bytes += bytes
  }
}
