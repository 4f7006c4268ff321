// When a task is due: `every` or `cron`, in a time zone, with an offset. Pure: a schedule only answers which moment
// comes after another. Intervals are counted from the first day of year 1, as InfluxDB does, so that weeks begin on
// Mondays; months and years are those of the calendar. The offset delays the run, not the moment that it is for.

import { floorDiv, nsPerSecond, yearOneNs } from '../../column/time.js'
import { type Zone, zoneOf } from '../../column/zone.js'
import { UserError } from '../../errors.js'
import { type Duration, parseDuration } from '../base/durations.js'
import { type Cron, parseCron } from './cron.js'

export interface ScheduleOptions {
  readonly every?: string | undefined
  readonly cron?: string | undefined
  readonly offset?: string | undefined
  /** IANA's name; absent: UTC. */
  readonly zone?: string | undefined
}

/** Moments are nanoseconds since 1970, always whole seconds. */
export interface TaskSchedule {
  /** The first boundary later than this moment; undefined: there is none any more. */
  next(after: bigint): bigint | undefined
  /** When the run for a boundary is to begin. */
  dueAt(boundary: bigint): bigint
  /** The boundary whose run would begin at this moment, were it one: what `dueAt` undoes. */
  boundaryFor(moment: bigint): bigint
}

/** Finds the next local moment on a wall clock; see `Cron.next`. */
type NextLocal = (localSeconds: number) => number | undefined

/** Options must have been checked. Throws UserError where they cannot be read. */
export function scheduleOf(options: ScheduleOptions): TaskSchedule {
  const { every, offset } = options
  const zone = options.zone === undefined ? undefined : knownZone(options.zone)
  const delay = offset === undefined ? noTime : durationOf('offset', offset)
  const cron = options.cron?.trim()
  const interval = cron?.startsWith('@every ') ? cron.slice('@every '.length) : every
  const rule = interval === undefined ? cronRule(cron ?? '') : intervalRule(interval)
  const next = (after: bigint) => {
    const seconds = nextMoment(Number(floorDiv(after, nsPerSecond)), rule, zone)
    return seconds === undefined ? undefined : BigInt(seconds) * nsPerSecond
  }
  return {
    next,
    dueAt: (boundary) => plus(boundary, delay),
    boundaryFor: (moment) => plus(moment, { months: -delay.months, ns: -delay.ns }),
  }
}

interface Rule {
  readonly next: NextLocal
  /** Counts hours that pass and not those that clocks show: an hour that comes twice is met twice. */
  readonly isElastic: boolean
}

const noTime: Duration = { months: 0, ns: 0n }

function cronRule(text: string): Rule {
  const cron: Cron = parseCron(text)
  return { next: (local) => cron.next(local), isElastic: cron.isEveryHour }
}

function intervalRule(text: string): Rule {
  const { months, ns } = durationOf('every', text)
  if (months > 0 && ns > 0n) {
    throw invalid('every option cannot mix months or years with shorter units')
  }
  if (months > 0) return { next: (local) => nextMonth(local, months), isElastic: false }
  const seconds = Number(ns / nsPerSecond)
  if (seconds < 1) throw invalid('every option must be at least 1 second')
  const next = (local: number) => {
    const since = local - yearOneSeconds
    return yearOneSeconds + (Math.floor(since / seconds) + 1) * seconds
  }
  return { next, isElastic: seconds <= 3600 }
}

const yearOneSeconds = Number(yearOneNs / nsPerSecond)

function nextMonth(local: number, months: number): number {
  const date = new Date(local * 1000)
  // Counted from January of year 1.
  const index = (date.getUTCFullYear() - 1) * 12 + date.getUTCMonth()
  const next = (Math.floor(index / months) + 1) * months
  return Date.UTC(1 + Math.floor(next / 12), next % 12, 1) / 1000
}

/** As far as moments of points go. */
const secondsMax = 9_223_372_036

function nextMoment(after: number, rule: Rule, zone: Zone | undefined): number | undefined {
  const found = zone === undefined ? rule.next(after) : nextInZone(after, rule, zone)
  return found === undefined || found > secondsMax ? undefined : found
}

function nextInZone(after: number, rule: Rule, zone: Zone): number | undefined {
  const offset = zone.offsetSeconds(after)
  let local = rule.next(after + offset)
  if (rule.isElastic) {
    if (local === undefined || zone.offsetSeconds(local - offset) === offset) {
      return local === undefined ? undefined : local - offset
    }
    const change = changeBetween(after, local - offset, zone)
    const later = zone.offsetSeconds(change)
    const found = rule.next(change + later - 1)
    return found === undefined ? undefined : found - later
  }
  while (local !== undefined) {
    const moment = momentOf(local, zone)
    if (moment > after) return moment
    local = rule.next(local)
  }
  return undefined
}

/** When clocks first show this time, or would have where it was left out: then the moment of the change. */
function momentOf(local: number, zone: Zone): number {
  const day = 86_400
  const before = zone.offsetSeconds(local - day)
  const behind = zone.offsetSeconds(local + day)
  const offsets = before >= behind ? [before, behind] : [behind, before]
  for (const offset of offsets) {
    if (zone.offsetSeconds(local - offset) === offset) return local - offset
  }
  return changeBetween(local - day, local + day, zone)
}

/** The first second of the offset that holds at `to`. */
function changeBetween(from: number, to: number, zone: Zone): number {
  const offset = zone.offsetSeconds(to)
  let low = from
  let high = to
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone.offsetSeconds(middle) === offset) high = middle
    else low = middle
  }
  return high
}

function knownZone(name: string): Zone {
  try {
    return zoneOf(name)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw invalid(`unknown time zone ${JSON.stringify(name)}`)
  }
}

function durationOf(key: string, text: string): Duration {
  const duration = parseDuration(text)
  if (duration !== undefined) return duration
  throw invalid(notDuration(key, text))
}

/** The first part is InfluxDB's. */
export function notDuration(key: string, text: string): string {
  const reason = `${key} option must be a duration, found ${JSON.stringify(text)}`
  return `failed to parse field '${key}' in task options: ${reason}`
}

function plus(moment: bigint, { months, ns }: Duration): bigint {
  if (months === 0) return moment + ns
  const seconds = Number(floorDiv(moment, nsPerSecond))
  const date = new Date(seconds * 1000)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const monthLength = new Date(
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0),
  ).getUTCDate()
  date.setUTCDate(Math.min(day, monthLength))
  return BigInt(date.getTime() / 1000) * nsPerSecond + ns
}

function invalid(reason: string): UserError {
  return new UserError('invalid', reason)
}
