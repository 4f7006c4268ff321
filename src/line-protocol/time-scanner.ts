// Timestamps. Digits become whole seconds and nanoseconds, two numbers that are exact where one
// would not be. Bigints are used only near the ends of the range and to say what is wrong.

import { surelyEqualRange } from '../column/byte-table.js'
import { timeMax, timeMin } from '../column/time.js'
import { isLineEnd, skipBlanks } from './characters.js'
import { digitsBetween } from './digits.js'
import { outOfRange } from './number-text.js'
import type { Scan } from './scan.js'

const space = 32
const minus = 45
const newline = 10

/** Seconds up to here, with any nanoseconds, lie inside the range; beyond it bigints decide. */
const secondsSure = 9223372035

const nsPerSecond = 1_000_000_000n
const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)

/**
 * Reads the rest of the line from the blank or line end after the fields. Sets the scan's seconds
 * and nanoseconds and answers the start of the next line, or -1 with the scan's reason. Writers
 * send many rows with one timestamp, so the bytes are compared with the last one first. Others are
 * as long as the last one.
 */
export function scanTime(s: Scan, start: number): number {
  const { bytes } = s
  if (bytes[start] === space) {
    const at = start + 1
    const length = s.timeLength
    if (length > 0 && at + length <= s.limit) {
      if (surelyEqualRange(s.view, at, s.view, s.timeStart, length)) return at + length
      if (readDigits(s, at, at + length - 1, false)) {
        s.timeStart = at
        return at + length
      }
    }
    const end = scanDigits(s, at)
    if (end >= 0) {
      s.timeStart = at
      s.timeLength = end - at
      return end
    }
  }
  return scanTimeSlow(s, start)
}

/** The usual case: one space, digits, newline, surely inside the range. Otherwise -1. */
function scanDigits(s: Scan, start: number): number {
  const { bytes } = s
  const isNegative = bytes[start] === minus
  const first = isNegative ? start + 1 : start
  let end = first
  while (isDigit(bytes[end])) end++
  return end > first && readDigits(s, first, end, isNegative) ? end + 1 : -1
}

/** Digits up to `end` and a newline there, surely inside the range. Otherwise nothing is set. */
function readDigits(s: Scan, first: number, end: number, isNegative: boolean): boolean {
  const { bytes, view, scale } = s
  const fractionStart = Math.max(first, end - scale.fractionDigits)
  if (bytes[end] !== newline || fractionStart - first > 10) return false
  const whole = digitsBetween(bytes, view, first, fractionStart)
  const fraction = digitsBetween(bytes, view, fractionStart, end)
  const seconds = whole * scale.secondsPerUnit
  if (whole < 0 || fraction < 0 || seconds > secondsSure) return false
  const nanos = fraction * scale.nanosPerFraction
  // Subtracted from zero, so that no negative zero arises.
  s.seconds = isNegative ? 0 - seconds : seconds
  s.nanos = isNegative ? 0 - nanos : nanos
  return true
}

function scanTimeSlow(s: Scan, start: number): number {
  const { bytes } = s
  s.timeLength = 0
  const first = skipBlanks(bytes, start)
  let i = first
  if (bytes[i] === minus) i++
  while (isDigit(bytes[i])) i++
  if (i === first && isLineEnd(bytes, i)) {
    s.seconds = s.scale.nowSeconds
    s.nanos = s.scale.nowNanos
    return nextLine(bytes, i)
  }
  if (bytes[i] !== space && !isLineEnd(bytes, i)) return fail(s, i, 'bad timestamp')
  if (!readTime(s, s.text.toString('latin1', first, i))) return fail(s, i, s.reason)
  while (bytes[i] === space) i++
  if (!isLineEnd(bytes, i)) return fail(s, i, 'point is invalid')
  return nextLine(bytes, i)
}

function readTime(s: Scan, digits: string): boolean {
  if (digits === '-') {
    s.reason = 'strconv.ParseInt: parsing "-": invalid syntax'
    return false
  }
  const value = BigInt(digits)
  if (value > int64Max || value < int64Min) {
    s.reason = `strconv.ParseInt: ${outOfRange(digits)}`
    return false
  }
  const time = value * s.scale.nsPerUnit
  if (time > timeMax || time < timeMin) {
    s.reason = `time outside range ${timeMin} - ${timeMax}`
    return false
  }
  s.seconds = Number(time / nsPerSecond)
  s.nanos = Number(time % nsPerSecond)
  return true
}

/** The current row's time as a bigint. */
export function exactTime(s: Scan): bigint {
  return BigInt(s.seconds) * nsPerSecond + BigInt(s.nanos)
}

function nextLine(bytes: Uint8Array, lineEnd: number): number {
  return bytes[lineEnd] === newline ? lineEnd + 1 : lineEnd + 2
}

function fail(s: Scan, at: number, reason: string): -1 {
  s.at = at
  s.reason = reason
  return -1
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57
}
