// One write as bytes in the WAL and back. See format.ts for the drawing; writer and reader face
// each other here.

import { type Column, type FieldType, fieldTypes, isWide } from '../../../column/column.js'
import type { ByteReader } from '../encoding/byte-reader.js'
import type { ByteWriter } from '../encoding/byte-writer.js'
import { readField, writeField } from '../index/field-record.js'
import type { NewField } from '../index/series-index.js'
import type { ShardTable } from '../rows/memtable.js'

export interface RecordTable {
  readonly shard: { readonly start: bigint; readonly stop: bigint }
  readonly table: ShardTable
}

export interface WalRecord {
  readonly bucket: string
  readonly firstSeries: number
  readonly seriesKeys: readonly Uint8Array[]
  readonly firstField: number
  readonly fields: readonly NewField[]
  readonly tables: readonly RecordTable[]
}

/** On its way to the log its keys come one by one: an object for each would take more than the keys themselves. */
export type RecordToWrite = Omit<WalRecord, 'seriesKeys'> & {
  readonly seriesKeys: Iterable<Uint8Array> & { readonly length: number }
}

const widthConstant = 0
const widthFloat = 8
const widthWide = 9
const flagValidity = 1

export function writeRecord(writer: ByteWriter, record: RecordToWrite): void {
  writer.raw(Buffer.from(record.bucket, 'hex'))
  writer.varint(record.firstSeries)
  writer.varint(record.seriesKeys.length)
  for (const key of record.seriesKeys) writer.blob(key)
  writer.varint(record.firstField)
  writer.varint(record.fields.length)
  for (const field of record.fields) {
    writer.varint(field.measurementId)
    writeField(writer, field)
  }
  writer.varint(record.tables.length)
  for (const table of record.tables) writeTable(writer, table)
}

function writeTable(writer: ByteWriter, { shard, table }: RecordTable): void {
  const { rowCount } = table
  writer.i64(shard.start)
  writer.i64(shard.stop)
  writer.varint(table.measurementId)
  writer.varint(rowCount)
  writeWords(writer, table.series, rowCount)
  writeNumbers(writer, table.offsets, rowCount, true)
  writer.varint(table.fields.length)
  for (const { fieldId, column } of table.fields) {
    writer.varint(fieldId)
    writer.u8(fieldTypes.indexOf(column.type))
    writer.u8(column.validity === undefined ? 0 : flagValidity)
    if (column.validity !== undefined) writer.raw(column.validity.subarray(0, rowCount))
    writeValues(writer, column, rowCount)
  }
}

function writeValues(writer: ByteWriter, column: Column, rowCount: number): void {
  if (isWide(column)) {
    writer.u8(widthWide)
    writer.raw(rawBytes(column.values, rowCount))
    return
  }
  switch (column.type) {
    case 'float':
      return writeNumbers(writer, column.values, rowCount, false)
    case 'integer':
    case 'unsigned': {
      // With gaps, rows without a value may hold anything: only whole numbers can be narrowed.
      const whole = column.validity === undefined
      return writeNumbers(writer, column.values as Float64Array, rowCount, whole)
    }
    case 'boolean':
      return writer.raw(column.values.subarray(0, rowCount))
    case 'string': {
      const { offsets, bytes, count } = column.dictionary
      writer.varint(count)
      writeWords(writer, offsets, count + 1)
      writer.raw(bytes.subarray(0, offsets[count]))
      writeWords(writer, column.values, rowCount)
    }
  }
}

function rawBytes(
  values: Float64Array | BigInt64Array | BigUint64Array,
  count: number,
): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, count * 8)
}

let floats = new Float64Array(8192)
let narrow16 = new Uint16Array(8192)
let narrow32 = new Uint32Array(8192)

/** The loops below see one kind of array only: with two kinds they take five times as long. */
function writeWords(writer: ByteWriter, values: Uint32Array, count: number): void {
  if (count > floats.length) floats = new Float64Array(count * 2)
  for (let i = 0; i < count; i++) floats[i] = values[i]
  writeNumbers(writer, floats, count, true)
}

