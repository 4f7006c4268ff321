// Floats. Sensors and programs mostly write decimals with a few digits, and such a float is exactly
// an integer divided by a power of ten (both exact in float64, division rounds correctly): stored
// as integers and an exponent. A few that are none, as -0 among temperatures, are stored beside them; where there are
// many, bit patterns are stored.
//
//   u8 scheme, u8 exponent, u16 number of exceptions, then
//   decimal     integer block of value * 10^exponent
//   exceptions  their rows as u16, zero bytes up to a multiple of 4, their values as f64, then as decimal
//   planes      planes block
//   xor         XOR block; only in segments of version 1, whose integer blocks are others too

import { align4, at8 } from './bits'
import { badException, badScheme, fault, faulty, unexpectedEnd } from './faults'
import { decodeIntegers, encodeIntegers } from './integers'
import { decodePlanes, encodePlanes } from './planes'

const schemeDecimal: i32 = 1
const schemeExceptions: i32 = 3
const schemePlanes: i32 = 4

const exponentMax: i32 = 15

/** Exact up to there; a product of tens rounds nowhere. */
function powerOf(exponent: i32): f64 {
  let power: f64 = 1
  for (let i = 0; i < exponent; i++) power *= 10
  return power
}

/** Beyond this an integer block would store bit patterns anyway. */
const decimalMax: f64 = 1125899906842624 // 2^50

/** Beyond one in so many bit patterns take less room, or hardly more. */
const exceptionsShare: i32 = 32

/** Rows of exceptions are stored in 16 bits. */
const exceptionsRowMax: i32 = 0xffff

function exceptionsMaxOf(count: i32): i32 {
  return count > exceptionsRowMax ? 0 : count / exceptionsShare
}

/**
 * Whether it is a whole number divided by this power of ten. Halves round to the even one, which is no such number
 * either way.
 */
function isDecimal(value: f64, power: f64): bool {
  const scaled = nearest(value * power)
  if (!(abs(scaled) <= decimalMax) || scaled / power !== value) return false
  return value !== 0 || reinterpret<i64>(value) === 0
}

/** The smallest exponent that makes every value an integer, or nearly every one; -1 where there is none. */
function commonExponent(values: usize, count: i32): i32 {
  const stop = at8(values, count)
  let exponent = 0
  let power: f64 = 1
  let left = exceptionsMaxOf(count)
  for (let from = values; from < stop; from += 8) {
    const value = load<f64>(from)
    if (isDecimal(value, power)) continue
    let larger = exponent + 1
    while (larger <= exponentMax && !isDecimal(value, powerOf(larger))) larger++
    if (larger <= exponentMax) {
      exponent = larger
      power = powerOf(larger)
    } else if (--left < 0) return -1
  }
  return exponent
}

/**
 * Fills `integers`, and from `rows` on the rows of exceptions, 16 bits each. Gives how many there are; -1: too many.
 * In the place of an exception stands what costs nothing.
 */
function scaleValues(values: usize, count: i32, power: f64, integers: usize, rows: usize): i32 {
  const most = exceptionsMaxOf(count)
  let exceptions = 0
  let before: f64 = 0
  for (let i = 0; i < count; i++) {
    const value = load<f64>(at8(values, i))
    if (isDecimal(value, power)) before = nearest(value * power)
    else if (exceptions === most) return -1
    else {
      store<u16>(rows + (exceptions << 1), <u16>i)
      exceptions++
    }
    store<f64>(at8(integers, i), before)
  }
  return exceptions
}

/**
 * Returns the place behind the block. `integers`: memory to work in, as large as `values`; `plan`: 24 bytes a part.
 */
export function encodeFloats(
  values: usize,
  count: i32,
  out: usize,
  integers: usize,
  plan: usize,
): usize {
  const exponent = commonExponent(values, count)
  const exceptions =
    exponent < 0 ? -1 : scaleValues(values, count, powerOf(exponent), integers, out + 4)
  if (exceptions < 0) {
    store<u32>(out, schemePlanes)
    return encodePlanes(values, count, out + 4)
  }
  const scheme = exceptions === 0 ? schemeDecimal : schemeExceptions
  store<u32>(out, scheme | (exponent << 8) | (exceptions << 16))
  let at = align4(out + 4 + (exceptions << 1))
  if ((exceptions & 1) !== 0) store<u16>(at - 2, 0)
  for (let e = 0; e < exceptions; e++) {
    const row = <i32>load<u16>(out + 4 + (e << 1))
    store<f64>(at, load<f64>(at8(values, row)))
    at += 8
  }
  return encodeIntegers(integers, count, at, plan)
}

/** out[i] = value i, for values `from` up to `to` at least. Returns the place behind the block. */
export function decodeFloats(
  block: usize,
  end: usize,
  count: i32,
  out: usize,
  from: i32,
  to: i32,
): usize {
  if (block + 4 > end) return fault(unexpectedEnd)
  const head = load<u32>(block)
  const scheme = <i32>(head & 0xff)
  if (scheme === schemePlanes) return decodePlanes(block + 4, end, count, out, from, to)
  const exponent = <i32>((head >> 8) & 0xff)
  if ((scheme !== schemeDecimal && scheme !== schemeExceptions) || exponent > exponentMax) {
    return fault(badScheme, head)
  }
  const exceptions = scheme === schemeExceptions ? <i32>(head >> 16) : 0
  const rows = block + 4
  const exact = align4(rows + (exceptions << 1))
  const integers = exact + (exceptions << 3)
  if (integers > end) return fault(unexpectedEnd)
  const stop = decodeIntegers(integers, end, count, out, from, to)
  if (stop === faulty) return faulty
  if (exponent > 0) divide(out, from, to, powerOf(exponent))
  for (let e = 0; e < exceptions; e++) {
    const row = <i32>load<u16>(rows + (e << 1))
    if (row >= count) return fault(badException)
    store<f64>(at8(out, row), load<f64>(exact + (e << 3)))
  }
  return stop
}

/** Two at a time. One more than asked for may be divided: what stands there means nothing. */
function divide(out: usize, from: i32, to: i32, power: f64): void {
  const stop = at8(out, to)
  const powers = f64x2.splat(power)
  for (let at = at8(out, from); at < stop; at += 16) {
    v128.store(at, f64x2.div(v128.load(at), powers))
  }
}
