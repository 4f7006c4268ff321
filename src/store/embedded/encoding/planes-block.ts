// 64-bit patterns (floats that are no decimals, integers beyond 2^53) in parts of 128 that are read
// one by one, each split into a plane of high and one of low words.
//
//   per part  u8 high width, u8 low width, u8 low shift, u8 zero, u32 high reference, u32 low reference
//   per part  high words packed, low words packed; a part's last word ends with the last value
//
// High words are stored as distances from the smallest, which is near in signs, exponents and counts. Of the low words
// the bits that differ from the first one's are stored, without the zeros that all of them end with.

import { packMiniBlock, miniBlockRows as partRows, unpackHighs, unpackLows } from './bit-packing.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { partCount } from './parts-block.js'

export type Words64 = Float64Array | BigInt64Array | BigUint64Array

const headerWords = 3

const high = new Uint32Array(partRows)
const low = new Uint32Array(partRows)
const packed = new Uint32Array(partRows)
/** Of a part that is not whole: its high words, from its middle on its low words, and what they are made into. */
const tailWords = new Uint32Array(2 * partRows)
const tail = new Uint32Array(2 * partRows)

export function writePlanes(writer: ByteWriter, values: Words64, count: number): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, count * 2)
  const parts = partCount(count)
  const headersAt = writer.length
  for (let i = 0; i < parts * headerWords; i++) writer.u32(0)
  for (let part = 0; part < parts; part++) {
    const start = part * partRows
    const rows = Math.min(partRows, count - start)
    const header = headersAt + part * headerWords * 4
    writeHighs(writer, words, start, rows, header)
    writeLows(writer, words, start, rows, header)
  }
}

function writeHighs(
  writer: ByteWriter,
  words: Uint32Array,
  start: number,
  rows: number,
  header: number,
): void {
  let min = 0xffffffff
  let max = 0
  for (let i = 0; i < rows; i++) {
    const word = words[(start + i) * 2 + 1]
    if (word < min) min = word
    if (word > max) max = word
  }
  for (let i = 0; i < rows; i++) high[i] = words[(start + i) * 2 + 1] - min
  const width = 32 - Math.clz32(max - min)
  writer.setU8(header, width)
  writer.setU32(header + 4, min)
  writePlane(writer, high, rows, width)
}

function writeLows(
  writer: ByteWriter,
  words: Uint32Array,
  start: number,
  rows: number,
  header: number,
): void {
  const reference = words[start * 2]
  let all = 0
  for (let i = 0; i < rows; i++) {
    low[i] = words[(start + i) * 2] ^ reference
    all |= low[i]
  }
  const shift = all === 0 ? 0 : 31 - Math.clz32(all & -all)
  for (let i = 0; i < rows; i++) low[i] >>>= shift
  const width = 32 - Math.clz32(all >>> shift)
  writer.setU8(header + 1, width)
  writer.setU8(header + 2, shift)
  writer.setU32(header + 8, reference)
  writePlane(writer, low, rows, width)
}

function writePlane(writer: ByteWriter, plane: Uint32Array, rows: number, width: number): void {
  plane.fill(0, rows)
  packMiniBlock[width](plane, 0, packed, 0)
  writer.raw(new Uint8Array(packed.buffer, 0, wordCount(rows, width) * 4))
}

function wordCount(rows: number, width: number): number {
  return (rows * width + 31) >>> 5
}

/** out[i] = value i, for the parts that hold values `from` up to `to`. The reader moves behind the block. */
export function readPlanes(
  reader: ByteReader,
  count: number,
  out: Words64,
  from: number,
  to: number,
): void {
  const parts = partCount(count)
  const target = new Uint32Array(out.buffer, out.byteOffset, out.length * 2)
  const headersAt = reader.offset
  reader.skip(parts * headerWords * 4)
  const first = reader.offset >>> 2
  let word = first
  const last = partCount(to)
  for (let part = 0; part < parts; part++) {
    const header = headersAt + part * headerWords * 4
    const highWidth = reader.bytes[header]
    const lowWidth = reader.bytes[header + 1]
    if (highWidth > 32 || lowWidth > 32) reader.fail(`bit widths ${highWidth} and ${lowWidth}`)
    const rows = Math.min(partRows, count - part * partRows)
    const highWords = wordCount(rows, highWidth)
    const lowWords = wordCount(rows, lowWidth)
    if (part >= from >>> 7 && part < last) {
      const at = part * partRows * 2
      if (rows === partRows) {
        unpack(reader, header, reader.words, word, word + highWords, target, at)
      } else {
        tailWords.fill(0)
        tailWords.set(reader.words.subarray(word, word + highWords))
        tailWords.set(
          reader.words.subarray(word + highWords, word + highWords + lowWords),
          partRows,
        )
        unpack(reader, header, tailWords, 0, partRows, tail, 0)
        target.set(tail.subarray(0, rows * 2), at)
      }
    }
    word += highWords + lowWords
  }
  reader.skip((word - first) * 4)
}

/** Both planes of a whole part, each into every second word of `target`. */
function unpack(
  reader: ByteReader,
  header: number,
  words: Uint32Array,
  highAt: number,
  lowAt: number,
  target: Uint32Array,
  at: number,
): void {
  const highReference = reader.words[(header >>> 2) + 1]
  const lowReference = reader.words[(header >>> 2) + 2]
  unpackHighs[reader.bytes[header]](words, highAt, target, at + 1, highReference)
  const shift = reader.bytes[header + 2]
  unpackLows[reader.bytes[header + 1]](words, lowAt, target, at, lowReference, shift)
}
