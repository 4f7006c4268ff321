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
// room. Only in segments of version 1: flag 1 (u32 number of values, integer block of 1 and 0, one per row) in
// the place of 8, and flag 2 (XOR block) in that of 4.

import {
  type Column,
  type FieldType,
  fieldTypes,
  isWide,
  type StringColumn,
  type Utf8Dictionary,
  type Validity,
} from '../../../column/column.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { type Codec, codecFor } from './codec.js'
import { decodeFloats } from './float-block.js'
import { decodeIntegers } from './integer-block.js'
import { readXorBlock } from './old-xor-block.js'
import { partStart, partStop } from './parts.js'
import { decodePresence, type PresentCounts } from './presence.js'
import { KeptDictionary, readDictionaryAndPositions, writeStrings } from './string-block.js'

// Persisted: never change.
const flagMarks = 1
const flagXor = 2
const flagPlanes = 4
const flagPresence = 8

/** Of the values that are there. */
export interface Summary {
  readonly min: number
  readonly max: number
  readonly sum: number
}

/** `present`: how many rows have a value. Only numbers in float64 have a summary. */
export function writeColumn(
  writer: ByteWriter,
  column: Column,
  rowCount: number,
  present = countPresent(column.validity, rowCount),
): Summary | undefined {
  writer.align4()
  const gaps = present < rowCount
  const flags = (gaps ? flagPresence : 0) | (isWide(column) ? flagPlanes : 0)
  writer.u8(fieldTypes.indexOf(column.type))
  writer.u8(flags)
  writer.u16(0)
  const codec = codecFor(rowCount)
  if (gaps) {
    codec.takeValidity(column.validity!, rowCount)
    writer.u32(present)
    codec.writePresence(writer, rowCount)
  }
  if (column.type === 'string') {
    writeStrings(writer, gaps ? withoutGaps(column, rowCount, present) : column, present)
    return undefined
  }
  const { type, values } = column
  codec.take(type === 'boolean' ? Float64Array.from(values) : values, rowCount)
  const place = gaps ? codec.gather(rowCount) : codec.values
  writer.align4()
  if (isWide(column)) codec.writePlanes(writer, present, place)
  else if (type === 'float') codec.writeFloats(writer, present, place)
  else codec.writeIntegers(writer, present, place)
  return values instanceof Float64Array ? codec.summary(present, place) : undefined
}

export function countPresent(validity: Validity, rowCount: number): number {
  if (validity === undefined) return rowCount
  let count = 0
  for (let i = 0; i < rowCount; i++) count += validity[i]
  return count
}

function withoutGaps(column: StringColumn, rowCount: number, present: number): StringColumn {
  const validity = column.validity!
  const values = new Uint32Array(present)
  for (let i = 0, to = 0; i < rowCount; i++) if (validity[i] !== 0) values[to++] = column.values[i]
  return { ...column, values, validity: undefined }
}

const noFloats = new Float64Array(0)
const noWide = new BigInt64Array(0)
const noBytes = new Uint8Array(0)
const noCodes = new Uint32Array(0)

/** Arrays that a column is decoded into, kept from block to block. */
export class ColumnBuffer {
  #floats = noFloats
  #wide = noWide
  #bytes = noBytes
  #codes = noCodes
  #validity = noBytes
  readonly dictionary = new KeptDictionary()

