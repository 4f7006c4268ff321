// Blocks of integers within ±2^53, held as float64: drawn, written and read in `kernels/integers.ts`. Those of
// version 1 are told by their schemes.

import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { type Codec, codecFor } from './codec.js'
import { isOldScheme, readOldIntegers } from './old-integers.js'

export function writeIntegers(writer: ByteWriter, values: Float64Array, count: number): void {
  writer.align4()
  const codec = codecFor(count)
  codec.take(values, count)
  codec.writeIntegers(writer, count)
}

/** Persisted: never change. The others are known to the kernels. */
const schemeConstant = 1

/** Whether all values of the block that the reader stands at are 0. */
export function isAlwaysZero(reader: ByteReader): boolean {
  const { words, offset } = reader
  const word = offset >>> 2
  return words[word] === schemeConstant && words[word + 1] === 0 && words[word + 2] === 0
}

/** Whether the block at a place of the reader is of version 1. */
export function isOldBlock({ words }: ByteReader, at: number): boolean {
  return isOldScheme(words[at >>> 2])
}

/** Values `from` up to `to` of the block that the reader stands at go to the codec's values. */
export function decodeIntegers(
  reader: ByteReader,
  count: number,
  codec: Codec,
  from: number,
  to: number,
): void {
  reader.align4()
  if (isOldBlock(reader, reader.offset)) codec.take(readOldIntegers(reader, count), count)
  else codec.decode(codec.kernels.decodeIntegers, reader, count, from, to)
}

/** out[i] = value i. */
export function readIntegers(reader: ByteReader, count: number, out: Float64Array): void {
  const codec = codecFor(count)
  decodeIntegers(reader, count, codec, 0, count)
  out.set(codec.part(codec.values, 0, count))
}
