// Small tables that come one after the other, put together into batches. Columns in which all rows are equal,
// as the bounds of a query are in all its tables, stay told once.

import type { Cell, Cells, CellType, TableColumn } from '../../query/table.js'
import type { MemoryMeter } from '../context/memory-meter.js'
import type { GroupKey } from '../value/key.js'
import { chunkBytes, constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import type { Table } from './table.js'
import { areSameColumns } from './table.js'
import { batchRowsMax, placesByName, TableBatch } from './table-batch.js'

/** Some rows of a table whose columns are made when they are asked for. */
export interface SmallTable {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
  readonly rowCount: number
  cells(place: number): Cells
}

export class BatchBuilder {
  readonly #memory: MemoryMeter
  #columns: readonly TableColumn[] = []
  #keyPlaces: readonly number[] = []
  #builders: SharedCells[] = []
  #ends: number[] = []
  #rowCount = 0
  #lentBytes = 0

  constructor(memory: MemoryMeter) {
    this.#memory = memory
  }

  /** False: it does not go with those that are there, or there are enough of them. Tables without rows never do. */
  add({ key, columns, rowCount, cells }: SmallTable): boolean {
    if (rowCount === 0) return false
    if (this.#ends.length === 0) this.#begin(key, columns)
    else if (this.#rowCount + rowCount > batchRowsMax || !this.#isAlike(key, columns)) return false
    for (let place = 0; place < this.#builders.length; place++) {
      this.#builders[place].add(cells(place), rowCount)
    }
    this.#rowCount += rowCount
    this.#ends.push(this.#rowCount)
    return true
  }

  #begin(key: GroupKey, columns: readonly TableColumn[]): void {
    this.#columns = columns
    this.#keyPlaces = placesByName(columns, ({ name }) => key.has(name))
    this.#builders = columns.map(({ type }) => new SharedCells(type))
  }

  #isAlike({ entries }: GroupKey, columns: readonly TableColumn[]): boolean {
    if (!areSameColumns(columns, this.#columns)) return false
    if (entries.length !== this.#keyPlaces.length) return false
    return this.#keyPlaces.every((place, i) => entries[i].name === columns[place].name)
  }

  /** What there is, counted as memory until the next is taken; undefined: nothing. One table is no batch. */
  take(): Table | TableBatch | undefined {
    this.release()
    if (this.#ends.length === 0) return undefined
    const columns = this.#builders.map((builder) => builder.finish())
    const rows = { rowCount: this.#rowCount, columns }
    this.#lentBytes = chunkBytes(rows)
    this.#memory.take(this.#lentBytes)
    const batch = new TableBatch(this.#columns, this.#keyPlaces, rows, Uint32Array.from(this.#ends))
    this.#ends = []
    this.#rowCount = 0
    return batch.count === 1 ? batch.table(0) : batch
  }

  release(): void {
    this.#memory.release(this.#lentBytes)
    this.#lentBytes = 0
  }
}

/** A column that is a constant until another value comes. */
class SharedCells {
  readonly #type: CellType
  #value: Cell | null = null
  #count = 0
  #builder: CellsBuilder | undefined

  constructor(type: CellType) {
    this.#type = type
  }

  add(cells: Cells, rowCount: number): void {
    if (this.#builder === undefined) {
      const isSame = cells.kind === 'constant' && Object.is(cells.value, this.#value)
      if (cells.kind === 'constant' && (isSame || this.#count === 0)) {
        this.#value = cells.value
        this.#count += rowCount
        return
      }
      this.#builder = new CellsBuilder(this.#type, 256)
      this.#builder.pushTimes(this.#value, this.#count)
    }
    this.#builder.pushRange(cells, 0, rowCount)
  }

  finish(): Cells {
    return this.#builder?.finish() ?? constantCells(this.#type, this.#value)
  }
}
