// One column of a row group: the values that are there, and which rows have one.
//
//   u8 type (position in `fieldTypes`), u8 flags (1 = some rows have no value, 2 = wide integers), u8[2] zero
//   flag 1: u32 number of values, integer block of 1 (has a value) and 0 (has none), one per row
//   float             float block
//   integer, unsigned integer block; with flag 2 an XOR block of 64-bit words
//   boolean           integer block of 0 and 1
//   string            string block
//
// The block starts on a multiple of 4. Values are stored without gaps: rows without a value take no
// room.

import {
  type Column,
  type FieldType,
  fieldTypes,
  isWide,
  type Validity,
} from '../../../column/column.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { readFloats, writeFloats } from './float-block.js'
import { readIntegers, writeIntegers } from './integer-block.js'
import { readStrings, writeStrings } from './string-block.js'
import { readXorBlock, writeXorBlock } from './xor-block.js'

const flagValidity = 1
const flagWide = 2

export function writeColumn(writer: ByteWriter, column: Column, rowCount: number): void {
  writer.align4()
  const { validity } = column
  const present = validity === undefined ? rowCount : countPresent(validity, rowCount)
  const gaps = present < rowCount
  const flags = (gaps ? flagValidity : 0) | (isWide(column) ? flagWide : 0)
  writer.u8(fieldTypes.indexOf(column.type))
  writer.u8(flags)
  writer.u16(0)
  if (gaps) {
    writer.u32(present)
    writeIntegers(writer, Float64Array.from(validity!.subarray(0, rowCount)), rowCount)
  }
  writeValues(writer, gaps ? withoutGaps(column, rowCount, present) : column, present)
}

function writeValues(writer: ByteWriter, column: Column, count: number): void {
  switch (column.type) {
    case 'float':
      return writeFloats(writer, column.values, count)
    case 'integer':
    case 'unsigned':
      if (column.values instanceof Float64Array) return writeIntegers(writer, column.values, count)
      writer.align4()
      return writeXorBlock(writer, column.values, count)
    case 'boolean':
      return writeIntegers(writer, Float64Array.from(column.values.subarray(0, count)), count)
    case 'string':
      return writeStrings(writer, column, count)
  }
}

export function countPresent(validity: Uint8Array, rowCount: number): number {
  let count = 0
  for (let i = 0; i < rowCount; i++) count += validity[i]
  return count
}

type Values = Column['values']

/** A new array of the same kind. */
export function makeValues<T extends Values>(like: T, length: number): T {
  return new (like.constructor as new (length: number) => T)(length)
}

function withoutGaps(column: Column, rowCount: number, present: number): Column {
  const validity = column.validity!
  const dense = makeValues(column.values, present)
  for (let i = 0, to = 0; i < rowCount; i++) if (validity[i] !== 0) dense[to++] = column.values[i]
  return { ...column, values: dense, validity: undefined } as Column
}

const noFloats = new Float64Array(0)
const noWide = new BigInt64Array(0)
const noBytes = new Uint8Array(0)
const noCodes = new Uint32Array(0)

/** Arrays that a column is decoded into, kept from block to block. */
export class ColumnBuffer {
  floats = noFloats
  wide = noWide
  bytes = noBytes
  codes = noCodes
  validity = noBytes

  floatsFor(count: number): Float64Array {
    if (this.floats.length < count) this.floats = new Float64Array(roomFor(count))
    return this.floats
  }

  wideFor(count: number): BigInt64Array {
    if (this.wide.length < count) this.wide = new BigInt64Array(roomFor(count))
    return this.wide
  }

  bytesFor(count: number): Uint8Array {
    if (this.bytes.length < count) this.bytes = new Uint8Array(roomFor(count))
    return this.bytes
  }

  codesFor(count: number): Uint32Array {
    if (this.codes.length < count) this.codes = new Uint32Array(roomFor(count))
    return this.codes
  }

  validityFor(count: number): Uint8Array {
    if (this.validity.length < count) this.validity = new Uint8Array(roomFor(count))
    return this.validity
  }
}

function roomFor(count: number): number {
  return Math.max(256, 2 ** Math.ceil(Math.log2(count)))
}

/**
 * Decodes a column of `rowCount` rows. Its arrays are those of `buffer`, except a string column's dictionary. `wanted`:
 * so many rows, from the first on, are needed; what stands in the others means nothing then.
 */
export function readColumn(
  reader: ByteReader,
  rowCount: number,
  buffer: ColumnBuffer,
  wanted = rowCount,
): Column {
  reader.align4()
  const type: FieldType | undefined = fieldTypes[reader.u8()]
  const flags = reader.u8()
  reader.u16()
  if (type === undefined) reader.fail('unknown column type')
  if ((flags & flagValidity) === 0) {
    return readValues(reader, type, flags, rowCount, undefined, buffer, rowCount, wanted)
  }
  const present = reader.u32()
  if (present > rowCount) reader.fail('more values than rows')
  const marks = buffer.floatsFor(rowCount)
  readIntegers(reader, rowCount, marks, 0)
  const validity = buffer.validityFor(rowCount)
  for (let i = 0; i < rowCount; i++) validity[i] = marks[i]
  if (countPresent(validity, rowCount) !== present) reader.fail('wrong number of values')
  const column = readValues(reader, type, flags, present, validity, buffer, rowCount)
  spread(column.values, validity, rowCount, present)
  return column
}

/** Moves values that were stored without gaps to their rows, from the back so that none is overwritten. */
function spread(values: Values, validity: Uint8Array, rowCount: number, present: number): void {
  let from = present
  for (let row = rowCount - 1; row >= 0; row--) {
    if (validity[row] !== 0) values[row] = values[--from]
  }
}

function readValues(
  reader: ByteReader,
  type: FieldType,
  flags: number,
  count: number,
  validity: Validity,
  buffer: ColumnBuffer,
  room: number,
  wanted: number = count,
): Column {
  switch (type) {
    case 'float': {
      const values = buffer.floatsFor(room)
      readFloats(reader, count, values, 0, wanted)
      return { type, values, validity }
    }
    case 'integer':
    case 'unsigned':
      return readWhole(reader, type, flags, count, validity, buffer, room, wanted)
    case 'boolean': {
      const floats = buffer.floatsFor(room)
      readIntegers(reader, count, floats, 0)
      const values = buffer.bytesFor(room)
      for (let i = 0; i < count; i++) values[i] = floats[i]
      return { type, values, validity }
    }
    case 'string': {
      const values = buffer.codesFor(room)
      const dictionary = readStrings(reader, count, values, 0)
      return { type, values, dictionary, validity }
    }
  }
}

function readWhole(
  reader: ByteReader,
  type: 'integer' | 'unsigned',
  flags: number,
  count: number,
  validity: Validity,
  buffer: ColumnBuffer,
  room: number,
  wanted: number,
): Column {
  if ((flags & flagWide) === 0) {
    const values = buffer.floatsFor(room)
    readIntegers(reader, count, values, 0, wanted)
    return { type, values, validity }
  }
  const wide = buffer.wideFor(room)
  reader.align4()
  readXorBlock(reader, count, wide, 0)
  if (type === 'integer') return { type, values: wide, validity }
  return { type, values: new BigUint64Array(wide.buffer, wide.byteOffset, wide.length), validity }
}
