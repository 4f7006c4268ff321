// Parts of a moment that is told as a float of seconds since 1970, in UTC, as floats again: PromQL has no
// other numbers.

import { floorDiv, nsPerDay } from '../../../../column/time.js'
import { type Definition, type Definitions, native } from '../../../package/define.js'
import { floatToInt } from '../../../value/conversion.js'
import { type CivilDate, civilDate, daysInMonth } from '../../../value/time.js'

const secondsPerDay = 86_400

interface Moment extends CivilDate {
  readonly daysSince1970: number
  /** Into the day. */
  readonly seconds: number
}

function momentOf(timestamp: number): Moment {
  const ns = floatToInt(timestamp * 1e9)
  const days = floorDiv(ns, nsPerDay)
  const seconds = Number((ns - days * nsPerDay) / 1_000_000_000n)
  return {
    ...civilDate(Number(days)),
    daysSince1970: Number(days),
    seconds: seconds % secondsPerDay,
  }
}

function part(compute: (moment: Moment) => number): Definition {
  return native('(timestamp: float) => float', (call) => compute(momentOf(call.float('timestamp'))))
}

/** 1970 began on a Thursday. */
function weekDay({ daysSince1970 }: Moment): number {
  return (((daysSince1970 + 4) % 7) + 7) % 7
}

export const dates: Definitions = {
  promqlDayOfMonth: part(({ day }) => day),
  promqlDayOfWeek: part(weekDay),
  promqlDaysInMonth: part(({ year, month }) => daysInMonth(year, month)),
  promqlHour: part(({ seconds }) => Math.floor(seconds / 3600)),
  promqlMinute: part(({ seconds }) => Math.floor(seconds / 60) % 60),
  promqlMonth: part(({ month }) => month),
  promqlYear: part(({ year }) => year),
}
