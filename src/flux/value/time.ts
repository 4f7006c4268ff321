// Moments: text and back, the calendar, and adding durations. Days and months are UTC's; whoever means
// another place's first turns the moment into what the clocks there show (`location.ts`).

import { floorDiv, nsPerDay, nsPerSecond } from '../../column/time.js'
import { FluxError } from './error.js'
import type { Duration } from './value.js'

export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

const int64Bits = 64
const nsDigits = 9
const secondsPerDay = 86_400

/** Always nine decimals, as Flux prints times: `2020-01-01T00:00:00.000000000Z`. */
export function timeText(ns: bigint): string {
  const seconds = floorDiv(ns, nsPerSecond)
  const fraction = (ns - seconds * nsPerSecond).toString().padStart(nsDigits, '0')
  return `${secondsText(Number(seconds))}.${fraction}Z`
}

/** With as many decimals as needed: `2020-01-01T00:00:00Z`. */
export function rfc3339Text(ns: bigint): string {
  const seconds = floorDiv(ns, nsPerSecond)
  const rest = ns - seconds * nsPerSecond
  const fraction = rest.toString().padStart(nsDigits, '0').replace(/0+$/, '')
  return `${secondsText(Number(seconds))}${rest === 0n ? '' : `.${fraction}`}Z`
}

function secondsText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const momentPattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/

/** RFC3339, or a date alone. Throws FluxError with the cause in Flux's words. */
export function parseTime(text: string): bigint {
  const ns = text.includes('T') ? parseMoment(text) : parseDate(text)
  if (ns !== undefined) return ns
  throw new FluxError(text.includes('T') ? 'cannot parse date time' : 'cannot parse date')
}

function parseDate(text: string): bigint | undefined {
  const found = datePattern.exec(text)
  if (found === null) return undefined
  const seconds = dateSeconds(Number(found[1]), Number(found[2]), Number(found[3]))
  return seconds === undefined ? undefined : wrapped(BigInt(seconds) * nsPerSecond)
}

function parseMoment(text: string): bigint | undefined {
  const found = momentPattern.exec(text)
  if (found === null) return undefined
  const date = dateSeconds(Number(found[1]), Number(found[2]), Number(found[3]))
  const [hour, minute, second] = [Number(found[4]), Number(found[5]), Number(found[6])]
  if (date === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  let seconds = date + hour * 3600 + minute * 60 + second
  if (found[8] !== undefined) {
    const [hours, minutes] = [Number(found[9]), Number(found[10])]
    if (hours > 24 || minutes > 60) return undefined
    seconds -= (found[8] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
  const fraction = (found[7] ?? '').slice(0, nsDigits).padEnd(nsDigits, '0')
  return wrapped(BigInt(seconds) * nsPerSecond + BigInt(fraction))
}

/** The start of a day in seconds since 1970; undefined: there is no such day. */
function dateSeconds(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return daysSince1970({ year, month, day }) * secondsPerDay
}

/** Beyond the years 1677 to 2262 the count starts again, as 64 bits have it. */
function wrapped(ns: bigint): bigint {
  return BigInt.asIntN(int64Bits, ns)
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function isLeapYear(year: number): boolean {
  return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0)
}

/** Days since 1970 of a date of the Gregorian calendar, also before it was used; March begins the year here. */
export function daysSince1970({ year, month, day }: CivilDate): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * 146_097 + dayOfEra + dayOfYear - 719_468
}

export function civilDate(days: number): CivilDate {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  const dayOfYear = dayOfEra - (365 * yearOfEra + leapDays)
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

/** Whole months first, the day pulled back to the month's end where it has no such day; then nanoseconds. */
export function addDuration(ns: bigint, duration: Duration): bigint {
  const sign = duration.isNegative ? -1n : 1n
  const moved = duration.months === 0n ? ns : addMonths(ns, sign * duration.months)
  return wrapped(moved + sign * duration.ns)
}

export function addMonths(ns: bigint, months: bigint): bigint {
  const days = floorDiv(ns, nsPerDay)
  const { year, month, day } = civilDate(Number(days))
  const count = BigInt(year) * 12n + BigInt(month - 1) + months
  const newYear = floorDiv(count, 12n)
  const newMonth = Number(count - newYear * 12n) + 1
  const date = {
    year: Number(newYear),
    month: newMonth,
    day: Math.min(day, daysInMonth(Number(newYear), newMonth)),
  }
  return wrapped(BigInt(daysSince1970(date)) * nsPerDay + (ns - days * nsPerDay))
}
