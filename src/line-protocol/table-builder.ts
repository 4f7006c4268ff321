// Rows of one measurement under construction: series, time offset and line of each row, and the
// columns. All arrays have one length and grow together.
//
// One base and float64 offsets reach 2^53 ns, so a measurement has one table per stretch of time.
// Stretches are aligned (whole multiples of 2^53 ns since 1970) and not centred on the rows: at any
// time a moment has one table to go to, and of two values for one point the later is in the same
// table or in a later one.
//
// Columns have room for every row, so rows with few of many fields waste memory: a million bytes of
// lines with a new field each would become gigabytes. A table that is large and mostly empty is
// therefore closed, and the rows that follow go to a new one for the same stretch. How much a batch
// takes in all is counted, so that a write of such tables is read in pieces.

import type { SeriesKeys } from '../column/series.js'
import { floorDiv } from '../column/time.js'
import type { WriteField, WriteTable } from '../column/write-batch.js'
import type { ArrayPool } from './array-pool.js'
import { BuilderPool } from './builder-pool.js'
import type { ColumnBuilder } from './column-builder.js'
import { type FieldName, noColumn } from './field-name.js'

const stretchNs = 2n ** 53n

/** Cells (rows times columns) up to which nobody minds how many are empty: 36 KB, so 64 lines of a new field each. */
const cellsFree = 1 << 12

/** Beyond that, at least one cell in so many must hold a value. */
const cellsPerValueMax = 4

/**
 * Visits to columns for taking lines back and for changing tables, before the table is closed: a
 * client that sends thousands of fields once and then bad lines must not make each of them cost
 * thousands of steps.
 */
const visitsMax = 1 << 20

/** Cells that a table may have room for before it has rows: more columns than that come with few rows each. */
const cellsAtFirstMax = 1 << 21

/** A row without its fields: series, time and line. A cell: a number, and whether it is there. */
const rowBytes = 16
const cellBytes = 9

/**
 * A table and a column without their rows: objects, here and on the way through the store. They count for a quarter of
 * what they take: pieces that end for the sake of a thousand measurements have a row or two of each.
 */
const tableObjectBytes = 1024 / 4
const columnObjectBytes = 384 / 4

/** Rows of a table whose columns are worth what they cost, if they are filled. */
const filledRowsMin = 8

export class TableBuilder {
  readonly measurement: string
  /** At this many rows the table needs a decision: grow or close. */
  capacity: number
  rowCount = 0
  series: Uint32Array
  offsets: Float64Array
  lines: Uint32Array
  /** Nanoseconds since 1970 that offsets count from: the time of the first row. */
  base = 0n
  hasBase = false
  /** Number of the stretch of time, once there is a base. */
  stretch = 0n
  /** Offsets in the table's stretch of time go from here to there. Before the first row: none. */
  offsetMin = 1
  offsetMax = 0
  #visits = 0
  /** Cells when their use was looked at last. */
  #cellsChecked = cellsFree
  readonly #builders: BuilderPool
  readonly #pool: ArrayPool
  /** Length of all arrays; a power of two. */
  #length: number
  readonly #columns: ColumnBuilder[] = []
  /** The field of each column. */
  readonly #fields: FieldName[] = []

  constructor(measurement: string, builders: BuilderPool, capacity: number) {
    const pool = builders.arrays
    this.#builders = builders
    this.measurement = measurement
    this.#pool = pool
    this.capacity = capacity
    this.#length = capacity
    this.series = pool.uint32(capacity)
    this.offsets = pool.float64(capacity)
    this.lines = pool.uint32(capacity)
    builders.tableBytes += tableObjectBytes + capacity * rowBytes
  }

  setBase(base: bigint): void {
    const stretch = stretchOf(base)
    this.base = base
    this.hasBase = true
    this.stretch = stretch
    this.offsetMin = Number(stretch * stretchNs - base)
    this.offsetMax = Number((stretch + 1n) * stretchNs - 1n - base)
  }

