// 64-bit patterns (floats that are no decimals, integers beyond 2^53) in parts of 128 that are read
// one by one, each split into a plane of high and one of low words.
//
//   per part  u8 high width, u8 low width, u8 low shift, u8 zero, u32 high reference, u32 low reference
//   per part  high words packed, low words packed; a part's last word ends with the last value
//
// High words are stored as distances from the smallest, which is near in signs, exponents and counts. Of the low words
// the bits that differ from the first one's are stored, without the zeros that all of them end with.

import { at8, bitsOf, maskOf, numberAtBit, numbers, pack, wordCount } from './bits'
import { badWidth, fault, unexpectedEnd } from './faults'
import { partCount, partRows } from './parts'

const headerBytes: i32 = 12

/** Returns the place behind the block. */
export function encodePlanes(values: usize, count: i32, out: usize): usize {
  const parts = partCount(count)
  let at = out + parts * headerBytes
  for (let part = 0; part < parts; part++) {
    const start = part * partRows
    const from = at8(values, start)
    const header = out + part * headerBytes
    at = encodePart(from, min(partRows, count - start), header, at)
  }
  return at
}

function encodePart(values: usize, rows: i32, header: usize, out: usize): usize {
  const stop = at8(values, rows)
  const lowReference = load<u32>(values)
  let least = u32.MAX_VALUE
  let most: u32 = 0
  let differing: u32 = 0
  for (let from = values; from < stop; from += 8) {
    const high = load<u32>(from + 4)
    least = min(least, high)
    most = max(most, high)
    differing |= load<u32>(from) ^ lowReference
  }
  const highWidth = bitsOf(most - least)
  const shift = differing === 0 ? 0 : <i32>ctz(differing)
  const lowWidth = bitsOf(differing >> shift)
  store<u8>(header, highWidth)
  store<u8>(header + 1, lowWidth)
  store<u16>(header + 2, shift)
  store<u32>(header + 4, least)
  store<u32>(header + 8, lowReference)
  for (let i = 0; i < rows; i++) {
    store<u64>(at8(numbers, i), load<u32>(at8(values, i) + 4) - least)
  }
  const lows = pack(numbers, rows, highWidth, out)
  for (let i = 0; i < rows; i++) {
    store<u64>(at8(numbers, i), (load<u32>(at8(values, i)) ^ lowReference) >> shift)
  }
  return pack(numbers, rows, lowWidth, lows)
}

/** out[i] = value i, for the parts that hold values `from` up to `to`. Returns the place behind the block. */
export function decodePlanes(
  block: usize,
  end: usize,
  count: i32,
  out: usize,
  from: i32,
  to: i32,
): usize {
  const parts = partCount(count)
  const first = from >>> 7
  const stop = partCount(to)
  let at = block + parts * headerBytes
  if (at > end) return fault(unexpectedEnd)
  for (let part = 0; part < parts; part++) {
    const header = block + part * headerBytes
    const highWidth = <i32>load<u8>(header)
    const lowWidth = <i32>load<u8>(header + 1)
    if (highWidth > 32 || lowWidth > 32) return fault(badWidth, max(highWidth, lowWidth))
    const rows = min(partRows, count - part * partRows)
    const lows = at + (wordCount(rows, highWidth) << 2)
    const next = lows + (wordCount(rows, lowWidth) << 2)
    if (next > end) return fault(unexpectedEnd)
    if (part >= first && part < stop) {
      decodePart(header, at, highWidth, lows, lowWidth, rows, out + (part << 10))
    }
    at = next
  }
  return at
}

function decodePart(
  header: usize,
  highs: usize,
  highWidth: i32,
  lows: usize,
  lowWidth: i32,
  rows: i32,
  out: usize,
): void {
  const stop = at8(out, rows)
  const shift = <u32>load<u8>(header + 2)
  const highReference = load<u32>(header + 4)
  const lowReference = load<u32>(header + 8)
  const highMask = maskOf(highWidth)
  const lowMask = maskOf(lowWidth)
  let highBit: usize = 0
  let lowBit: usize = 0
  for (let to = out; to < stop; to += 8) {
    const high = highReference + <u32>numberAtBit(highs, highBit, highMask)
    const low = lowReference ^ ((<u32>numberAtBit(lows, lowBit, lowMask)) << shift)
    store<u64>(to, ((<u64>high) << 32) | <u64>low)
    highBit += highWidth
    lowBit += lowWidth
  }
}
