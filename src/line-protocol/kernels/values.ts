// Values of fields as nearly all of them are: what is unusual is left to the parser, which knows every form and what is
// wrong with the others. `value` and `kind` tell what was read; each function returns the place behind it, or 0.

const plus: u8 = 43
const minus: u8 = 45
const point: u8 = 46

/** As `ColumnBuilder` numbers them. */
export const kindFloat: u32 = 0
export const kindInteger: u32 = 1
export const kindUnsigned: u32 = 2
export const kindBoolean: u32 = 3
export const kindString: u32 = 4
/** An integer that float64 does not hold, and columns of integers that have some; the same of unsigned ones. */
export const kindWide: u32 = 5
export const kindWideUnsigned: u32 = 7

/** A float64 or, of a string, place and length of its text as two words. */
export let value: u64 = 0
/** The 64 bits of an integer, signed or not, whatever its size. */
export let whole: i64 = 0
export let kind: u32 = 0
/** Newlines within the texts of a line. */
export let newlines: u32 = 0

export function beginLine(): void {
  newlines = 0
}

/** Of a string's length: its text has backslashes, some of which may be escapes. */
const escaped: u64 = 1 << 31

/** What is read ends before `end`, where a newline is the last byte. */
export function readValue(place: usize, end: usize): usize {
  const c = load<u8>(place)
  if (c === 0x22) return readString(place + 1, end)
  if (isDigit(c) || c === minus) return readNumber(place)
  return readBoolean(place, c)
}

function isDigit(c: u8): bool {
  return <u8>(c - 48) < 10
}

/** Values go on to a comma, a space or the end of the line. */
function isBehindValue(place: usize): bool {
  const c = load<u8>(place)
  return c === 0x2c || c === 0x20 || isLineEnd(place)
}

function isLineEnd(place: usize): bool {
  return load<u8>(place) === 0x0a || load<u16>(place) === 0x0a0d
}

function give(number: f64, type: u32, behind: usize): usize {
  value = reinterpret<u64>(number)
  kind = type
  return behind
}

function giveInteger(digits: u64, isNegative: bool, behind: usize): usize {
  if (digits > <u64>i64.MAX_VALUE) return 0
  whole = isNegative ? -(<i64>digits) : <i64>digits
  return give(<f64>whole, digits > safeMax ? kindWide : kindInteger, behind)
}

function giveUnsigned(digits: u64, behind: usize): usize {
  whole = <i64>digits
  return give(<f64>digits, digits > safeMax ? kindWideUnsigned : kindUnsigned, behind)
}

const digitsMax: i32 = 19
/** Powers of ten up to there are exact. */
const fractionDigitsMax: i32 = 22
/** Beyond it a float64 does not hold every whole number. */
const safeMax: u64 = (1 << 53) - 1

function readNumber(place: usize): usize {
  const isNegative = load<u8>(place) === minus
  const first = isNegative ? place + 1 : place
  let at = first
  let digits: u64 = 0
  let c = load<u8>(at)
  while (isDigit(c)) {
    digits = digits * 10 + (c - 48)
    c = load<u8>(++at)
  }
  const wholeDigits = <i32>(at - first)
  if (wholeDigits === 0 || wholeDigits > digitsMax) return 0
  if (c === 0x69) return giveInteger(digits, isNegative, at + 1)
  if (c === 0x75) return isNegative ? 0 : giveUnsigned(digits, at + 1)
  let fractionDigits = 0
  let significant = wholeDigits
  if (c === point) {
    const start = ++at
    at = moreDigits(at, digits)
    fractionDigits = <i32>(at - start)
    significant = digits === 0 ? fractionDigits - zerosAt(start) : wholeDigits + fractionDigits
    digits = digitsRead
    c = load<u8>(at)
  }
  if (significant > digitsMax || fractionDigits > fractionDigitsMax) return 0
  let number: f64 = 0
  if (c === 0x65 || c === 0x45) {
    at = readExponent(at + 1)
    if (at === 0) return 0
    number = scaled(digits, exponent - fractionDigits)
  } else number = decimal(digits, fractionDigits)
  // NaN is no number.
  if (!isBehindValue(at) || !(number >= 0)) return 0
  return give(isNegative ? -number : number, kindFloat, at)
}

let exponent: i32 = 0

/** Behind the `e`; gives the place behind it, or 0. */
function readExponent(place: usize): usize {
  const sign = load<u8>(place)
  const first = sign === minus || sign === plus ? place + 1 : place
  const behind = moreDigits(first, 0)
  const count = <i32>(behind - first)
  if (count === 0 || count > 3) return 0
  exponent = sign === minus ? -(<i32>digitsRead) : <i32>digitsRead
  return behind
}

/** digits * 10^power; NaN where that takes more than one rounding. */
function scaled(digits: u64, power: i32): f64 {
  if (digits > safeMax || abs(power) > fractionDigitsMax) return NaN
  return power < 0 ? <f64>digits / powerOfTen(-power) : <f64>digits * powerOfTen(power)
}

/** How many zeros there are before another byte. */
function zerosAt(place: usize): i32 {
  let at = place
  while (load<u8>(at) === 0x30) at++
  return <i32>(at - place)
}

let digitsRead: u64 = 0

