// Times as they are written in conditions: `2006-01-02`, `2006-01-02 15:04:05.999999999` and RFC3339.
// What has no offset of its own is read in the query's zone. And the way back, as Go prints RFC3339.

import { floorDiv, nsPerSecond } from '../../column/time.js'
import { zoneOf } from '../../column/zone.js'
import { UserError } from '../../errors.js'

const looksLikeDate = /^\d{4}-\d{2}-\d{2}$/
const looksLikeDateTime = /^\d{4}-\d{2}-\d{2}[^\n]/

export function isTimeLiteral(text: string): boolean {
  return looksLikeDate.test(text) || looksLikeDateTime.test(text)
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:([ T])(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?)?$/

/** Nanoseconds since 1970, which may lie beyond int64. Throws UserError for what only looks like a time. */
export function parseTimeLiteral(text: string, zone: string | undefined): bigint {
  const match = dateTime.exec(text)
  if (match === null) throw invalidTime()
  const [, year, month, day, separator, hour, minute, second, fraction, offset] = match
  // RFC3339 has a T and says where it is; the other form has neither.
  if (separator === 'T' ? offset === undefined : offset !== undefined) throw invalidTime()
  const seconds = secondsOf(+year, +month, +day, +(hour ?? 0), +(minute ?? 0), +(second ?? 0))
  const ns = BigInt((fraction ?? '0').slice(0, 9).padEnd(9, '0'))
  return BigInt(inZone(seconds, offset, zone)) * nsPerSecond + ns
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
