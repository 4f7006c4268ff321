// Cron expressions as InfluxDB reads them: five fields, six with the second first, seven with the year last; names of
// months and days; lists, ranges and steps; macros. Unlike classic cron the day of the month AND the day of the week
// must fit. Pure: times are seconds of a wall clock since 1970, whichever zone that clock is in.

import { UserError } from '../../errors.js'

export interface Cron {
  /** The first moment later than this one; undefined: there is none any more. */
  next(localSeconds: number): number | undefined
  /** Whether it fits every hour: then an hour that clocks show twice counts twice. */
  readonly isEveryHour: boolean
}

interface FieldKind {
  readonly noun: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** In the order of an expression of seven fields. */
const kinds: readonly FieldKind[] = [
  { noun: 'second', min: 0, max: 59 },
  { noun: 'minute', min: 0, max: 59 },
  { noun: 'hour', min: 0, max: 23 },
  { noun: 'day of month', min: 1, max: 31 },
  { noun: 'month', min: 1, max: 12, names: months },
  { noun: 'day of week', min: 0, max: 6, names: days },
  { noun: 'year', min: 1970, max: 2099 },
]

const macros: Readonly<Record<string, string | undefined>> = {
  '@yearly': '0 0 0 1 1 * *',
  '@annually': '0 0 0 1 1 * *',
  '@monthly': '0 0 0 1 * * *',
  '@weekly': '0 0 0 * * 0 *',
  '@daily': '0 0 0 * * * *',
  '@midnight': '0 0 0 * * * *',
  '@hourly': '0 0 * * * * *',
  '@every_minute': '0 * * * * * *',
  '@every_second': '* * * * * * *',
}

/** Throws UserError with the place of the first character that cannot be read. `@every` is not for this file. */
export function parseCron(given: string): Cron {
  const text = given.trim()
  const expanded = text.startsWith('@') ? macros[text.toLowerCase()] : text
  if (expanded === undefined) throw unreadable(given, given.indexOf('@') + 1)
  const words = [...expanded.matchAll(/\S+/g)]
  const shift = text === expanded ? given.indexOf(text) : 0
  if (words.length > 7) {
    throw invalid(`too many positions in cron at char ${words[7].index + shift}`)
  }
  const odd = given.search(/[^\w*,/\-\s]/)
  if (words.length < 5 && odd >= 0 && text === expanded) throw unreadable(given, odd)
  if (words.length < 5) {
    const end = shift + text.length
    throw invalid(`too few positions in cron: ${words.length} of at least 5 at char ${end}`)
  }
  const places = words.map(([word, ...rest], i) => ({
    word,
    at: (words[i].index ?? 0) + shift,
    rest,
  }))
  if (places.length < 6) places.unshift({ word: '0', at: 0, rest: [] })
  if (places.length < 7) places.push({ word: '*', at: 0, rest: [] })
  const fields = kinds.map((kind, i) => parseField(kind, places[i].word, places[i].at))
  return new Matcher(fields)
}

function parseField(kind: FieldKind, word: string, at: number): readonly boolean[] {
  const set = new Array<boolean>(kind.max + 1).fill(false)
  let place = at
  for (const part of word.split(',')) {
    for (const value of valuesOf(kind, part, place)) set[value] = true
    place += part.length + 1
  }
  return set
}

function valuesOf(kind: FieldKind, part: string, at: number): number[] {
  const { noun, min, max } = kind
  const match = /^(?:(\*)|([A-Za-z0-9]+)(?:-([A-Za-z0-9]+))?)(?:\/(\d{1,4}))?$/.exec(part)
  if (match === null) throw unreadable(part, badPlace(part), at)
  const [, star, from, to, step] = match
  const first = star === undefined ? numberOf(kind, from, at) : min
  // `4/10`: from 4 on.
  const isOpen = star !== undefined || (step !== undefined && to === undefined)
  const last = isOpen ? max : to === undefined ? first : numberOf(kind, to, at + from.length + 1)
  const by = step === undefined ? 1 : Number(step)
  const isWrong = first < min || last > max || first > last || by < 1 || by > max
  if (isWrong) throw invalid(`invalid ${noun} ${part} at char ${at}`)
  const values = []
  for (let value = first; value <= last; value += by) values.push(value)
  return values
}

function numberOf({ min, names = [] }: FieldKind, word: string, at: number): number {
  if (/^\d{1,4}$/.test(word)) return Number(word)
  const index = names.indexOf(word.toUpperCase())
  if (index < 0) throw unreadable(word, /^\d*/.exec(word)?.[0].length ?? 0, at)
  return index + min
}

/** The first sign of a part that no part has there. */
function badPlace(part: string): number {
  const good = /^(?:\*|[A-Za-z0-9]+(?:-[A-Za-z0-9]*)?)?(?:\/\d{0,4})?/.exec(part)?.[0].length ?? 0
  return Math.min(good, Math.max(part.length - 1, 0))
}

class Matcher implements Cron {
  readonly #fields: readonly (readonly boolean[])[]
  readonly isEveryHour: boolean

  constructor(fields: readonly (readonly boolean[])[]) {
    this.#fields = fields
    this.isEveryHour = fields[2].every((fits) => fits)
  }

  next(localSeconds: number): number | undefined {
    const [seconds, minutes, hours] = this.#fields
    let time = localSeconds + 1
    for (;;) {
      const day = Math.floor(time / 86_400)
      const fittingDay = this.#nextDay(day)
      if (fittingDay === undefined) return undefined
      if (fittingDay > day) time = fittingDay * 86_400
      const inDay = time - fittingDay * 86_400
      const found = nextInDay(seconds, minutes, hours, inDay)
      if (found !== undefined) return fittingDay * 86_400 + found
      time = (fittingDay + 1) * 86_400
    }
  }

  /** The first day, counted from 1970, from this one on whose year, month, day and weekday all fit. */
  #nextDay(from: number): number | undefined {
    const [, , , monthDays, monthNumbers, weekdays, years] = this.#fields
    let day = from
    for (;;) {
      const date = new Date(day * 86_400_000)
      const year = date.getUTCFullYear()
      const month = date.getUTCMonth()
      if (year > kinds[6].max) return undefined
      if (years[year] !== true) day = Date.UTC(year + 1, 0, 1) / 86_400_000
      else if (!monthNumbers[month + 1]) day = Date.UTC(year, month + 1, 1) / 86_400_000
      else if (!monthDays[date.getUTCDate()] || !weekdays[date.getUTCDay()]) day++
      else return day
    }
  }
}

function nextInDay(
  seconds: readonly boolean[],
  minutes: readonly boolean[],
  hours: readonly boolean[],
  from: number,
): number | undefined {
  let time = from
  while (time < 86_400) {
    const hour = Math.floor(time / 3600)
    const minute = Math.floor(time / 60) % 60
    if (!hours[hour]) time = (hour + 1) * 3600
    else if (!minutes[minute]) time = hour * 3600 + (minute + 1) * 60
    else if (!seconds[time % 60]) time++
    else return time
  }
  return undefined
}

function unreadable(text: string, index: number, at = 0): UserError {
  return invalid(`error in parsing at char ${at + index}, '${text.slice(index, index + 1)}'`)
}

function invalid(reason: string): UserError {
  return new UserError('invalid', `cron invalid: ${reason}`)
}