/** `whole` promises whole numbers within ±2^53, which are narrowed to the bytes that their range needs. */
function writeNumbers(
  writer: ByteWriter,
  values: Float64Array,
  count: number,
  whole: boolean,
): void {
  let min = 0
  let max = 0
  if (whole && count > 0) {
    min = max = values[0]
    for (let i = 1; i < count; i++) {
      const value = values[i]
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  const span = max - min
  if (!whole || span >= 0x100000000) {
    writer.u8(widthFloat)
    // A view of the bytes costs as much as a dozen numbers.
    if (count > 8) writer.raw(rawBytes(values, count))
    else for (let i = 0; i < count; i++) writer.f64(values[i])
  } else if (span === 0) {
    writer.u8(widthConstant)
    writer.f64(min)
  } else if (span < 0x100) {
    writer.u8(1)
    writer.f64(min)
    writer.reserve(count)
    narrowBytes(values, count, min, writer.bytes, writer.length)
    writer.length += count
  } else if (span < 0x10000) {
    if (count > narrow16.length) narrow16 = new Uint16Array(count * 2)
    for (let i = 0; i < count; i++) narrow16[i] = values[i] - min
    writeNarrow(writer, 2, min, narrow16, count)
  } else {
    if (count > narrow32.length) narrow32 = new Uint32Array(count * 2)
    for (let i = 0; i < count; i++) narrow32[i] = values[i] - min
    writeNarrow(writer, 4, min, narrow32, count)
  }
}

function narrowBytes(
  values: Float64Array,
  count: number,
  base: number,
  out: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) out[at + i] = values[i] - base
}

function writeNarrow(
  writer: ByteWriter,
  width: number,
  base: number,
  narrow: Uint16Array | Uint32Array,
  count: number,
): void {
  writer.u8(width)
  writer.f64(base)
  writer.raw(new Uint8Array(narrow.buffer, 0, count * width))
}

export function readRecord(reader: ByteReader): WalRecord {
  const bucket = Buffer.from(reader.raw(8)).toString('hex')
  const firstSeries = reader.varint()
  const seriesKeys = list(reader, () => reader.blob())
  const firstField = reader.varint()
  const fields = list(reader, () => ({ measurementId: reader.varint(), ...readField(reader) }))
  const tables = list(reader, () => readTable(reader))
  return { bucket, firstSeries, seriesKeys, firstField, fields, tables }
}

function list<T>(reader: ByteReader, read: () => T): T[] {
  const count = reader.varint()
  if (count > reader.remaining) reader.fail('list is longer than its record')
  return Array.from({ length: count }, read)
}

function readType(reader: ByteReader): FieldType {
  return fieldTypes[reader.u8()] ?? reader.fail('unknown field type')
}

function readTable(reader: ByteReader): RecordTable {
  const shard = { start: reader.i64(), stop: reader.i64() }
  const measurementId = reader.varint()
  const rowCount = reader.varint()
  const series = Uint32Array.from(readNumbers(reader, rowCount))
  const offsets = readNumbers(reader, rowCount)
  const fields = list(reader, () => {
    const fieldId = reader.varint()
    return { fieldId, column: readValues(reader, rowCount) }
  })
  return { shard, table: { measurementId, rowCount, series, offsets, fields } }
}

function readValues(reader: ByteReader, rowCount: number): Column {
  const type = readType(reader)
  const flags = reader.u8()
  const validity = (flags & flagValidity) === 0 ? undefined : reader.raw(rowCount).slice()
  switch (type) {
    case 'float':
      return { type, values: readNumbers(reader, rowCount), validity }
    case 'integer':
    case 'unsigned': {
      if (reader.bytes[reader.offset] !== widthWide) {
        return { type, values: readNumbers(reader, rowCount), validity }
      }
      reader.u8()
      const { buffer } = reader.raw(rowCount * 8).slice()
      if (type === 'integer') return { type, values: new BigInt64Array(buffer), validity }
      return { type, values: new BigUint64Array(buffer), validity }
    }
    case 'boolean':
      return { type, values: reader.raw(rowCount).slice(), validity }
    case 'string': {
      const count = reader.varint()
      const offsets = Uint32Array.from(readNumbers(reader, count + 1))
      const bytes = reader.raw(offsets[count]).slice()
      const values = Uint32Array.from(readNumbers(reader, rowCount))
      return { type, values, dictionary: { offsets, bytes, count }, validity }
    }
  }
}

function readNumbers(reader: ByteReader, count: number): Float64Array {
  const width = reader.u8()
  if (width === widthFloat) return new Float64Array(reader.raw(count * 8).slice().buffer)
  const base = reader.f64()
  if (width === widthConstant) return new Float64Array(count).fill(base)
  const bytes = reader.raw(count * width).slice()
  const narrow =
    width === 1
      ? bytes
      : width === 2
        ? new Uint16Array(bytes.buffer)
        : width === 4
          ? new Uint32Array(bytes.buffer)
          : reader.fail(`number width ${width}`)
  return Float64Array.from(narrow, (value) => value + base)
}