  /** Each column with the field that it is of. */
  eachColumn(callback: (field: FieldName, column: ColumnBuilder) => void): void {
    for (let i = 0; i < this.#columns.length; i++) callback(this.#fields[i], this.#columns[i])
  }

  /** Makes room for one more row; false if the table should be closed instead. */
  makeRoom(): boolean {
    if (this.#visits > visitsMax) return false
    const columnCount = this.#columns.length
    if (columnCount * this.#length >= cellsFree) {
      this.#cellsChecked = columnCount * this.#length
      let values = 0
      for (const column of this.#columns) values += column.valueCount(this.rowCount)
      if (values * cellsPerValueMax < columnCount * this.rowCount) return false
    }
    if (this.rowCount === this.#length) this.#resize(this.#length * 2)
    this.capacity = this.#length
    return true
  }

  #resize(length: number): void {
    const series = this.#pool.uint32(length)
    const offsets = this.#pool.float64(length)
    const lines = this.#pool.uint32(length)
    series.set(this.series.subarray(0, length))
    offsets.set(this.offsets.subarray(0, length))
    lines.set(this.lines.subarray(0, length))
    this.#pool.give(this.series)
    this.#pool.give(this.offsets)
    this.#pool.give(this.lines)
    this.series = series
    this.offsets = offsets
    this.lines = lines
    for (const column of this.#columns) column.resize(length)
    this.#builders.tableBytes +=
      (length - this.#length) * (rowBytes + this.#columns.length * cellBytes)
    this.#length = length
  }

  /**
   * A table gets room for as many rows as the last batch had. One line of a hundred thousand fields would take
   * gigabytes so: it gets room for the rows that there are.
   */
  #shrink(): void {
    let length = this.#length
    const lengthMin = 2 * (this.rowCount + 1)
    while (length >= lengthMin && length * this.#columns.length > cellsAtFirstMax) length /= 2
    if (length === this.#length) return
    this.#resize(length)
    this.capacity = Math.min(this.capacity, length)
  }

  /**
   * The field's column of this type, open for the row that is being read. If the line set the field
   * with another type before, that value goes: the last one on a line wins.
   */
  openColumn(field: FieldName, type: number): ColumnBuilder {
    const row = this.rowCount
    let column = field.columns[type]
    if (column === undefined) {
      column = this.#builders.column(type, this.#length)
      field.columns[type] = column
      this.#columns.push(column)
      this.#fields.push(field)
      this.#builders.tableBytes += columnObjectBytes + this.#length * cellBytes
      this.#builders.tally.columnCount++
      if (this.#length * this.#columns.length > cellsAtFirstMax) this.#shrink()
      const cells = this.#columns.length * this.#length
      if (cells > this.#cellsChecked * 1.25) this.capacity = row + 1
    }
    if (field.current !== column) {
      for (const other of field.columns) {
        if (other !== undefined && other !== column && other.hasRow(row)) other.withdrawRow(row)
      }
      field.current = column
    }
    column.openRow(row)
    return column
  }

  /** Forgets what the line being read has set so far. */
  rollBack(): void {
    for (const column of this.#columns) column.rollBack(this.rowCount)
    this.#countVisits()
  }

  /** Makes the fields of the measurement point to this table's columns. */
  attach(): void {
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i]
      this.#fields[i].columns[column.type] = column
      this.#fields[i].current = column
    }
  }

  detach(): void {
    for (let i = 0; i < this.#columns.length; i++) {
      this.#fields[i].columns[this.#columns[i].type] = undefined
      this.#fields[i].current = noColumn
    }
    this.#countVisits()
  }

  #countVisits(): void {
    this.#visits += this.#columns.length
    if (this.#visits > visitsMax) this.capacity = this.rowCount
  }

  /** Length of the longest field name on the line being read. */
  longestNameBytes(): number {
    let longest = 0
    for (let i = 0; i < this.#columns.length; i++) {
      if (!this.#columns[i].hasRow(this.rowCount)) continue
      longest = Math.max(longest, this.#fields[i].length - 1)
    }
    return longest
  }

  /** How many columns there are, where they are well filled: the limits of a write are for those that are not. */
  filledColumns(): number {
    const columnCount = this.#columns.length
    if (this.rowCount < filledRowsMin) return 0
    let values = 0
    for (const column of this.#columns) values += column.valueCount(this.rowCount)
    return values * cellsPerValueMax < columnCount * this.rowCount ? 0 : columnCount
  }

  finish(keys: SeriesKeys): WriteTable {
    const { rowCount } = this
    const fields: WriteField[] = []
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i].finish(rowCount)
      this.#builders.give(this.#columns[i])
      if (column !== undefined) fields.push({ name: this.#fields[i].name, column })
    }
    return {
      measurement: this.measurement,
      rowCount,
      series: this.series,
      keys,
      times: { base: this.base, offsets: this.offsets },
      fields,
      lines: this.lines,
    }
  }
}

/** The number of the stretch that holds the moment. */
export function stretchOf(time: bigint): bigint {
  return floorDiv(time, stretchNs)
}

/**
 * The table of a measurement that the current batch has not met: full, so that the first row asks
 * for a real one.
 */
export const noTable = new TableBuilder('', new BuilderPool(0), 1)
noTable.capacity = 0
