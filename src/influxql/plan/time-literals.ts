// Times as they are written in conditions: `2006-01-02`, `2006-01-02 15:04:05.999999999` and RFC3339.
// What has no offset of its own is read in the query's zone. And the way back, as Go prints RFC3339.

import { floorDiv, nsPerSecond } from '../../column/time.js'
import { zoneOf } from '../../column/zone.js'
import { UserError } from '../../errors.js'

const looksLikeTime = /^\d{4}-\d{2}-\d{2}(?:$|[^\n])/

export function isTimeLiteral(text: string): boolean {
  return looksLikeTime.test(text)
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:([ T])(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?)?$/

/** Nanoseconds since 1970, which may lie beyond int64. Throws UserError for what only looks like a time. */
export function parseTimeLiteral(text: string, zone: string | undefined): bigint {
  const plain = plainSeconds(text)
  if (!Number.isNaN(plain)) return BigInt(plain) * nsPerSecond
  const match = dateTime.exec(text)
  if (match === null) throw invalidTime()
  const [, year, month, day, separator, hour, minute, second, fraction, offset] = match
  // RFC3339 has a T and says where it is; the other form has neither.
  if (separator === 'T' ? offset === undefined : offset !== undefined) throw invalidTime()
  const seconds = secondsOf(+year, +month, +day, +(hour ?? 0), +(minute ?? 0), +(second ?? 0))
  const ns = BigInt((fraction ?? '0').slice(0, 9).padEnd(9, '0'))
  return BigInt(inZone(seconds, offset, zone)) * nsPerSecond + ns
}

/**
 * Seconds of `2006-01-02T15:04:05Z`, which is what nearly all programs write; NaN for anything else. Ten times as
 * fast as the pattern, which was a twentieth of a point query.
 */
function plainSeconds(text: string): number {
  if (text.length !== 20 || text[10] !== 'T' || text[19] !== 'Z') return Number.NaN
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  // No month has fewer than 28 days; the others are left to whoever looks closer.
  const isPlain = day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59
  const month = twoDigits(text, 5)
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const isPunctuated = text[4] === '-' && text[7] === '-' && text[13] === ':' && text[16] === ':'
  if (!isPlain || !isPunctuated || !(month >= 1 && month <= 12 && year >= 100)) return Number.NaN
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  const areDigits = tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9
  return areDigits ? tens * 10 + ones : Number.NaN
}

function invalidTime(): UserError {
  return new UserError('invalid', 'invalid timestamp string')
}

function secondsOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!isReal || hour > 23 || minute > 59 || second > 59) throw invalidTime()
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second
}

function inZone(local: number, offset: string | undefined, zone: string | undefined): number {
  if (offset === 'Z') return local
  if (offset !== undefined) {
    const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))
    return local - (offset[0] === '-' ? -minutes : minutes) * 60
  }
  return zone === undefined ? local : zoneOf(zone).fromLocal(local)
}

/** RFC3339 in UTC, to the second. */
export function printSeconds(time: bigint): string {
  return dateText(Number(floorDiv(time, nsPerSecond))).concat('Z')
}

/** RFC3339 in UTC with as many digits of the second as there are. */
export function printTime(time: bigint): string {
  const seconds = floorDiv(time, nsPerSecond)
  const ns = time - seconds * nsPerSecond
  const fraction = ns === 0n ? '' : `.${ns.toString().padStart(9, '0').replace(/0+$/, '')}`
  return `${dateText(Number(seconds))}${fraction}Z`
}

function dateText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, -5)
}
