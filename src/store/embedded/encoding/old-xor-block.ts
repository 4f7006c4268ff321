// 64-bit patterns (floats that are no decimals, integers beyond 2^53) as XOR with their
// predecessor, split into a high and a low plane of 32-bit words. Per mini-block and plane the zero
// bits that all words share at either end are left out.
//
//   per mini-block  u8 high shift, u8 high width, u8 low shift, u8 low width
//   per mini-block  high words packed, low words packed (an incomplete one is filled up with zeros)

import type { ByteReader } from './byte-reader.js'
import type { Values64 } from './codec.js'
import { miniBlockCount } from './old-sequence.js'
import { miniBlockRows, unpack } from './old-unpacking.js'

const high = new Uint32Array(miniBlockRows)
const low = new Uint32Array(miniBlockRows)

/** Fills `out`, which is returned. */
export function readXorBlock<T extends Values64>(reader: ByteReader, out: T): T {
  const count = out.length
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length * 2)
  const headersAt = reader.offset
  reader.skip(miniBlockCount(count) * 4)
  let previousHigh = 0
  let previousLow = 0
  for (let start = 0, header = headersAt; start < count; start += miniBlockRows, header += 4) {
    const highShift = readPlane(reader, header, high)
    const lowShift = readPlane(reader, header + 2, low)
    const rows = Math.min(miniBlockRows, count - start)
    for (let i = 0, to = start * 2; i < rows; i++, to += 2) {
      previousLow ^= low[i] << lowShift
      previousHigh ^= high[i] << highShift
      words[to] = previousLow
      words[to + 1] = previousHigh
    }
  }
  return out
}

/** Unpacks a plane; returns its shift. */
function readPlane(reader: ByteReader, headerAt: number, plane: Uint32Array): number {
  const width = reader.bytes[headerAt + 1]
  if (width > 32) reader.fail(`bit width ${width}`)
  const word = reader.offset >>> 2
  reader.skip(width * 16)
  unpack(reader.words, word, width, plane, 0)
  return reader.bytes[headerAt]
}
