// Numbers as decimal text straight into bytes. Integers are written four digits at a time from a
// table; floats in the shortest form that reads back as the same value, which Go's JSON and
// JavaScript spell alike except for the negative zero. Room for `numberBytesMax` must have been made.

import { putAscii } from './byte-writer.js'

/** The longest float has 24 characters (-1.2345678901234567e-300), the longest integer 20. */
export const numberBytesMax = 26

const zero = 48
const minus = 45
const comma = 44
const point = 46

/** Four digits as the bytes of an integer, with zeros in front, and with the digits in front. */
const padded = new Int32Array(10_000)
const leading = new Int32Array(10_000)
// A step for each number, with what is known of pairs: digit by digit it took a hundredth of a start.
const pairs = Int32Array.from({ length: 100 }, (_, pair) => (pair / 10) | 0 | ((pair % 10) << 8))
for (let high = 0, value = 0; high < 100; high++) {
  const digits = 0x30303030 | pairs[high]
  for (let low = 0; low < 100; low++) padded[value++] = digits | (pairs[low] << 16)
}
leading.set(padded)
for (let value = 0; value < 1000; value++) {
  leading[value] = padded[value < 10 ? value * 1000 : value < 100 ? value * 100 : value * 10]
}

/** Numbers below this with a comma in front, percents and the like: as the bytes of an integer, and how many count. */
export const behindCommaEnd = 1000
export const behindComma = new Int32Array(behindCommaEnd)
export const behindCommaBytes = new Uint8Array(behindCommaEnd)
for (let value = 0; value < behindCommaEnd; value++) {
  behindComma[value] = comma | (leading[value] << 8)
  behindCommaBytes[value] = value < 10 ? 2 : value < 100 ? 3 : 4
}

/** A safe integer, of either sign. */
export function putInteger(view: DataView, at: number, value: number): number {
  if (value < 0) {
    view.setUint8(at, minus)
    return putNatural(view, at + 1, -value)
  }
  return putNatural(view, at, value)
}

/** A safe integer that is not negative. */
export function putNatural(view: DataView, at: number, value: number): number {
  if (value < 10_000) return putGroup(view, at, value | 0)
  if (value < 1e8) return putEight(view, at, value | 0)
  const high = Math.floor(value / 1e8)
  const end = high < 1e8 ? putSmall(view, at, high | 0) : putNatural(view, at, high)
  return putPaddedEight(view, end, (value - high * 1e8) | 0)
}

function putSmall(view: DataView, at: number, value: number): number {
  return value < 10_000 ? putGroup(view, at, value) : putEight(view, at, value)
}

/** From 0 to 9,999, as many digits as it has. */
function putGroup(view: DataView, at: number, value: number): number {
  view.setInt32(at, leading[value], true)
  return at + (value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4)
}

/** From 10,000 to 99,999,999. */
function putEight(view: DataView, at: number, value: number): number {
  const high = (value / 10_000) | 0
  const end = putGroup(view, at, high)
  view.setInt32(end, padded[value - high * 10_000], true)
  return end + 4
}

function putPaddedEight(view: DataView, at: number, value: number): number {
  const high = (value / 10_000) | 0
  view.setInt32(at, padded[high], true)
  view.setInt32(at + 4, padded[value - high * 10_000], true)
  return at + 8
}

/** Two digits: from 0 to 99. */
export function putTwo(view: DataView, at: number, value: number): void {
  view.setInt16(at, padded[value] >> 16, true)
}

/** Four digits: from 0 to 9,999. */
export function putFour(view: DataView, at: number, value: number): void {
  view.setInt32(at, padded[value], true)
}

/** Six digits: from 0 to 999,999. */
export function putSix(view: DataView, at: number, value: number): number {
  const high = (value / 10_000) | 0
  putTwo(view, at, high)
  putFour(view, at + 2, value - high * 10_000)
  return at + 6
}

/** Nine digits: from 0 to 999,999,999. */
export function putNine(view: DataView, at: number, value: number): number {
  const high = (value / 1e8) | 0
  view.setUint8(at, zero + high)
  return putPaddedEight(view, at + 1, (value - high * 1e8) | 0)
}

/** Decimals that are tried by multiplication before String has to find them. */
const decimalsMax = 4
const powers = [1, 10, 100, 1000, 10_000]
/** Decimals of up to 15 digits are told apart by every float, so that one which fits is the shortest. */
const exactMax = 1e15

/** A finite float. */
export function putFloat(view: DataView, at: number, value: number): number {
  const size = value < 0 ? -value : value
  if (size < exactMax) {
    if (size === Math.floor(size)) {
      if (size === 0 && 1 / value < 0) return putAscii(view, at, '-0')
      return putInteger(view, at, value)
    }
    if (size >= 1e-3) {
      for (let decimals = 1; decimals <= decimalsMax; decimals++) {
        const scaled = Math.floor(size * powers[decimals] + 0.5)
        if (scaled >= exactMax) break
        if (scaled / powers[decimals] !== size) continue
        return putDecimal(view, at, value < 0, scaled, decimals)
      }
    }
  }
  return putAscii(view, at, String(value))
}

function putDecimal(
  view: DataView,
  start: number,
  isNegative: boolean,
  scaled: number,
  decimals: number,
): number {
  let at = start
  if (isNegative) view.setUint8(at++, minus)
  const whole = Math.floor(scaled / powers[decimals])
  at = putNatural(view, at, whole)
  view.setUint8(at++, point)
  const fraction = (scaled - whole * powers[decimals]) * powers[decimalsMax - decimals]
  view.setInt32(at, padded[fraction], true)
  return at + decimals
}

/** Room for the digits of any float without an exponent: up to 309 before and 340 behind the point. */
export const plainFloatBytesMax = 350

/** A finite float without an exponent, as CSV has it. */
export function putPlainFloat(view: DataView, at: number, value: number): number {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return putFloat(view, at, value)
  return putAscii(view, at, withoutExponent(String(value)))
}

function withoutExponent(text: string): string {
  const [, sign, whole, fraction = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)!
  const shift = Number(exponent)
  const digits = whole + fraction
  // Floats from 1e21 on have at most 17 digits: none is left behind the point.
  if (shift > 0) return sign + digits.padEnd(shift + 1, '0')
  return `${sign}0.${'0'.repeat(-shift - 1)}${digits}`
}
