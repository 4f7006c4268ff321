// The package `date`: parts of a moment as the clocks and the calendar of a place show them, and
// reckoning with durations. A duration in the place of a time is counted from now.

import { floorDiv, nsPerDay } from '../../../column/time.js'
import type { MaybePromise } from '../../../platform/pull-stream.js'
import {
  type Call,
  constant,
  type Definition,
  type Definitions,
  native,
} from '../../package/define.js'
import { Window } from '../../table/window.js'
import { scaleDuration, zeroDuration } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import type { Location } from '../../value/location.js'
import { addDuration, civilDate, daysSince1970 } from '../../value/time.js'
import { typeText } from '../../value/type-name.js'
import { Duration, type FluxValue, Time, whenReady } from '../../value/value.js'
import { locationOfCall } from '../universe/window.js'

const nsPerMicrosecond = 1_000n
const nsPerMillisecond = 1_000_000n
const nsPerSecond = 1_000_000_000n
const nsPerMinute = 60n * nsPerSecond
const nsPerHour = 60n * nsPerMinute

const place = '?location: {zone: string, offset: duration}'

/** The moment of an argument that may be a duration from now. */
function momentOf(call: Call, name: string): MaybePromise<bigint> {
  const value = call.required(name)
  if (value instanceof Time) return value.ns
  if (!(value instanceof Duration)) {
    throw new FluxError(`argument ${name} must be a time or a duration, got ${typeText(value)}`)
  }
  const now = call.context.now()
  return whenReady(now, (ns) => addDuration(ns, value))
}

function withMoment(
  call: Call,
  name: string,
  compute: (ns: bigint) => MaybePromise<FluxValue>,
): MaybePromise<FluxValue> {
  return whenReady(momentOf(call, name), compute)
}

function withPlace(
  call: Call,
  compute: (location: Location) => FluxValue,
): MaybePromise<FluxValue> {
  return whenReady(locationOfCall(call), compute)
}

/** A part of what the clocks of a place show. */
function localPart(part: (clock: bigint) => bigint | Time, result = 'int'): Definition {
  return native(`(t: T, ${place}) => ${result} where T: Timeable`, (call) =>
    withMoment(call, 't', (ns) => withPlace(call, (location) => part(location.clockAt(ns)))),
  )
}

/** A part that is the same everywhere. */
function part(compute: (ns: bigint) => bigint): Definition {
  return native('(t: T) => int where T: Timeable', (call) => withMoment(call, 't', compute))
}

const within = (ns: bigint, span: bigint): bigint => ns - floorDiv(ns, span) * span
const dateOf = (clock: bigint) => civilDate(Number(floorDiv(clock, nsPerDay)))
/** 1970 began on a Thursday. */
const weekDayOf = (clock: bigint): number => Number(within(floorDiv(clock, nsPerDay) + 4n, 7n))

function yearDayOf(clock: bigint): number {
  const { year } = dateOf(clock)
  return Number(floorDiv(clock, nsPerDay)) - daysSince1970({ year, month: 1, day: 1 }) + 1
}

/** ISO 8601: the week that its Thursday belongs to. */
function weekOf(clock: bigint): bigint {
  const daysToThursday = 4 - (weekDayOf(clock) || 7)
  const thursday = clock + BigInt(daysToThursday) * nsPerDay
  return BigInt(Math.floor((yearDayOf(thursday) - 1) / 7) + 1)
}

function moved(name: 'to' | 'from', sign: bigint): Definition {
  return native(`(d: duration, ${name}: T, ${place}) => time where T: Timeable`, (call) => {
    const duration = scaleDuration(call.duration('d'), sign)
    return withMoment(call, name, (ns) =>
      withPlace(call, (location) => new Time(location.add(ns, duration))),
    )
  })
}

function truncate(call: Call): MaybePromise<FluxValue> {
  const unit = call.duration('unit')
  return withMoment(call, 't', (ns) =>
    withPlace(call, (location) => {
      const window = new Window(unit, unit, zeroDuration, location)
      return new Time(window.latest(ns).startNs)
    }),
  )
}

const weekDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

export const dateBuiltins: Definitions = {
  nanosecond: part((ns) => within(ns, nsPerSecond)),
  microsecond: part((ns) => within(ns, nsPerSecond) / nsPerMicrosecond),
  millisecond: part((ns) => within(ns, nsPerSecond) / nsPerMillisecond),
  second: part((ns) => within(ns, nsPerMinute) / nsPerSecond),
  minute: localPart((clock) => within(clock, nsPerHour) / nsPerMinute),
  hour: localPart((clock) => within(clock, nsPerDay) / nsPerHour),
  weekDay: localPart((clock) => BigInt(weekDayOf(clock))),
  monthDay: localPart((clock) => BigInt(dateOf(clock).day)),
  yearDay: localPart((clock) => BigInt(yearDayOf(clock))),
  week: localPart(weekOf),
  month: localPart((clock) => BigInt(dateOf(clock).month)),
  quarter: localPart((clock) => BigInt(Math.ceil(dateOf(clock).month / 3))),
  year: localPart((clock) => BigInt(dateOf(clock).year)),
  time: localPart((clock) => new Time(clock), 'time'),
  truncate: native(`(t: T, unit: duration, ${place}) => time where T: Timeable`, truncate),
  add: moved('to', 1n),
  sub: moved('from', -1n),
  scale: native('(d: duration, n: int) => duration', (call) =>
    scaleDuration(call.duration('d'), call.int('n')),
  ),
  ...Object.fromEntries(weekDays.map((name, i) => [name, constant('int', BigInt(i))])),
  ...Object.fromEntries(months.map((name, i) => [name, constant('int', BigInt(i + 1))])),
}
