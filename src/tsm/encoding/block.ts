// One block of a TSM file: up to some thousand points of one field of one series.
//
//   checksum u32 (CRC-32 of the rest) | type u8 | length of times (varint) | times | values
//
// Values are what the type says; all kinds begin with a byte that names their encoding.

import { crc32 } from 'node:zlib'
import type { Column, FieldType } from '../../column/column.js'
import { ByteCursor } from './byte-cursor.js'
import { DamageError } from './damage.js'
import { decodeFloats } from './float-block.js'
import { decodeIntegers, decodeUnsigned } from './integer-block.js'
import { decompressSnappy } from './snappy.js'
import { countTimes, TimesMemo } from './time-block.js'

/** By the type byte of blocks and index entries. */
export const blockTypes: readonly FieldType[] = [
  'float',
  'integer',
  'boolean',
  'string',
  'unsigned',
]

/** Of the strings of one block: InfluxDB takes 64 KB each. */
const stringBytesMax = 1 << 30

/** Points in time order, each with a value. */
export interface DecodedPoints {
  /** Nanoseconds from a base that the reader has chosen. */
  readonly offsets: Float64Array
  readonly column: Column
}

export interface BlockParts {
  readonly type: FieldType
  readonly times: Uint8Array
  readonly values: Uint8Array
}

/** Checks the checksum. */
export function splitBlock(block: Uint8Array): BlockParts {
  if (block.length < 6) throw new DamageError('it ends too early')
  const checksum = ((block[0] << 24) | (block[1] << 16) | (block[2] << 8) | block[3]) >>> 0
  if (checksum !== crc32(block.subarray(4))) throw new DamageError('the checksum is wrong')
  const type = blockTypes[block[4]]
  if (type === undefined) throw new DamageError('the type of its values is unknown')
  let start = 6
  let timesBytes = block[5] & 0x7f
  for (let scale = 128; block[start - 1] >= 0x80; scale *= 128) {
    if (start === block.length || scale > 2 ** 28) throw new DamageError('it ends too early')
    timesBytes += (block[start++] & 0x7f) * scale
  }
  const stop = start + timesBytes
  if (stop > block.length) throw new DamageError('it ends too early')
  return { type, times: block.subarray(start, stop), values: block.subarray(stop) }
}

/** `isNarrow`: all moments lie within 2^52 ns of each other and of the base. */
export function decodeBlock(
  block: Uint8Array,
  base: bigint,
  isNarrow: boolean,
  memo = new TimesMemo(),
): DecodedPoints {
  const { type, times, values } = splitBlock(block)
  const offsets = memo.decode(times, base, isNarrow)
  return { offsets, column: decodeColumn(type, values, offsets.length) }
}

export function countBlock(block: Uint8Array): number {
  return countTimes(splitBlock(block).times)
}

function decodeColumn(type: FieldType, values: Uint8Array, count: number): Column {
  const validity = undefined
  switch (type) {
    case 'float':
      return { type, values: decodeFloats(values, count), validity }
    case 'integer':
      return { type, values: decodeIntegers(values, count), validity }
    case 'unsigned':
      return { type, values: decodeUnsigned(values, count), validity }
    case 'boolean':
      return { type, values: decodeBooleans(values, count), validity }
    case 'string':
      return decodeStrings(values, count)
  }
}

/** A varint with their number, then bits from the high end of each byte. */
function decodeBooleans(bytes: Uint8Array, count: number): Uint8Array {
  const cursor = new ByteCursor(bytes, 1)
  const found = cursor.length()
  if (found !== count) throw new DamageError(`${found} values for ${count} times`)
  const start = cursor.skip((count + 7) >>> 3)
  const values = new Uint8Array(count)
  for (let i = 0; i < count; i++) values[i] = (bytes[start + (i >>> 3)] >>> (7 - (i & 7))) & 1
  return values
}

/** Snappy over strings with a varint of their length each. */
function decodeStrings(bytes: Uint8Array, count: number): Column {
  const cursor = new ByteCursor(decompressSnappy(bytes.subarray(1), stringBytesMax))
  const offsets = new Uint32Array(count + 1)
  const texts = new Uint8Array(cursor.end)
  let used = 0
  for (let i = 0; i < count; i++) {
    const text = cursor.take(cursor.length())
    texts.set(text, used)
    used += text.length
    offsets[i + 1] = used
  }
  if (!cursor.isAtEnd) throw new DamageError(`more than ${count} values`)
  const values = new Uint32Array(count)
  for (let i = 0; i < count; i++) values[i] = i
  const dictionary = { offsets, bytes: texts, count }
  return { type: 'string', values, dictionary, validity: undefined }
}
