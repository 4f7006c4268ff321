// `pivot` over batches: all rows are told apart at once, first by table, then by row key, and every new column is
// filled for all tables together. Tables that get other columns than their neighbours leave in a batch of their own.

import { compareUtf8 } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import { chunkBytes, gatherCells, sliceCells } from '../../table/cells.js'
import { joinChunks } from '../../table/collect.js'
import { cutBatches } from '../../table/regrouped-tables.js'
import { firstRows, type RowGroups, rowGroups } from '../../table/row-groups.js'
import { sortedOrder, sortKeys } from '../../table/row-order.js'
import { ScatteredCells } from '../../table/scattered-cells.js'
import { areSameColumns, columnIndex, type Table } from '../../table/table.js'
import { placesByName, TableBatch } from '../../table/table-batch.js'
import {
  checkLabel,
  keptColumns,
  type Pivoting,
  type PivotPlaces,
  pivotLabel,
  pivotPlaces,
} from './pivot-shape.js'

/** Rows that are pivoted at once, without a pause. */
const rowsMax = 16_384
/** New columns are filled for all tables: where most cells would stay empty, tables are better made one by one. */
const emptyCellsMax = 100_000

export class BatchPivot {
  readonly #settings: Pivoting
  readonly #memory: MemoryMeter
  #batches: TableBatch[] = []
  #rowCount = 0
  #bytes = 0

  constructor(settings: Pivoting, memory: MemoryMeter) {
    this.#settings = settings
    this.#memory = memory
  }

