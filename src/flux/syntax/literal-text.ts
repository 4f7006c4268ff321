// The values of literals: escapes of strings and regular expressions, dates, durations. A literal is
// written by the scanner's rules already; what is left to go wrong is told by an error value.

import type { DurationPart } from './ast.js'

export type Read<T> = { readonly value: T } | { readonly error: string }

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
  ['"', '"'],
  ['$', '$'],
])

const hexByte = /^[0-9a-fA-F]{2}$/

/** `"…"` with its quotes. */
export function readString(literal: string): Read<string> {
  if (literal.length < 2 || !literal.startsWith('"') || !literal.endsWith('"')) {
    return { error: 'invalid string literal' }
  }
  return readText(literal.slice(1, -1))
}

/** The text of a string or of a part of it. */
export function readText(text: string): Read<string> {
  return readEscapes(text, (char) => escapes.get(char) ?? null)
}

/** `/…/` with its slashes: only `\/` and `\xHH` are read here, the rest belongs to the expression. */
export function readRegex(literal: string): Read<string> {
  if (literal.length < 3) return { error: 'regexp must be at least 3 characters' }
  return readEscapes(literal.slice(1, -1), (char) => (char === '/' ? '/' : `\\${char}`))
}

/** Bytes given as `\xHH` need not be characters each, but all together they must be UTF-8. */
function readEscapes(text: string, replace: (char: string) => string | null): Read<string> {
  let backslash = text.indexOf('\\')
  if (backslash < 0) return { value: text }
  const pieces: Buffer[] = []
  let from = 0
  while (backslash >= 0) {
    pieces.push(Buffer.from(text.slice(from, backslash)))
    const char = String.fromCodePoint(text.codePointAt(backslash + 1) ?? 0)
    if (backslash + 1 >= text.length) return { error: 'invalid escape sequence' }
    from = backslash + 1 + char.length
    if (char === 'x') {
      const digits = text.slice(from, from + 2)
      if (!hexByte.test(digits)) return { error: hexError(digits) }
      pieces.push(Buffer.from(digits, 'hex'))
      from += 2
    } else {
      const replacement = replace(char)
      if (replacement === null) return { error: `invalid escape character ${char}` }
      pieces.push(Buffer.from(replacement))
    }
    backslash = text.indexOf('\\', from)
  }
  pieces.push(Buffer.from(text.slice(from)))
  return decode(Buffer.concat(pieces))
}

function hexError(digits: string): string {
  if (digits.length < 2) return `\\x followed by ${digits.length} char, must be 2`
  return 'invalid byte value'
}

function decode(bytes: Buffer): Read<string> {
  const validBytes = validPrefixBytes(bytes)
  if (validBytes === bytes.length) return { value: bytes.toString('utf8') }
  return { error: `invalid utf-8 sequence of 1 bytes from index ${validBytes}` }
}

function validPrefixBytes(bytes: Buffer): number {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return bytes.length
  } catch {
    // Replacement characters mark the first bad byte; everything before it keeps its length.
    const bad = bytes.toString('utf8').indexOf('\ufffd')
    return Buffer.byteLength(bytes.toString('utf8').slice(0, bad))
  }
}

const dateTimeShape =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|([+-])(\d\d):(\d\d)))?$/

/**
 * A date, or a date with a time of day and an offset, as RFC 3339 with nanoseconds where there are some;
 * null where the calendar or the clock has no such time. There are no leap seconds.
 */
export function readTime(literal: string): string | null {
  const match = dateTimeShape.exec(literal)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction, offset, , offsetHour, offsetMinute] =
    match
  if (!isDate(Number(year), Number(month), Number(day))) return null
  if (hour === undefined) return `${literal}T00:00:00Z`
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null
  const nanoseconds = (fraction ?? '').slice(0, 9).replace(/0+$/, '')
  const zone = offset === 'Z' || `${offsetHour}${offsetMinute}` === '0000' ? 'Z' : offset
  return `${literal.slice(0, 19)}${nanoseconds === '' ? '' : `.${nanoseconds}`}${zone}`
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return day <= days
}

const int64Max = 2n ** 63n - 1n
const durationPart = /(\d+)(\D+)/g

/** The parts in the order written; null if a magnitude has no room in 64 bits. */
export function readDuration(literal: string): DurationPart[] | null {
  const parts: DurationPart[] = []
  for (const [, digits, unit] of literal.matchAll(durationPart)) {
    const magnitude = readInteger(digits)
    if (magnitude === null) return null
    parts.push({ magnitude, unit: unit === 'µs' ? 'us' : unit })
  }
  return parts
}

/** Digits as a 64-bit number, null if there is no room. Long digits are refused before they are read. */
export function readInteger(digits: string): bigint | null {
  const significant = digits.replace(/^0+/, '')
  if (significant.length > 19) return null
  const value = BigInt(significant === '' ? '0' : significant)
  return value <= int64Max ? value : null
}
