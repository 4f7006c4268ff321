// Timestamps, as bigints, and what is wrong with those that are none. Those of nearly all lines are read elsewhere
// (`fast-lines.ts`).

import { timeMax, timeMin } from '../column/time.js'
import { isLineEnd, minus, newline, skipBlanks, space } from './characters.js'
import { outOfRange } from './number-text.js'
import type { Scan } from './scan.js'

const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)

/**
 * Reads the rest of the line from the blank or line end after the fields. Sets the scan's time and answers the start of
 * the next line, or -1 with the scan's reason.
 */
export function scanTime(s: Scan, start: number): number {
  const { bytes } = s
  const first = skipBlanks(bytes, start)
  let i = first
  if (bytes[i] === minus) i++
  while (isDigit(bytes[i])) i++
  if (i === first && isLineEnd(bytes, i)) {
    s.time = s.scale.now
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
  s.time = time
  return true
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
