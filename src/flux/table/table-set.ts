// Tables made row by row under their keys. Rows of one key come behind each other in the order they were
// added; a column that some rows of a table do not have is null there. Tables leave in the order in
// which their keys came first. What has rows in chunks already goes into `MergedTables`.

import type { Cell, Cells, TableColumn } from '../../query/table.js'
import type { MemoryMeter } from '../context/memory-meter.js'
import { FluxError } from '../value/error.js'
import type { GroupKey } from '../value/key.js'
import { constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import { type Table, tableOf } from './table.js'

export class TableSet {
  readonly #memory: MemoryMeter
  readonly #tables = new Map<string, TableBuilder>()

  constructor(memory: MemoryMeter) {
    this.#memory = memory
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

  /** Releases each table once the reader asks for the next. */
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

  /** One row: a cell for each place that `column` gave; places that are left out are null. */
  addRow(places: readonly number[], cells: readonly (Cell | null)[]): void {
    for (let i = 0; i < places.length; i++) this.#builders[places[i]]?.push(cells[i])
    this.#tookRow()
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

  #tookRow(): void {
    this.#rowCount++
    let bytes = 0
    for (const builder of this.#builders) {
      if (builder === undefined) continue
      bytes += 9
      if (builder.count < this.#rowCount) builder.push(null)
    }
    this.#memory.take(bytes)
    this.#bytes += bytes
  }
}
