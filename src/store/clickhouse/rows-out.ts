// Rows of a write as blocks for ClickHouse: of each table and chunk that fields of the measurement lie in, those rows
// that have a value there, by shard, with the columns that are used and no others. No bigint per value: 64-bit
// integers are put together from halves.

import { type Column, isWide } from '../../column/column.js'
import type { TimeColumn } from '../../column/time.js'
import type { WriteField } from '../../column/write-batch.js'
import { type Place, slotName, type TableName, tables } from './layout.js'
import { bytesOf, encodeBlock, type NativeColumn, StringBytes } from './native-format.js'

export interface OutRows {
  /** In the table of the write, in their order. */
  readonly rows: Uint32Array
  /** By number of the row. */
  readonly series: BigUint64Array
  readonly spans: BigInt64Array
  readonly times: TimeColumn
  readonly measurement: number
  readonly spanClass: number
}

export interface OutBlock {
  readonly table: TableName
  readonly sql: string
  readonly pieces: readonly Uint8Array[]
  readonly rowCount: number
}

export interface OutField extends WriteField {
  readonly place: Place
}

/** Of rows of one shard. */
export function blocksOf(out: OutRows, fields: readonly OutField[]): OutBlock[] {
  const byPlace = new Map<string, OutField[]>()
  for (const field of fields) {
    const name = `${field.place.table} ${field.place.chunk}`
    const own = byPlace.get(name) ?? []
    byPlace.set(name, own)
    own.push(field)
  }
  const blocks: OutBlock[] = []
  for (const own of byPlace.values()) {
    const isFull = own.some(({ column }) => column.validity === undefined)
    const rows = isFull
      ? out.rows
      : out.rows.filter((row) => own.some(({ column }) => hasValue(column, row)))
    if (rows.length > 0) blocks.push(blockOf(out, rows, own))
  }
  return blocks
}

function hasValue({ validity }: Column, row: number): boolean {
  return validity === undefined || validity[row] !== 0
}

function blockOf(out: OutRows, rows: Uint32Array, fields: readonly OutField[]): OutBlock {
  const { table, chunk } = fields[0].place
  const { base } = tables[table]
  const count = rows.length
  const columns: NativeColumn[] = [
    { name: 'm', base: 'UInt32', bytes: bytesOf(new Uint32Array(count).fill(out.measurement)) },
    {
      name: 'series',
      base: 'UInt64',
      bytes: pickedBytes(out.series, rows),
    },
    { name: 'chunk', base: 'UInt16', bytes: bytesOf(new Uint16Array(count).fill(chunk)) },
    { name: 'time', base: 'Int64', bytes: timeBytes(out.times, rows) },
    { name: 'class', base: 'UInt8', bytes: new Uint8Array(count).fill(out.spanClass) },
    {
      name: 'span',
      base: 'Int64',
      bytes: pickedBytes(out.spans, rows),
    },
  ]
  for (const { column, place } of fields) {
    const nulls = new Uint8Array(count)
    const { validity } = column
    if (validity !== undefined) {
      for (let i = 0; i < count; i++) nulls[i] = validity[rows[i]] !== 0 ? 0 : 1
    }
    columns.push({
      name: slotName(place.slot),
      base,
      nulls,
      bytes: valueBytes(column, rows, nulls),
    })
  }
  const names = columns.map(({ name }) => name).join(', ')
  const sql = `INSERT INTO ${table} (${names}) FORMAT Native`
  return { table, sql, pieces: encodeBlock(columns, count), rowCount: count }
}

function pickedBytes(from: BigInt64Array | BigUint64Array, rows: Uint32Array): Uint8Array {
  const halves = new Uint32Array(from.buffer, from.byteOffset, 2 * from.length)
  const kept = new Uint32Array(2 * rows.length)
  for (let i = 0; i < rows.length; i++) {
    kept[2 * i] = halves[2 * rows[i]]
    kept[2 * i + 1] = halves[2 * rows[i] + 1]
  }
  return bytesOf(kept)
}

const half = 2 ** 32

function timeBytes({ base, offsets }: TimeColumn, rows: Uint32Array): Uint8Array {
  const baseLow = Number(BigInt.asUintN(32, base))
  const baseHigh = Number(base >> 32n)
  const halves = new Int32Array(2 * rows.length)
  for (let i = 0; i < rows.length; i++) {
    const offset = offsets[rows[i]]
    const high = Math.floor(offset / half)
    const low = baseLow + (offset - high * half)
    halves[2 * i] = low
    halves[2 * i + 1] = baseHigh + high + (low >= half ? 1 : 0)
  }
  return bytesOf(halves)
}

function valueBytes(column: Column, rows: Uint32Array, nulls: Uint8Array): Uint8Array {
  switch (column.type) {
    case 'float': {
      const values = new Float64Array(rows.length)
      for (let i = 0; i < rows.length; i++) if (nulls[i] === 0) values[i] = column.values[rows[i]]
      return bytesOf(values)
    }
    case 'string':
      return stringBytes(column, rows, nulls)
    default:
      return isWide(column)
        ? wideBytes(column.values, rows, nulls)
        : integerBytes(column.values as Float64Array | Uint8Array, rows, nulls)
  }
}

function wideBytes(
  values: BigInt64Array | BigUint64Array,
  rows: Uint32Array,
  nulls: Uint8Array,
): Uint8Array {
  const signed = new BigInt64Array(values.buffer, values.byteOffset, values.length)
  const kept = new BigInt64Array(rows.length)
  for (let i = 0; i < rows.length; i++) if (nulls[i] === 0) kept[i] = signed[rows[i]]
  return bytesOf(kept)
}

function integerBytes(
  values: Float64Array | Uint8Array,
  rows: Uint32Array,
  nulls: Uint8Array,
): Uint8Array {
  const halves = new Int32Array(2 * rows.length)
  for (let i = 0; i < rows.length; i++) {
    if (nulls[i] !== 0) continue
    const value = values[rows[i]]
    const high = Math.floor(value / half)
    halves[2 * i] = value - high * half
    halves[2 * i + 1] = high
  }
  return bytesOf(halves)
}

const noBytes = new Uint8Array(0)

function stringBytes(
  column: Extract<Column, { type: 'string' }>,
  rows: Uint32Array,
  nulls: Uint8Array,
): Uint8Array {
  const { offsets, bytes } = column.dictionary
  const out = new StringBytes()
  for (let i = 0; i < rows.length; i++) {
    const entry = column.values[rows[i]]
    out.push(nulls[i] === 0 ? bytes.subarray(offsets[entry], offsets[entry + 1]) : noBytes)
  }
  return out.bytes
}
