// What says when a rule tells a status and when it keeps quiet: limits, holds, repeats, sleep and mute times. Their
// values are checked here when a rule is made; `src/alerts` obeys them.

import { UserError } from '../../errors.js'
import { requireDuration } from './monitoring.js'
import type { MuteTime, RuleInput } from './rule-fields.js'

/** As mute times name them, from Sunday on. */
export const weekDays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Times of the last statuses are kept for them. */
const countMax = 100
const listMax = 100

/** Throws UserError. Empty fields are absent here. */
export function checkTelling(given: RuleInput): void {
  checkLimit(given)
  requireDuration('for', given.for)
  requireDuration('keepFor', given.keepFor)
  requireDuration('repeatEvery', given.repeatEvery)
  const { sleepUntil, muteTimes = [], groupBy = [] } = given
  if (Math.max(muteTimes.length, groupBy.length) > listMax) {
    throw invalid(`a rule has at most ${listMax} mute times and tags to group by`)
  }
  if (sleepUntil !== undefined && Number.isNaN(Date.parse(sleepUntil))) {
    throw invalid(`sleepUntil ${JSON.stringify(sleepUntil)} is no time`)
  }
  for (const time of muteTimes) checkMuteTime(time)
}

function checkMuteTime({ days = [], start, end, timeZone }: MuteTime): void {
  for (const day of days) {
    if (!weekDays.includes(day)) throw invalid(`day ${JSON.stringify(day)} is none of ${weekDays}`)
  }
  for (const text of [start, end]) {
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(text)) {
      throw invalid(`time of the day ${JSON.stringify(text)} is not written as 22:30`)
    }
  }
  if (timeZone === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw invalid(`time zone ${JSON.stringify(timeZone)} is not known`)
  }
}

function checkLimit({ limit, limitEvery }: RuleInput): void {
  if (limit === undefined && limitEvery === undefined) return
  if ((limit ?? 0) > 0 && (limitEvery ?? 0) > 0) return
  if ((limit ?? 0) === 0 && (limitEvery ?? 0) === 0) return
  throw invalid('if limit is set, limit and limitEvery must be larger than 0')
}

/** Of a status rule: so many statuses within a time. */
export function checkCount(count: number | undefined, period: string | undefined): void {
  requireDuration('period', period === '' ? undefined : period)
  if (count === undefined || (count >= 0 && count <= countMax)) return
  throw invalid(`count is at most ${countMax}`)
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
