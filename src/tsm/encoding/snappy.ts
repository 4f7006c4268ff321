// Snappy's block format, back to bytes: a varint with the length, then literals and copies of what came before. Own
// code because the packages that there are either run install scripts or take bytes that end too early for good ones.
//
//   tag & 3:  0 literal   length - 1 in the upper six bits; 60..63: in the 1..4 bytes that follow
//             1 copy      length - 4 in bits 2..4, distance in bits 5..7 and one byte
//             2, 3 copy   length - 1 in the upper six bits, distance in two or four bytes, low byte first

import { ByteCursor } from './byte-cursor.js'
import { DamageError } from './damage.js'

export function decompressSnappy(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const cursor = new ByteCursor(bytes)
  const length = cursor.length()
  if (length > bytesMax)
    throw new DamageError(`${length} compressed bytes are more than ${bytesMax}`)
  const out = new Uint8Array(length)
  const filled = fill(bytes, cursor.at, out)
  if (filled !== length) throw new DamageError('compressed bytes are too short')
  return out
}

/** How much of `out` came to be. */
function fill(bytes: Uint8Array, start: number, out: Uint8Array): number {
  let at = start
  let to = 0
  while (at < bytes.length) {
    const tag = bytes[at++]
    const kind = tag & 3
    if (kind === 0) {
      const extra = Math.max(0, (tag >>> 2) - 59)
      const length = (extra === 0 ? tag >>> 2 : littleEndian(bytes, at, extra)) + 1
      at += extra
      if (at + length > bytes.length || to + length > out.length) throw overrun()
      copyForward(bytes, at, out, to, length)
      at += length
      to += length
      continue
    }
    const width = kind === 3 ? 4 : kind
    const low = littleEndian(bytes, at, width)
    const distance = kind === 1 ? low + ((tag >>> 5) << 8) : low
    const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    at += width
    if (distance === 0 || distance > to || to + length > out.length) throw overrun()
    copyForward(out, to - distance, out, to, length)
    to += length
  }
  return to
}

/** Byte by byte: a copy may read what it has just written. */
function copyForward(
  from: Uint8Array,
  start: number,
  out: Uint8Array,
  to: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) out[to + i] = from[start + i]
}

function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  if (at + width > bytes.length) throw overrun()
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]
  return value
}

function overrun(): DamageError {
  return new DamageError('compressed bytes are damaged')
}
