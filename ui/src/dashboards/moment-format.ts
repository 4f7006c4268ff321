// Moments in the forms that cells name: `YYYY-MM-DD HH:mm:ss` and its relatives, in
// the time zone of the settings.

import { shownDate, zoneChoice } from '../query/time-zone.js'

const partPattern = /YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|H|hh|h|mm|m|sss|SSS|ss|s|dddd|ddd|A|a|ZZ|Z/g

export function momentText(ms: number, form: string): string {
  const at = shownDate(ms)
  return form.replace(partPattern, (part) => partText(part, at))
}

function zone(at: Date, separator: string): string {
  const minutes = zoneChoice() === 'utc' ? 0 : -at.getTimezoneOffset()
  const size = Math.abs(minutes)
  const hours = String(Math.floor(size / 60)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${hours}${separator}${String(size % 60).padStart(2, '0')}`
}

function partText(part: string, at: Date): string {
  switch (part) {
    case 'YYYY':
      return String(at.getFullYear())
    case 'YY':
      return two(at.getFullYear() % 100)
    case 'MMMM':
      return named(at, { month: 'long' })
    case 'MMM':
      return named(at, { month: 'short' })
    case 'MM':
      return two(at.getMonth() + 1)
    case 'M':
      return String(at.getMonth() + 1)
    case 'DD':
      return two(at.getDate())
    case 'D':
      return String(at.getDate())
    case 'dddd':
      return named(at, { weekday: 'long' })
    case 'ddd':
      return named(at, { weekday: 'short' })
    default:
      return clockText(part, at)
  }
}

function clockText(part: string, at: Date): string {
  const hours = at.getHours()
  const noon = hours < 12 ? 'am' : 'pm'
  switch (part) {
    case 'HH':
      return two(hours)
    case 'H':
      return String(hours)
    case 'hh':
      return two(hours % 12 || 12)
    case 'h':
      return String(hours % 12 || 12)
    case 'mm':
      return two(at.getMinutes())
    case 'm':
      return String(at.getMinutes())
    case 'ss':
      return two(at.getSeconds())
    case 's':
      return String(at.getSeconds())
    case 'sss':
    case 'SSS':
      return String(at.getMilliseconds()).padStart(3, '0')
    case 'A':
      return noon.toUpperCase()
    case 'a':
      return noon
    default:
      return zone(at, part === 'Z' ? ':' : '')
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function named(at: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', options).format(at)
}
