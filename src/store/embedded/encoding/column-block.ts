// One column of a row group: the values that are there, and which rows have one.
//
//   u8 type (position in `fieldTypes`), u8 flags (4 = wide integers, 8 = some rows have no value), u8[2] zero
//   flag 8: u32 number of values, and which rows have one (presence.ts)
//   float             float block
//   integer, unsigned integer block; with flag 4 a planes block of 64-bit words
//   boolean           integer block of 0 and 1
//   string            string block
//
// The block starts on a multiple of 4. Values are stored without gaps: rows without a value take no
// room. Only read, since segments of version 2: flag 1 (u32 number of values, integer block of 1 and 0, one per row) in
// the place of 8, and flag 2 (XOR block) in that of 4.

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
import { partRows, roomForParts } from './parts-block.js'
import { readPlanes, writePlanes } from './planes-block.js'
import { readPresence, writePresence } from './presence.js'
import { KeptDictionary, readStrings, writeStrings } from './string-block.js'
import { readXorBlock } from './xor-block.js'

// Persisted: never change.
const flagMarks = 1
const flagXor = 2
const flagPlanes = 4
const flagPresence = 8

export function writeColumn(writer: ByteWriter, column: Column, rowCount: number): void {
  writer.align4()
  const { validity } = column
  const present = validity === undefined ? rowCount : countPresent(validity, rowCount)
  const gaps = present < rowCount
  const flags = (gaps ? flagPresence : 0) | (isWide(column) ? flagPlanes : 0)
  writer.u8(fieldTypes.indexOf(column.type))
  writer.u8(flags)
  writer.u16(0)
  if (gaps) {
    writer.u32(present)
    writePresence(writer, validity!, rowCount)
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
      return writePlanes(writer, column.values, count)
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
  readonly dictionary = new KeptDictionary()
  /** Values without gaps on their way to their rows; made when first needed. */
  dense: ColumnBuffer | undefined

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
 * Decodes rows `from` up to `to`, at least, of a column of `rowCount` rows; what stands in others means nothing. Its
 * arrays are those of `buffer`, except a string column's dictionary.
 */
export function readColumn(
  reader: ByteReader,
  rowCount: number,
  buffer: ColumnBuffer,
  from = 0,
  to = rowCount,
): Column {
  reader.align4()
  const type: FieldType | undefined = fieldTypes[reader.u8()]
  const flags = reader.u8()
  reader.u16()
  if (type === undefined) reader.fail('unknown column type')
  if ((flags & (flagMarks | flagPresence)) === 0) {
    return readValues(reader, type, flags, rowCount, undefined, buffer, from, to)
  }
  const present = reader.u32()
  if (present > rowCount) reader.fail('more values than rows')
  if ((flags & flagMarks) !== 0) return readMarked(reader, type, flags, rowCount, buffer, present)
  const firstRow = from & ~(partRows - 1)
  const stopRow = Math.min(rowCount, roomForParts(to))
  const validity = buffer.validityFor(rowCount)
  const { before, within, total } = readPresence(reader, rowCount, validity, from, to)
  if (total !== present) reader.fail('wrong number of values')
  // Beside the rows that may be decoded already, in arrays of their own.
  buffer.dense ??= new ColumnBuffer()
  const dense = readValues(
    reader,
    type,
    flags,
    present,
    undefined,
    buffer.dense,
    before,
    before + within,
  )
  const values = valuesFor(buffer, dense, rowCount)
  if (values instanceof Float64Array) {
    placeFloats(dense.values as Float64Array, before, present, values, validity, firstRow, stopRow)
  } else {
    for (let row = firstRow, at = before; row < stopRow; row++) {
      if (validity[row] !== 0) values[row] = dense.values[at++]
    }
  }
  return { ...dense, values, validity } as Column
}

/**
 * Without asking in each row whether it has a value, which a processor guesses wrong for most rows without one: those
 * get the next row's, which nobody looks at.
 */
function placeFloats(
  dense: Float64Array,
  before: number,
  present: number,
  values: Float64Array,
  validity: Uint8Array,
  firstRow: number,
  stopRow: number,
): void {
  const last = present - 1
  for (let row = firstRow, at = before; row < stopRow; row++) {
    values[row] = dense[at < last ? at : last]
    at += validity[row]
  }
}

/** The same kind of array as the column has. */
function valuesFor(buffer: ColumnBuffer, { type, values }: Column, rowCount: number): Values {
  if (values instanceof Float64Array) return buffer.floatsFor(rowCount)
  if (values instanceof Uint8Array) return buffer.bytesFor(rowCount)
  if (values instanceof Uint32Array) return buffer.codesFor(rowCount)
  return wideValues(type, buffer.wideFor(rowCount))
}

function wideValues(type: FieldType, wide: BigInt64Array): BigInt64Array | BigUint64Array {
  if (type === 'integer') return wide
  return new BigUint64Array(wide.buffer, wide.byteOffset, wide.length)
}

/** As segments of version 1 have it: which rows have a value is an integer block, and all of it is read. */
function readMarked(
  reader: ByteReader,
  type: FieldType,
  flags: number,
  rowCount: number,
  buffer: ColumnBuffer,
  present: number,
): Column {
  const marks = buffer.floatsFor(rowCount)
  readIntegers(reader, rowCount, marks)
  const validity = buffer.validityFor(rowCount)
  for (let i = 0; i < rowCount; i++) validity[i] = marks[i]
  if (countPresent(validity, rowCount) !== present) reader.fail('wrong number of values')
  reserve(buffer, type, flags, rowCount)
  const column = readValues(reader, type, flags, present, validity, buffer, 0, present)
  spread(column.values, validity, rowCount, present)
  return column
}

/** Arrays do not move when the values, which are fewer, are read into them. */
function reserve(buffer: ColumnBuffer, type: FieldType, flags: number, rowCount: number): void {
  if (type === 'string') buffer.codesFor(rowCount)
  else if (type === 'boolean') buffer.bytesFor(rowCount)
  else if ((flags & (flagXor | flagPlanes)) !== 0) buffer.wideFor(rowCount)
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
  from: number,
  to: number,
): Column {
  switch (type) {
    case 'float': {
      const values = buffer.floatsFor(count)
      readFloats(reader, count, values, from, to)
      return { type, values, validity }
    }
    case 'integer':
    case 'unsigned':
      return readWhole(reader, type, flags, count, validity, buffer, from, to)
    case 'boolean': {
      const floats = buffer.floatsFor(count)
      readIntegers(reader, count, floats, 0, from, to)
      const values = buffer.bytesFor(count)
      for (let i = from; i < to; i++) values[i] = floats[i]
      return { type, values, validity }
    }
    case 'string': {
      const values = buffer.codesFor(count)
      const positions = buffer.floatsFor(count)
      const kept = buffer.dictionary
      const dictionary = readStrings(reader, count, values, positions, kept, from, to)
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
  from: number,
  to: number,
): Column {
  if ((flags & (flagXor | flagPlanes)) === 0) {
    const values = buffer.floatsFor(count)
    readIntegers(reader, count, values, 0, from, to)
    return { type, values, validity }
  }
  const wide = buffer.wideFor(count)
  reader.align4()
  if ((flags & flagPlanes) !== 0) readPlanes(reader, count, wide, from, to)
  else readXorBlock(reader, count, wide, 0)
  return { type, values: wideValues(type, wide), validity } as Column
}