  floatsFor(count: number): Float64Array {
    if (this.#floats.length < count) this.#floats = new Float64Array(roomFor(count))
    return this.#floats
  }

  wideFor(count: number): BigInt64Array {
    if (this.#wide.length < count) this.#wide = new BigInt64Array(roomFor(count))
    return this.#wide
  }

  bytesFor(count: number): Uint8Array {
    if (this.#bytes.length < count) this.#bytes = new Uint8Array(roomFor(count))
    return this.#bytes
  }

  codesFor(count: number): Uint32Array {
    if (this.#codes.length < count) this.#codes = new Uint32Array(roomFor(count))
    return this.#codes
  }

  validityFor(count: number): Uint8Array {
    if (this.#validity.length < count) this.#validity = new Uint8Array(roomFor(count))
    return this.#validity
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
  const codec = codecFor(rowCount)
  if ((flags & (flagMarks | flagPresence)) === 0) {
    const dictionary = decodeValues(reader, type, flags, rowCount, codec, buffer, from, to)
    const values = copied(codec, codec.values, from, to, type, flags, rowCount, buffer)
    return columnOf(type, values, dictionary, undefined)
  }
  const present = reader.u32()
  if (present > rowCount) reader.fail('more values than rows')
  const { before, within, total } =
    (flags & flagMarks) === 0
      ? decodePresence(reader, rowCount, codec, from, to)
      : decodeMarks(reader, rowCount, codec)
  if (total !== present) reader.fail('wrong number of values')
  const stop = before + within
  const dictionary = decodeValues(reader, type, flags, present, codec, buffer, before, stop)
  const firstRow = (flags & flagMarks) === 0 ? partStart(from) : 0
  const stopRow = Math.min(rowCount, partStop(to))
  const place = codec.spread(before, present, firstRow, stopRow)
  const values = copied(codec, place, firstRow, stopRow, type, flags, rowCount, buffer)
  const validity = buffer.validityFor(rowCount)
  codec.copyValidity(validity, firstRow, stopRow)
  return columnOf(type, values, dictionary, validity)
}

/** As segments of version 1 have it: which rows have a value is an integer block, and all of it is read. */
function decodeMarks(reader: ByteReader, rowCount: number, codec: Codec): PresentCounts {
  decodeIntegers(reader, rowCount, codec, 0, rowCount)
  const validity = Uint8Array.from(codec.part(codec.values, 0, rowCount))
  codec.takeValidity(validity, rowCount)
  const total = countPresent(validity, rowCount)
  return { before: 0, within: total, total }
}

/** Values without gaps, `from` up to `to`, go to the codec's values; of strings their positions in the dictionary. */
function decodeValues(
  reader: ByteReader,
  type: FieldType,
  flags: number,
  count: number,
  codec: Codec,
  buffer: ColumnBuffer,
  from: number,
  to: number,
): Utf8Dictionary | undefined {
  if (type === 'string') {
    return readDictionaryAndPositions(reader, count, codec, buffer.dictionary, from, to)
  }
  reader.align4()
  if (type === 'float') decodeFloats(reader, count, codec, from, to)
  else if ((flags & flagPlanes) !== 0) {
    codec.decode(codec.kernels.decodePlanes, reader, count, from, to)
  } else if ((flags & flagXor) !== 0) {
    codec.take(readXorBlock(reader, new BigInt64Array(count)), count)
  } else decodeIntegers(reader, count, codec, from, to)
  return undefined
}

/** What lies in the codec's memory, in an array as columns of this type have it. */
function copied(
  codec: Codec,
  place: number,
  from: number,
  to: number,
  type: FieldType,
  flags: number,
  rowCount: number,
  buffer: ColumnBuffer,
): Column['values'] {
  if ((flags & (flagXor | flagPlanes)) !== 0) {
    const wide = buffer.wideFor(rowCount)
    codec.copy(place, from, to, wide)
    return type === 'integer' ? wide : new BigUint64Array(wide.buffer)
  }
  const values =
    type === 'string'
      ? buffer.codesFor(rowCount)
      : type === 'boolean'
        ? buffer.bytesFor(rowCount)
        : buffer.floatsFor(rowCount)
  values.set(codec.part(place, from, to), from)
  return values
}

function columnOf(
  type: FieldType,
  values: Column['values'],
  dictionary: Utf8Dictionary | undefined,
  validity: Validity,
): Column {
  if (dictionary !== undefined) return { type, values, dictionary, validity } as Column
  return { type, values, validity } as Column
}
