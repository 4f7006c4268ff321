// A sequence of unsigned numbers up to 2^53 - 1, bit-packed in mini-blocks of 128 with a width
// each. Only read, since segments of version 2 have parts blocks instead.
//
//   u8[ceil(n / 128)]  widths, 0 to 53; zero bytes up to a multiple of 4
//   per mini-block     width <= 32: the packed words
//                      width > 32:  the low 32 bits of each value packed with width 32, then the high parts packed
//                                   with width - 32
//
// The last mini-block stores only the words that its values reach; readers fill up with zeros. The
// sequence starts on a multiple of 4 and is a multiple of 4 bytes long.

import { miniBlockRows, unpackDelta, unpackOffset, unpackPlain } from './bit-packing.js'
import type { ByteReader } from './byte-reader.js'

export function miniBlockCount(count: number): number {
  return (count + miniBlockRows - 1) >>> 7
}

function wordCount(count: number, width: number): number {
  return (count * width + 31) >>> 5
}

/** Where the parts of a sequence lie; `next` is the offset behind it. */
interface Layout {
  readonly widthsAt: number
  /** Index of the first packed word in the reader's words. */
  readonly wordsAt: number
}

function openSequence(reader: ByteReader, count: number): Layout {
  const widthsAt = reader.offset
  reader.skip(miniBlockCount(count))
  reader.align4()
  const wordsAt = reader.offset >>> 2
  let words = 0
  let block = widthsAt
  for (let start = 0; start < count; start += miniBlockRows, block++) {
    const width = reader.bytes[block]
    const rows = Math.min(miniBlockRows, count - start)
    if (width <= 32) words += wordCount(rows, width)
    else if (width <= 53) words += rows + wordCount(rows, width - 32)
    else reader.fail(`bit width ${width}`)
  }
  reader.skip(words * 4)
  return { widthsAt, wordsAt }
}

/** The width of the widest mini-block of the sequence that the reader stands at. */
export function widestBits(reader: ByteReader, count: number): number {
  let widest = 0
  const blocks = miniBlockCount(count)
  for (let i = 0; i < blocks; i++) widest = Math.max(widest, reader.bytes[reader.offset + i])
  return widest
}

/** Moves behind a sequence whose mini-blocks have no bits: every value is 0. */
export function skipZeros(reader: ByteReader, count: number): void {
  reader.skip(miniBlockCount(count))
  reader.align4()
}

const tailWords = new Uint32Array(miniBlockRows)
const tailValues = new Float64Array(miniBlockRows)

/** The words of an incomplete mini-block, filled up with zeros, so that whole-block unpackers can read them. */
function tail(reader: ByteReader, at: number, rows: number, width: number): Uint32Array {
  const used = wordCount(rows, width)
  tailWords.set(reader.words.subarray(at, at + used))
  tailWords.fill(0, used)
  return tailWords
}

/** out[at + i] = base + value i, for the first `wanted` values at least. */
export function readOffsets(
  reader: ByteReader,
  count: number,
  base: number,
  out: Float64Array,
  at: number,
  wanted = count,
): void {
  const { widthsAt, wordsAt } = openSequence(reader, count)
  let word = wordsAt
  for (let start = 0, block = widthsAt; start < wanted; start += miniBlockRows, block++) {
    const width = reader.bytes[block]
    const rows = Math.min(miniBlockRows, count - start)
    if (width > 32) {
      word = readWide(reader, word, rows, width)
      for (let i = 0; i < rows; i++) out[at + start + i] = base + wideValues[i]
      continue
    }
    if (rows === miniBlockRows) unpackOffset[width](reader.words, word, out, at + start, base)
    else {
      unpackOffset[width](tail(reader, word, rows, width), 0, tailValues, 0, base)
      out.set(tailValues.subarray(0, rows), at + start)
    }
    word += wordCount(rows, width)
  }
}

/**
 * out[at + i] = base + sum of the unzigzagged values up to i, for the first `wanted` values at least. Every sum fits
 * int32, every width 32.
 */
export function readDeltas(
  reader: ByteReader,
  count: number,
  base: number,
  out: Float64Array,
  at: number,
  wanted = count,
): void {
  const { widthsAt, wordsAt } = openSequence(reader, count)
  let word = wordsAt
  let sum = 0
  for (let start = 0, block = widthsAt; start < wanted; start += miniBlockRows, block++) {
    const width = reader.bytes[block]
    const rows = Math.min(miniBlockRows, count - start)
    if (width > 32) reader.fail(`bit width ${width} of a delta`)
    if (rows === miniBlockRows) {
      sum = unpackDelta[width](reader.words, word, out, at + start, base, sum)
    } else {
      unpackDelta[width](tail(reader, word, rows, width), 0, tailValues, 0, base, sum)
      out.set(tailValues.subarray(0, rows), at + start)
    }
    word += wordCount(rows, width)
  }
}

/** out[i] = value i, for sequences whose values all fit 32 bits. `out` has room for whole mini-blocks. */
export function readWords(reader: ByteReader, count: number, out: Uint32Array): void {
  const { widthsAt, wordsAt } = openSequence(reader, count)
  let word = wordsAt
  for (let start = 0, block = widthsAt; start < count; start += miniBlockRows, block++) {
    const width = reader.bytes[block]
    const rows = Math.min(miniBlockRows, count - start)
    if (width > 32) reader.fail(`bit width ${width} of a word`)
    const whole = rows === miniBlockRows
    if (whole) unpackPlain[width](reader.words, word, out, start)
    else unpackPlain[width](tail(reader, word, rows, width), 0, out, start)
    word += wordCount(rows, width)
  }
}

const wideValues = new Float64Array(miniBlockRows)
const lowParts = new Uint32Array(miniBlockRows)
const highParts = new Uint32Array(miniBlockRows)

/** Reads a mini-block wider than 32 bits into `wideValues`; returns the word behind it. */
function readWide(reader: ByteReader, at: number, rows: number, width: number): number {
  const highWidth = width - 32
  unpackPlain[32](tail(reader, at, rows, 32), 0, lowParts, 0)
  unpackPlain[highWidth](tail(reader, at + rows, rows, highWidth), 0, highParts, 0)
  for (let i = 0; i < rows; i++) wideValues[i] = highParts[i] * 0x100000000 + lowParts[i]
  return at + rows + wordCount(rows, highWidth)
}