  /** False: it does not go with those that are there, or there are enough. */
  add(batch: TableBatch): boolean {
    const [first] = this.#batches
    if (this.#rowCount + batch.rows.rowCount > rowsMax) return false
    if (first !== undefined && !isAlike(batch, first)) return false
    // Counted twice: what is made of them is about as large.
    const bytes = 2 * chunkBytes(batch.rows)
    this.#memory.take(bytes)
    this.#bytes += bytes
    this.#rowCount += batch.rows.rowCount
    this.#batches.push(batch)
    return true
  }

  /** What was added, to be pivoted otherwise. */
  takeBack(): readonly TableBatch[] {
    const batches = this.#batches
    this.#batches = []
    this.release()
    return batches
  }

  /** All at once; undefined: this is not the way for them. */
  tables(): Iterable<Table | TableBatch> | undefined {
    const [first] = this.#batches
    if (first === undefined) return []
    const chunks = this.#batches.map((batch) => batch.rows)
    const rows = joinChunks(first.columns, chunks)
    const pivoted = new PivotedRows(first.columns, first.keyNames, rows, this.#settings)
    return pivoted.isSparse ? undefined : pivoted.tables()
  }

  release(): void {
    this.#memory.release(this.#bytes)
    this.#bytes = 0
    this.#rowCount = 0
  }
}

function isAlike(a: TableBatch, b: TableBatch): boolean {
  if (!areSameColumns(a.columns, b.columns)) return false
  if (a.keyPlaces.length !== b.keyPlaces.length) return false
  return a.keyPlaces.every((place, i) => place === b.keyPlaces[i])
}

interface Label {
  readonly name: string
  readonly rows: number[]
}

class PivotedRows {
  readonly #settings: Pivoting
  readonly #rows: Chunk
  readonly #columns: readonly TableColumn[]
  readonly #kept: readonly TableColumn[]
  readonly #places: PivotPlaces
  readonly #isKey: (name: string) => boolean
  /** The table that each row comes into, and the row there. */
  readonly #tables: RowGroups
  readonly #made: RowGroups
  readonly #labels: Label[] = []
  /** For each table the numbers of its labels, as they come. */
  readonly #labelsOf: number[][]

  constructor(
    columns: readonly TableColumn[],
    keyNames: readonly string[],
    rows: Chunk,
    settings: Pivoting,
  ) {
    this.#settings = settings
    this.#rows = rows
    this.#columns = columns
    this.#places = pivotPlaces(columns, settings)
    this.#isKey = (name) => keyNames.includes(name) && !settings.dropped.has(name)
    this.#kept = keptColumns(columns, this.#isKey, settings)
    this.#tables = rowGroups(rows, this.#keyPlaces(columns))
    this.#made = rowGroups(rows, this.#places.rowKey, this.#tables)
    this.#labelsOf = Array.from({ length: this.#tables.count }, () => [])
    this.#label()
  }

  get isSparse(): boolean {
    return this.#labels.length * this.#made.count > 4 * this.#rows.rowCount + emptyCellsMax
  }

  #keyPlaces(columns: readonly TableColumn[]): readonly number[] {
    return placesByName(columns, ({ name }) => this.#isKey(name))
  }

  #label(): void {
    const { columnKey } = this.#places
    const groups = rowGroups(this.#rows, columnKey)
    const byName = new Map<string, number>()
    // Different values may be written alike.
    const numbers = Array.from(firstRows(groups), (row) => {
      const name = pivotLabel(this.#rows, columnKey, row)
      const known = byName.get(name)
      if (known !== undefined) return known
      checkLabel(name, this.#kept)
      byName.set(name, this.#labels.length)
      return this.#labels.push({ name, rows: [] }) - 1
    })
    for (let row = 0; row < this.#rows.rowCount; row++) {
      const label = numbers[groups.numbers[row]]
      this.#labels[label].rows.push(row)
      const own = this.#labelsOf[this.#tables.numbers[row]]
      if (!own.includes(label)) own.push(label)
    }
  }

  /** In the order of their keys. */
  *tables(): Generator<Table | TableBatch, void, void> {
    const firsts = firstRows(this.#made)
    const tableRows = firstRows(this.#tables)
    const tableOrder = this.#tableOrder(tableRows)
    const ranks = new Float64Array(this.#tables.count)
    for (let i = 0; i < ranks.length; i++) ranks[tableOrder === undefined ? i : tableOrder[i]] = i
    const order = this.#rowOrder(firsts, ranks)
    const ends = new Uint32Array(this.#tables.count)
    for (const row of firsts) ends[ranks[this.#tables.numbers[row]]]++
    for (let i = 1; i < ends.length; i++) ends[i] += ends[i - 1]
    const kept = this.#kept.map(({ name }) => {
      const cells = gatherCells(this.#rows.columns[columnIndex(this.#columns, name)], firsts)
      return order === undefined ? cells : gatherCells(cells, order)
    })
    const values = this.#labels.map((label) => this.#values(label, order))
    const inRanks = Array.from(ranks, (_, i) => this.#ownLabels(tableOrder?.[i] ?? i))
    for (let first = 0; first < ends.length; ) {
      let stop = first + 1
      while (stop < ends.length && isSame(inRanks[stop], inRanks[first])) stop++
      yield* cutBatches(this.#batch(kept, values, inRanks[first], ends, first, stop))
      first = stop
    }
  }

  /** undefined: as they came. */
  #tableOrder(tableRows: Uint32Array): Uint32Array | undefined {
    const keys = this.#keyPlaces(this.#columns).flatMap((place) =>
      sortKeys(gatherCells(this.#rows.columns[place], tableRows), tableRows.length, false),
    )
    return sortedOrder(keys, tableRows.length)
  }

  /** Table after table; undefined: as they were made. */
  #rowOrder(firsts: Uint32Array, ranks: Float64Array): Uint32Array | undefined {
    const tables = Float64Array.from(firsts, (row) => ranks[this.#tables.numbers[row]])
    const { rowKey } = this.#places
    const times = this.#settings.isInOrder
      ? sortKeys(gatherCells(this.#rows.columns[rowKey[0]], firsts), firsts.length, false)
      : []
    return sortedOrder([tables, ...times], firsts.length)
  }

  #values({ name, rows }: Label, order: Uint32Array | undefined): Cells {
    const { value } = this.#places
    const cells = new ScatteredCells(name, this.#columns[value].type, this.#made.count)
    const source = this.#rows.columns[value]
    const own = rows.length === this.#rows.rowCount ? null : Uint32Array.from(rows)
    cells.set(source, this.#rows.rowCount, this.#made.numbers, own)
    const made = cells.finish(this.#made.count)
    return order === undefined ? made : gatherCells(made, order)
  }

  #ownLabels(table: number): readonly number[] {
    const own = this.#labelsOf[table]
    if (!this.#settings.isInOrder || own.length === 1) return own
    return own.sort((a, b) => compareUtf8(this.#labels[a].name, this.#labels[b].name))
  }

  /** The tables from `first` up to `stop`, which have the same labels. */
  #batch(
    kept: readonly Cells[],
    values: readonly Cells[],
    labels: readonly number[],
    ends: Uint32Array,
    first: number,
    stop: number,
  ): TableBatch {
    const { type } = this.#columns[this.#places.value]
    const named = labels.map((label): TableColumn => ({ name: this.#labels[label].name, type }))
    const columns = [...this.#kept, ...named]
    const [start, end] = [first === 0 ? 0 : ends[first - 1], ends[stop - 1]]
    const cells = [...kept, ...labels.map((label) => values[label])]
    const rows = {
      rowCount: end - start,
      columns: cells.map((each) => sliceCells(each, start, end)),
    }
    const own = ends.slice(first, stop).map((each) => each - start)
    return new TableBatch(columns, this.#keyPlaces(this.#kept), rows, own)
  }
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((label, i) => label === b[i])
}
