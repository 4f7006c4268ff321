// Simple8b: words of 64 bits whose upper four say how many numbers of how many bits lie in the other sixty, the first
// in the lowest. Selectors 0 and 1 stand for 240 and 120 ones.
//
// Numbers of more than 53 bits do not fit a float64: `unpackSimple8b` says so, and the caller takes the exact way.

import { DamageError } from './damage.js'

const counts = [240, 120, 60, 30, 20, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1]
const widths = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60]

export function countSimple8b(bytes: Uint8Array, start: number, end: number): number {
  if ((end - start) % 8 !== 0) throw new DamageError('packed numbers do not end with a word')
  let count = 0
  for (let at = start; at < end; at += 8) count += counts[bytes[at] >>> 4]
  return count
}

/** Fills `into` from `to` on; false where a number has more than 53 bits. */
export function unpackSimple8b(
  view: DataView,
  start: number,
  end: number,
  into: Float64Array,
  to: number,
): boolean {
  let next = to
  for (let at = start; at < end; at += 8) {
    const high = view.getUint32(at)
    const low = view.getUint32(at + 4)
    const selector = high >>> 28
    if (selector < 2) {
      const stop = next + counts[selector]
      into.fill(1, next, stop)
      next = stop
    } else if (selector === 15) {
      const upper = high & 0x0fffffff
      if (upper >= 2 ** 21) return false
      into[next++] = upper * 2 ** 32 + low
    } else {
      next = unpackWord(high, low, widths[selector], counts[selector], into, next)
    }
  }
  return true
}

/** Widths of up to 30 bits. */
function unpackWord(
  high: number,
  low: number,
  width: number,
  count: number,
  into: Float64Array,
  to: number,
): number {
  const mask = 2 ** width - 1
  let shift = 0
  for (let i = 0; i < count; i++) {
    let value: number
    if (shift >= 32) value = high >>> (shift - 32)
    else if (shift + width <= 32) value = low >>> shift
    else value = (low >>> shift) | (high << (32 - shift))
    into[to + i] = value & mask
    shift += width
  }
  return to + count
}

/** The same for numbers of any size. */
export function unpackSimple8bExact(
  view: DataView,
  start: number,
  end: number,
  into: BigUint64Array,
  to: number,
): void {
  let next = to
  for (let at = start; at < end; at += 8) {
    const word = view.getBigUint64(at)
    const selector = Number(word >> 60n)
    const width = BigInt(widths[selector])
    const mask = (1n << width) - 1n
    for (let i = 0; i < counts[selector]; i++) {
      into[next++] = selector < 2 ? 1n : (word >> (BigInt(i) * width)) & mask
    }
  }
}
