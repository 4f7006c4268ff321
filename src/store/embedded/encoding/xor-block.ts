// 64-bit patterns (floats that are no decimals, integers beyond 2^53) as XOR with their
// predecessor, split into a high and a low plane of 32-bit words. Per mini-block and plane the zero
// bits that all words share at either end are left out. Coarser than a bit stream per value, but it
// unpacks by the same fast kernels as everything else.
//
//   per mini-block  u8 high shift, u8 high width, u8 low shift, u8 low width
//   per mini-block  high words packed, low words packed (an incomplete one is filled up with zeros)

import { miniBlockRows, packMiniBlock, unpackPlain } from './bit-packing.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { bitWidth, miniBlockCount } from './packed-sequence.js'

export type Words64 = Float64Array | BigInt64Array | BigUint64Array

const high = new Uint32Array(miniBlockRows)
const low = new Uint32Array(miniBlockRows)
const packed = new Uint32Array(miniBlockRows)

export function writeXorBlock(writer: ByteWriter, values: Words64, count: number): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, count * 2)
  const headersAt = writer.length
  for (let block = 0; block < miniBlockCount(count); block++) writer.u32(0)
  let previousHigh = 0
  let previousLow = 0
  for (let start = 0, at = headersAt; start < count; start += miniBlockRows, at += 4) {
    high.fill(0)
    low.fill(0)
    const rows = Math.min(miniBlockRows, count - start)
    for (let i = 0; i < rows; i++) {
      const nextLow = words[(start + i) * 2]
      const nextHigh = words[(start + i) * 2 + 1]
      low[i] = nextLow ^ previousLow
      high[i] = nextHigh ^ previousHigh
      previousLow = nextLow
      previousHigh = nextHigh
    }
    writePlane(writer, high, at)
    writePlane(writer, low, at + 2)
  }
}

function writePlane(writer: ByteWriter, plane: Uint32Array, headerAt: number): void {
  let all = 0
  for (let i = 0; i < miniBlockRows; i++) all |= plane[i]
  if (all === 0) return
  const shift = 31 - Math.clz32(all & -all)
  const width = bitWidth(all >>> shift)
  for (let i = 0; i < miniBlockRows; i++) plane[i] >>>= shift
  writer.setU8(headerAt, shift)
  writer.setU8(headerAt + 1, width)
  packMiniBlock[width](plane, 0, packed, 0)
  writer.raw(new Uint8Array(packed.buffer, 0, width * 16))
}

export function readXorBlock(reader: ByteReader, count: number, out: Words64, at: number): void {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length * 2)
  const headersAt = reader.offset
  reader.raw(miniBlockCount(count) * 4)
  let previousHigh = 0
  let previousLow = 0
  for (let start = 0, header = headersAt; start < count; start += miniBlockRows, header += 4) {
    const highShift = readPlane(reader, header, high)
    const lowShift = readPlane(reader, header + 2, low)
    const rows = Math.min(miniBlockRows, count - start)
    for (let i = 0, to = (at + start) * 2; i < rows; i++, to += 2) {
      previousLow ^= low[i] << lowShift
      previousHigh ^= high[i] << highShift
      words[to] = previousLow
      words[to + 1] = previousHigh
    }
  }
}

/** Unpacks a plane; returns its shift. */
function readPlane(reader: ByteReader, headerAt: number, plane: Uint32Array): number {
  const width = reader.bytes[headerAt + 1]
  if (width > 32) reader.fail(`bit width ${width}`)
  const word = reader.offset >>> 2
  reader.raw(width * 16)
  unpackPlain[width](reader.words, word, plane, 0)
  return reader.bytes[headerAt]
}
