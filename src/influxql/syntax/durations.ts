// Durations: the text of a literal → nanoseconds or months, and the two ways InfluxDB prints them:
// `90m`, as in queries, and `1h30m0s`, as Go does and SHOW RETENTION POLICIES with it.

import { parseWhole } from '../../query/whole-number.js'

export type ParsedDuration =
  | { readonly kind: 'duration'; readonly ns: bigint; readonly months: number }
  | { readonly kind: 'error'; readonly message: string }

const nsPerUnit = {
  ns: 1n,
  u: 1000n,
  µ: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
}
const monthsPerUnit = { mo: 1, y: 12 }

type ClockUnit = keyof typeof nsPerUnit
type CalendarUnit = keyof typeof monthsPerUnit

const int64Max = 9223372036854775807n
const monthsMax = 12 * 100_000
const invalid: ParsedDuration = { kind: 'error', message: 'invalid duration' }

/** `1h30m`, and beyond InfluxDB `1mo` and `1y`, which do not mix with the others. May begin with a minus. */
export function parseDuration(text: string): ParsedDuration {
  if (text.length < 2) return invalid
  let at = text.charCodeAt(0) === 45 ? 1 : 0
  const isNegative = at === 1
  let ns = 0n
  let months = 0
  let hasClock = false
  let hasCalendar = false
  let last = ''
  while (at < text.length) {
    const from = at
    while (isDigit(text.charCodeAt(at))) at++
    const unit = at === from ? undefined : unitAt(text, at)
    const amount = parseWhole(text.slice(from, at))
    if (unit === undefined || amount > int64Max) return invalid
    if (isCalendarUnit(unit)) {
      months += Number(amount) * monthsPerUnit[unit]
      hasCalendar = true
    } else {
      // InfluxDB's sum wraps around, and is refused when it ends up below zero.
      ns = BigInt.asIntN(64, ns + BigInt.asIntN(64, amount * nsPerUnit[unit]))
      hasClock = true
    }
    at += unit.length
    last = `${amount}${unit}`
  }
  if (hasCalendar && (hasClock || months === 0 || months > monthsMax)) return invalid
  if (ns < 0n && !isNegative) {
    const message = `overflowed duration ${last}: choose a smaller duration or INF`
    return { kind: 'error', message }
  }
  if (!isNegative) return { kind: 'duration', ns, months }
  return { kind: 'duration', ns: BigInt.asIntN(64, -ns), months: months === 0 ? 0 : -months }
}

/** As in queries: a whole number of the largest unit that fits, `90m`. */
export function printDuration(ns: bigint): string {
  if (ns === 0n) return '0s'
  for (const unit of ['w', 'd', 'h', 'm', 's', 'ms', 'u'] as const) {
    if (ns % nsPerUnit[unit] === 0n) return `${ns / nsPerUnit[unit]}${unit}`
  }
  return `${ns}ns`
}

export function printMonths(months: number): string {
  return months % 12 === 0 ? `${months / 12}y` : `${months}mo`
}

/** As Go prints them: `1h30m0s`, `1.5s`, `250ms`, `1.001µs`, `0s`. */
export function printGoDuration(ns: bigint): string {
  if (ns === 0n) return '0s'
  if (ns < 0n) return `-${printGoDuration(-ns)}`
  if (ns < nsPerUnit.u) return `${ns}ns`
  if (ns < nsPerUnit.ms) return `${printFraction(ns, nsPerUnit.u)}µs`
  if (ns < nsPerUnit.s) return `${printFraction(ns, nsPerUnit.ms)}ms`
  const hours = ns / nsPerUnit.h
  const minutes = (ns % nsPerUnit.h) / nsPerUnit.m
  const seconds = `${printFraction(ns % nsPerUnit.m, nsPerUnit.s)}s`
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`
  return minutes > 0n ? `${minutes}m${seconds}` : seconds
}

function printFraction(ns: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const rest = String(ns % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return rest === '' ? String(ns / unit) : `${ns / unit}.${rest}`
}

function unitAt(text: string, at: number): ClockUnit | CalendarUnit | undefined {
  const unit = text[at]
  const next = text[at + 1]
  switch (unit) {
    case 'n':
      return next === 's' ? 'ns' : undefined
    case 'm':
      if (next === 's') return 'ms'
      return next === 'o' ? 'mo' : 'm'
    case 'u':
    case 'µ':
    case 's':
    case 'h':
    case 'd':
    case 'w':
    case 'y':
      return unit
    default:
      return undefined
  }
}

function isCalendarUnit(unit: ClockUnit | CalendarUnit): unit is CalendarUnit {
  return unit === 'mo' || unit === 'y'
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
