// Rows on their way to a store: tables of columns, one per measurement and stretch of time, gathered until there are
// enough of them for a write. Columns grow with their rows, so that a thousand measurements with few rows stay small.

import type { Column, FieldType, StringColumn } from '../../column/column.js'
import { KeyTable } from '../../column/key-table.js'
import type { SeriesKeys } from '../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import { widened } from './points.js'

/** Rows and cells (rows times columns) of a batch: 2 to 4 MB, which the store takes in at once. */
const batchRowsMax = 16_384
const batchCellsMax = 262_144

const rowsMin = 64

export interface RowField {
  readonly name: string
  readonly column: Column
  /** The row of each value; undefined: value i is in row i. */
  readonly rows: Uint32Array | undefined
}

export class BatchBuilder {
  #keys = new KeyTable()
  #tables: TableRows[] = []
  #rows = 0
  #cells = 0
  /** Of the batch before: the next one is likely as large, and need not grow to it. */
  #rowsBefore = rowsMin

  get isFull(): boolean {
    return this.#rows >= batchRowsMax || this.#cells >= batchCellsMax
  }

  /** Rows of one series; their moments ascend. */
  add(
    measurement: string,
    key: Uint8Array,
    base: bigint,
    offsets: Float64Array,
    fields: readonly RowField[],
  ): void {
    let table = this.#tables.at(-1)
    if (table === undefined || table.measurement !== measurement || table.base !== base) {
      const rows = this.#tables.length === 0 ? this.#rowsBefore : rowsMin
      table = new TableRows(measurement, base, rows)
      this.#tables.push(table)
    }
    const cells = table.cells
    table.add(this.#keys.intern(key), offsets, fields)
    this.#rows += offsets.length
    this.#cells += table.cells - cells
  }

  /** What was gathered; undefined: nothing. The arrays are the caller's. */
  take(): WriteBatch | undefined {
    if (this.#rows === 0) return undefined
    const tables = this.#tables.map((table) => table.finish(this.#keys))
    const batch = { tables, pointCount: this.#rows }
    this.#rowsBefore = Math.max(rowsMin, Math.ceil(tables[0].rowCount * 1.25))
    this.#tables = []
    this.#rows = 0
    this.#cells = 0
    // Numbers of series are remembered by the store; so many of them are not worth the memory.
    if (this.#keys.count > 1_000_000) this.#keys = new KeyTable()
    return batch
  }
}

class TableRows {
  readonly measurement: string
  readonly base: bigint
  #rowCount = 0
  #series: Uint32Array
  #offsets: Float64Array
  readonly #columns = new Map<string, ColumnRows>()

  constructor(measurement: string, base: bigint, capacity: number) {
    this.measurement = measurement
    this.base = base
    this.#series = new Uint32Array(capacity)
    this.#offsets = new Float64Array(capacity)
  }

  get cells(): number {
    return this.#rowCount * this.#columns.size
  }

  add(series: number, offsets: Float64Array, fields: readonly RowField[]): void {
    const start = this.#rowCount
    const stop = start + offsets.length
    if (stop > this.#series.length) this.#grow(stop)
    this.#series.fill(series, start, stop)
    this.#offsets.set(offsets, start)
    for (const { name, column, rows } of fields)
      this.#column(name, column.type).add(start, column, rows)
    this.#rowCount = stop
  }

  #column(name: string, type: FieldType): ColumnRows {
    const key = `${type} ${name}`
    let column = this.#columns.get(key)
    if (column === undefined) {
      column = new ColumnRows(name, type, this.#series.length)
      this.#columns.set(key, column)
    }
    return column
  }

  #grow(rows: number): void {
    const capacity = Math.max(rows, this.#series.length * 2)
    this.#series = grown(this.#series, capacity)
    this.#offsets = grown(this.#offsets, capacity)
    for (const column of this.#columns.values()) column.grow(capacity)
  }

  finish(keys: SeriesKeys): WriteTable {
    const rowCount = this.#rowCount
    return {
      measurement: this.measurement,
      rowCount,
      series: this.#series,
      keys,
      times: { base: this.base, offsets: this.#offsets },
      fields: Array.from(this.#columns.values(), (column) => column.finish(rowCount)),
      lines: new Uint32Array(this.#series.length),
    }
  }
}

class ColumnRows {
  readonly name: string
  readonly type: FieldType
  #values: Column['values']
  /** While every row has a value there is none. */
  #validity: Uint8Array | undefined
  #valueCount = 0
  readonly #strings: StringRows | undefined

  constructor(name: string, type: FieldType, capacity: number) {
    this.name = name
    this.type = type
    this.#strings = type === 'string' ? new StringRows() : undefined
    if (type === 'string') this.#values = new Uint32Array(capacity)
    else this.#values = type === 'boolean' ? new Uint8Array(capacity) : new Float64Array(capacity)
  }

  add(start: number, column: Column, rows: Uint32Array | undefined): void {
    const from = column.type === 'string' ? this.#strings?.add(column) : column.values
    if (from === undefined) return
    const isWide = from instanceof BigInt64Array || from instanceof BigUint64Array
    if (isWide && this.#values instanceof Float64Array) this.#widen()
    const values = isWide || !isWideArray(this.#values) ? from : widened(column)
    put(this.#values as Float64Array, values as Float64Array, start, rows)
    this.#markValid(start, from.length, rows)
    this.#valueCount += from.length
  }

  #markValid(start: number, count: number, rows: Uint32Array | undefined): void {
    if (this.#validity === undefined) {
      if (rows === undefined && start === this.#valueCount) return
      this.#validity = new Uint8Array(this.#values.length).fill(1, 0, this.#valueCount)
    }
    if (rows === undefined) this.#validity.fill(1, start, start + count)
    else for (const row of rows) this.#validity[start + row] = 1
  }

  #widen(): void {
    const { type } = this
    if (type !== 'integer' && type !== 'unsigned') return
    this.#values = widened({ type, values: this.#values as Float64Array, validity: undefined })
  }

  grow(capacity: number): void {
    this.#values = grown(this.#values as Float64Array, capacity)
    if (this.#validity !== undefined) this.#validity = grown(this.#validity, capacity)
  }

  /** The last rows of the table may have no value here. */
  #allValidity(): Uint8Array {
    return this.#validity ?? new Uint8Array(this.#values.length).fill(1, 0, this.#valueCount)
  }

  finish(rowCount: number): WriteField {
    const { name, type } = this
    const validity = this.#valueCount === rowCount ? undefined : this.#allValidity()
    const values = this.#values
    const dictionary = this.#strings?.dictionary()
    const column =
      dictionary === undefined ? { type, values, validity } : { type, values, dictionary, validity }
    return { name, column: column as Column }
  }
}

function isWideArray(values: Column['values']): boolean {
  return values instanceof BigInt64Array || values instanceof BigUint64Array
}

function put(
  into: Float64Array,
  values: Float64Array,
  start: number,
  rows: Uint32Array | undefined,
): void {
  if (rows === undefined) into.set(values, start)
  else for (let i = 0; i < rows.length; i++) into[start + rows[i]] = values[i]
}

function grown<T extends Uint8Array | Uint32Array | Float64Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length)
  larger.set(array)
  return larger
}

/** Texts one behind the other; a text that is the same as the one before is kept once. */
class StringRows {
  #bytes = new Uint8Array(1024)
  #offsets = new Uint32Array(rowsMin)
  #count = 0

  add({ values, dictionary }: StringColumn): Uint32Array {
    const numbers = new Uint32Array(values.length)
    for (let i = 0; i < values.length; i++) {
      numbers[i] = this.#intern(dictionary, values[i])
    }
    return numbers
  }

  #intern({ offsets, bytes }: StringColumn['dictionary'], entry: number): number {
    const text = bytes.subarray(offsets[entry], offsets[entry + 1])
    const used = this.#offsets[this.#count]
    if (this.#count > 0 && this.#isLast(text)) return this.#count - 1
    if (used + text.length > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, Math.max(used + text.length, this.#bytes.length * 2))
    }
    this.#bytes.set(text, used)
    if (this.#count + 1 === this.#offsets.length) {
      this.#offsets = grown(this.#offsets, this.#offsets.length * 2)
    }
    this.#offsets[++this.#count] = used + text.length
    return this.#count - 1
  }

  #isLast(text: Uint8Array): boolean {
    const start = this.#offsets[this.#count - 1]
    const last = this.#bytes.subarray(start, this.#offsets[this.#count])
    return Buffer.compare(last, text) === 0
  }

  dictionary() {
    return { offsets: this.#offsets, bytes: this.#bytes, count: this.#count }
  }
}
