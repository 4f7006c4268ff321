// Cells as nanoseconds since 1970: RFC3339 with its usual variations, numbers in a precision that is told
// (`dateTime:ms`) or that their size tells, and layouts as Go writes them. What has no zone is taken in the file's own.

import { Zone } from '../../column/zone.js'
import { UserError } from '../../errors.js'
import type { Precision } from '../../line-protocol/parser.js'
import { CellError, type Spell } from './field-values.js'
import { daysOf, layoutReader, type Moment, offsetSeconds } from './go-layout.js'

export interface TimeOptions {
  readonly format?: string | undefined
  readonly precision?: Precision | undefined
  readonly zone?: string | undefined
}

const factors: Readonly<Record<Precision, bigint>> = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** The seconds since 1970 of a moment of the file's clock. */
type FromLocal = (localSeconds: number) => number

export function timeSpelling({ format, precision, zone }: TimeOptions): Spell {
  const fromLocal = localClock(zone)
  if (format === 'number') return (text) => number(text, precision ?? 'ns')
  if (format !== undefined && Object.hasOwn(factors, format)) {
    return (text) => number(text, format as Precision)
  }
  const isUsual = format === undefined || format === '' || /^RFC3339(Nano)?$/.test(format)
  const read = isUsual ? readUsual : layoutReader(format)
  return (cell) => {
    const text = cell.trim()
    if (isUsual && /^[+-]?\d+(\.\d+)?$/.test(text)) return number(text, precision)
    const moment = read(text)
    if (moment !== undefined) return spelt(moment, fromLocal)
    const expected = isUsual ? 'no time' : `no time of the form "${format}"`
    throw new CellError(`"${cell}" is ${expected}`)
  }
}

/** Whether a cell is a moment that is written out. */
export function isWrittenTime(text: string): boolean {
  return readUsual(text.trim()) !== undefined
}

function localClock(zone: string | undefined): FromLocal {
  if (zone === undefined || zone === '') return (seconds) => seconds
  if (zone === 'Local') return localClock(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const offset = offsetSeconds(zone)
  if (offset !== undefined) return (seconds) => seconds - offset
  try {
    const place = new Zone(zone)
    return (seconds) => place.fromLocal(seconds)
  } catch {
    throw new UserError('invalid', `"${zone}" is no time zone: +0100, or a place as Europe/Berlin`)
  }
}

function number(text: string, precision: Precision | undefined): string {
  const match = /^\+?(-?)(\d+)(?:\.(\d+))?$/.exec(text.trim())
  if (match === null) throw new CellError(`"${text}" is no number`)
  const [, sign, whole, fraction = ''] = match
  const factor = factors[precision ?? precisionOf(whole.length)]
  if (factor === 1n) return `${sign}${whole}`
  const part = fraction === '' ? 0n : (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length)
  return `${sign}${BigInt(whole) * factor + part}`
}

/** Of moments between 1973 and 5138: seconds have up to 11 digits, milliseconds up to 14, microseconds 17. */
function precisionOf(digitCount: number): Precision {
  if (digitCount <= 11) return 's'
  if (digitCount <= 14) return 'ms'
  return digitCount <= 17 ? 'us' : 'ns'
}

const usual =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?)? ?(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?$/

function readUsual(text: string): Moment | undefined {
  const match = usual.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match
  const moment = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    nanosecond: fraction === '' ? 0 : Number(fraction.padEnd(9, '0')),
    offsetSeconds: zone === undefined ? undefined : offsetSeconds(zone === 'UTC' ? 'Z' : zone),
  }
  const isDay = moment.month >= 1 && moment.month <= 12 && moment.day >= 1
  if (!isDay || moment.day > daysOf(moment.year, moment.month)) return undefined
  return moment.hour < 24 && moment.minute < 60 && moment.second < 60 ? moment : undefined
}

function spelt(moment: Moment, fromLocal: FromLocal): string {
  const { year, month, day, hour, minute, second, nanosecond, offsetSeconds: offset } = moment
  const local = Date.UTC(year, month - 1, day, hour, minute, second) / 1000
  const seconds = offset === undefined ? fromLocal(local) : local - offset
  // Digits behind digits: for moments before 1970 they would have to be taken away.
  if (seconds > 0) return `${seconds}${String(nanosecond).padStart(9, '0')}`
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(nanosecond))
}
