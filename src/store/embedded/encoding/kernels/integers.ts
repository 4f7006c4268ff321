// Integers within ±2^53, held as float64. Everything that is countable ends up here: integer fields,
// dictionary positions, booleans, floats that are decimals, what times differ from a line by.
//
//   u8 scheme, u8[3] zero, then
//   constant  f64 base: every value
//   parts     parts block
//   bits      f64 zero, planes block of the float64 bit patterns   (values beyond 2^50)
//
// Schemes 2 to 5 are those of version 1 (`../old-integers.ts`).

import { at8 } from './bits'
import { badScheme, fault, unexpectedEnd } from './faults'
import { decodeParts, encodeParts, openForSearch, valueAt } from './parts'
import { decodePlanes, encodePlanes } from './planes'

const schemeConstant: i32 = 1
const schemeParts: i32 = 6
const schemeBits: i32 = 7

/** Values of a larger range are stored otherwise: sums of them may not be exact. */
const partsRangeMax: f64 = 1125899906842624 // 2^50

/** Returns the place behind the block. `plan`: memory to work in, 24 bytes a part. */
export function encodeIntegers(values: usize, count: i32, out: usize, plan: usize): usize {
  const stop = at8(values, count)
  let least = load<f64>(values)
  let most = least
  for (let from = values; from < stop; from += 8) {
    const value = load<f64>(from)
    if (value < least) least = value
    if (value > most) most = value
  }
  if (least === most) {
    store<u32>(out, schemeConstant)
    store<f64>(out + 4, least)
    return out + 12
  }
  if (most - least < partsRangeMax && least >= -partsRangeMax && most <= partsRangeMax) {
    store<u32>(out, schemeParts)
    return encodeParts(values, count, out + 4, plan)
  }
  store<u32>(out, schemeBits)
  store<f64>(out + 4, 0)
  return encodePlanes(values, count, out + 12)
}

/** out[i] = value i, for values `from` up to `to` at least. Returns the place behind the block. */
export function decodeIntegers(
  block: usize,
  end: usize,
  count: i32,
  out: usize,
  from: i32,
  to: i32,
): usize {
  if (block + 12 > end) return fault(unexpectedEnd)
  const scheme = load<i32>(block)
  if (scheme === schemeParts) return decodeParts(block + 4, end, count, out, from, to)
  if (scheme === schemeConstant) {
    const value = load<f64>(block + 4)
    const stop = at8(out, to)
    for (let at = at8(out, from); at < stop; at += 8) store<f64>(at, value)
    return block + 12
  }
  if (scheme === schemeBits) return decodePlanes(block + 12, end, count, out, from, to)
  return fault(badScheme, scheme)
}

/**
 * The first of rows `start` up to `stop` whose moment is not before `offset`: row i has first + (i - origin) * step +
 * value i * scale, which rises. -1 where the block cannot be read. `out` has room for a whole block.
 */
export function lowerBound(
  block: usize,
  end: usize,
  count: i32,
  out: usize,
  start: i32,
  stop: i32,
  offset: f64,
  first: f64,
  origin: i32,
  step: f64,
  scale: f64,
): i32 {
  const isParts = load<i32>(block) === schemeParts
  if (isParts) {
    // Once from end to end, so that whatever is looked at lies within the block.
    if (decodeParts(block + 4, end, count, out, 0, 0) === 0) return -1
    if (!openForSearch(block + 4, end, count)) return -1
  } else if (decodeIntegers(block, end, count, out, start, stop) === 0) return -1
  let low = start
  let high = stop
  while (low < high) {
    const firstPart = low >>> 7
    const lastPart = (high - 1) >>> 7
    // Among the first rows of parts first: no part has to be decoded for its own.
    const middle =
      firstPart === lastPart ? (low + high) >>> 1 : ((firstPart + lastPart + 1) >>> 1) << 7
    const value = isParts ? valueAt(middle, count, out) : load<f64>(at8(out, middle))
    if (first + <f64>(middle - origin) * step + value * scale < offset) low = middle + 1
    else high = middle
  }
  return low
}
