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

/**
 * Zigzag coded differences of up to 31 bits, as nearly all are, summed up from into[to - 1] on: unpacking and summing
 * in one go takes half the time. False where a difference is larger; `into` has anything in it then.
 */
export function sumSimple8b(
  view: DataView,
  start: number,
  end: number,
  into: Float64Array,
  to: number,
): boolean {
  let next = to
  let sum = into[to - 1]
  for (let at = start; at < end; at += 8) {
    const high = view.getUint32(at)
    const low = view.getUint32(at + 4)
    const selector = high >>> 28
    const count = counts[selector]
    if (selector < 2) {
      for (let i = 0; i < count; i++) into[next++] = --sum
    } else if (selector === 15) {
      if ((high & 0x0fffffff) !== 0 || low > 0x7fffffff) return false
      sum += (low >>> 1) ^ -(low & 1)
      into[next++] = sum
    } else {
      sum = sumWord(high, low, selector, into, next, sum)
      next += count
    }
  }
  return true
}

/** Those that lie in the lower half, the one across, those in the upper half. */
function sumWord(
  high: number,
  low: number,
  selector: number,
  into: Float64Array,
  to: number,
  before: number,
): number {
  const width = widths[selector]
  const mask = (1 << width) - 1
  const inLow = (32 / width) | 0
  const across = to + inLow
  const stop = to + counts[selector]
  let sum = before
  let bits = low
  for (let i = to; i < across; i++) {
    sum += ((bits & mask) >>> 1) ^ -(bits & 1)
    into[i] = sum
    bits >>>= width
  }
  const left = 32 - inLow * width
  // A shift by 32 would be one by nothing.
  bits = left === 0 ? high : (high << left) | bits
  sum += ((bits & mask) >>> 1) ^ -(bits & 1)
  into[across] = sum
  bits = high >>> (width - left)
  for (let i = across + 1; i < stop; i++) {
    sum += ((bits & mask) >>> 1) ^ -(bits & 1)
    into[i] = sum
    bits >>>= width
  }
  return sum
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
