// Bad lines: where such a line ends, and the text that says what is wrong with it. The end is
// searched for apart from the parser because the parser stops at the mistake; quotes that open
// after it may still hide newlines.

import { backslash, comma, decodeText, equals, newline, quote, space } from './characters.js'

/** At most this many errors are kept per request; the rest are counted only. */
export const lineErrorsMax = 100

export interface LineError {
  /** Counted from 1. */
  readonly line: number
  /** `unable to parse '<line>': <reason>` */
  readonly message: string
  readonly reason: string
}

export function tooManyMeasurements(max: number): string {
  return `a write may have at most ${max} measurements (--write-measurements-max)`
}

/** Times of one table lie within 2^53 ns: a measurement has one for each such span. */
export function tooManyTables(max: number): string {
  return `a write may have at most ${max} spans of 104 days of its measurements (--write-measurements-max)`
}

export function tooManyFields(max: number): string {
  return `a write may have at most ${max} fields in all its measurements (--write-fields-max)`
}

export function lineError(
  bytes: Uint8Array,
  start: number,
  end: number,
  line: number,
  reason: string,
): LineError {
  const text = decodeText(bytes, start, end)
  return { line, message: `unable to parse '${text}': ${reason}`, reason }
}

/**
 * The newline that ends the line, at or after `from`, or `limit` if a quote stays open up to there.
 * A quote counts only where a value can be: after the first space, with more equals signs than
 * commas before it.
 */
export function findLineEnd(bytes: Uint8Array, start: number, from: number, limit: number): number {
  let inFields = false
  let isQuoted = false
  let valuesOpen = 0
  for (let i = start; i < limit; i++) {
    const c = bytes[i]
    if (c === newline && !isQuoted && i >= from) return i
    if (c === backslash) {
      if (isQuoted || bytes[i + 1] !== newline) i++
    } else if (c === quote) isQuoted = valuesOpen > 0 && !isQuoted
    else if (!isQuoted) {
      if (c === space) inFields = true
      else if (inFields && c === equals) valuesOpen++
      else if (inFields && c === comma) valuesOpen--
    }
  }
  return limit
}
