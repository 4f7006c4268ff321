// A sequence of unsigned numbers up to 2^53 - 1, as segments of version 1 have it: bit-packed in mini-blocks of 128,
// with a width each.
//
//   u8[ceil(n / 128)]  widths, 0 to 53; zero bytes up to a multiple of 4
//   per mini-block     width <= 32: the packed words
//                      width > 32:  the low 32 bits of each value packed with width 32, then the high parts packed
//                                   with width - 32
//
// The last mini-block stores only the words that its values reach. The sequence starts on a multiple of 4 and is a
// multiple of 4 bytes long.

import type { ByteReader } from './byte-reader.js'
import { miniBlockRows, unpack } from './old-unpacking.js'

export function miniBlockCount(count: number): number {
  return (count + miniBlockRows - 1) >>> 7
}

/** Its numbers; the reader moves behind it. */
export function readSequence(reader: ByteReader, count: number): Float64Array {
  const out = new Float64Array(count)
  const widthsAt = reader.offset
  reader.skip(miniBlockCount(count))
  reader.align4()
  const low = new Uint32Array(miniBlockRows)
  const high = new Uint32Array(miniBlockRows)
  for (let start = 0; start < count; start += miniBlockRows) {
    const width = reader.bytes[widthsAt + (start >>> 7)]
    if (width > 53) reader.fail(`bit width ${width}`)
    const rows = Math.min(miniBlockRows, count - start)
    unpackRows(reader, rows, Math.min(width, 32), low)
    unpackRows(reader, rows, Math.max(width - 32, 0), high)
    for (let i = 0; i < rows; i++) out[start + i] = high[i] * 0x100000000 + low[i]
  }
  return out
}

function unpackRows(reader: ByteReader, rows: number, width: number, out: Uint32Array): void {
  const at = reader.offset >>> 2
  const used = (rows * width + 31) >>> 5
  reader.skip(used * 4)
  // Filled up with zeros, so that it can be unpacked whole.
  const words = new Uint32Array(miniBlockRows)
  words.set(reader.words.subarray(at, at + used))
  unpack(words, 0, width, out, 0)
}