/** Digits from a place on behind others, eight at a time where there are so many; `digitsRead` is all of them. */
function moreDigits(place: usize, before: u64): usize {
  let digits = before
  let at = place
  while (true) {
    const eight = load<u64>(at)
    if (!areDigits(eight)) break
    digits = digits * 100000000 + numberOf(eight)
    at += 8
  }
  let c = load<u8>(at)
  while (isDigit(c)) {
    digits = digits * 10 + (c - 48)
    c = load<u8>(++at)
  }
  digitsRead = digits
  return at
}

/** A digit is 0x30 up to 0x39: its upper half is 3, and still is with six more. */
function areDigits(eight: u64): bool {
  const halves = eight & 0xf0f0f0f0f0f0f0f0
  const more = (eight + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0
  return halves === 0x3030303030303030 && more === 0x3030303030303030
}

/** Of each two neighbours ten times the lower plus the upper, and so on: the first digit lies lowest. */
function numberOf(eight: u64): u64 {
  const digits = eight & 0x0f0f0f0f0f0f0f0f
  const pairs = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff
  const fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffff
  return (fours * 10000 + (fours >> 32)) & 0xffffffff
}

/** The nearest float64; NaN: not sure. */
function decimal(digits: u64, fractionDigits: i32): f64 {
  const divisor = powerOfTen(fractionDigits)
  if (digits < 1 << 53) return <f64>digits / divisor
  return nearestFloat(<f64>(digits / 10000), <f64>(digits % 10000), divisor)
}

function powerOfTen(exponent: i32): f64 {
  let power: f64 = 1
  for (let i = 0; i < exponent; i++) power *= 10
  return power
}

/**
 * The float64 nearest to (head * 10^4 + rest) / divisor: `head` is below 2^53, `divisor` a power of ten that is exact.
 * A float64 holds the first digits only; what it cannot hold is kept beside it in a second one ("double-double"), and
 * the quotient is told as a float64 and how far the true one lies from it. Where that is too close to the middle
 * between two floats to be sure, it is NaN, and the parser takes the language's own conversion.
 */
function nearestFloat(head: f64, rest: f64, divisor: f64): f64 {
  const shift: f64 = 10000
  const shifted = head * shift
  const below = productError(head, shift, shifted) + rest
  const high = shifted + below
  const low = below - (high - shifted)
  const quotient = high / divisor
  const product = quotient * divisor
  // What a division leaves over is a float64 itself: only the sum with `low` is rounded.
  const left = high - product - productError(quotient, divisor, product) + low
  const correction = left / divisor
  const error = abs(correction) * doubt
  const nearest = quotient + (correction - error)
  return nearest === quotient + (correction + error) ? nearest : NaN
}

/** Of the correction, 2^-50: its own two roundings, and those of the sums that ask whether it matters. */
const doubt: f64 = 8.881784197001252e-16

/** 2^27 + 1: cuts a float64 into two halves whose products are exact (Veltkamp, Dekker). */
const cut: f64 = 134217729

/** What `product`, a * b rounded, lacks; exact. */
function productError(a: f64, b: f64, product: f64): f64 {
  const aCut = cut * a
  const bCut = cut * b
  const aHigh = aCut - (aCut - a)
  const bHigh = bCut - (bCut - b)
  const aLow = a - aHigh
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/** `t`, `T`, `true`, `True`, `TRUE`, and the same of false. */
function readBoolean(place: usize, c: u8): usize {
  const isTrue = c === 0x74 || c === 0x54
  if (!isTrue && c !== 0x66 && c !== 0x46) return 0
  const number: f64 = isTrue ? 1 : 0
  if (isBehindValue(place + 1)) return give(number, kindBoolean, place + 1)
  const rest = load<u32>(place + 1)
  const isUpper = c === 0x54 || c === 0x46
  if (isTrue) {
    const rue = rest & 0xffffff
    const isWord = rue === 0x657572 || (isUpper && rue === 0x455552)
    return isWord ? give(1, kindBoolean, place + 4) : 0
  }
  const isWord = rest === 0x65736c61 || (isUpper && rest === 0x45534c41)
  return isWord ? give(0, kindBoolean, place + 5) : 0
}

function readString(start: usize, end: usize): usize {
  let at = start
  let flag: u64 = 0
  for (let c = load<u8>(at); c !== 0x22; c = load<u8>(++at)) {
    if (c === 0x5c) {
      flag = escaped
      c = load<u8>(++at)
    }
    if (c !== 0x0a) continue
    // It may go on behind what there is to read.
    if (at + 1 >= end) return 0
    newlines++
  }
  value = <u64>start | ((<u64>(at - start) | flag) << 32)
  kind = kindString
  return at + 1
}

/** Of a timestamp that `readTime` has found to be one. */
export let time: i64 = 0

/** Gives the place behind a timestamp, or 0. */
export function readTime(place: usize): usize {
  const isNegative = load<u8>(place) === minus
  const first = isNegative ? place + 1 : place
  const behind = moreDigits(first, 0)
  const count = <i32>(behind - first)
  if (count === 0 || count > digitsMax || digitsRead > <u64>i64.MAX_VALUE) return 0
  time = isNegative ? -(<i64>digitsRead) : <i64>digitsRead
  return behind
}
