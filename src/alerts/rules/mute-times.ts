// Whether a moment lies in a mute time: times of the day on days of the week, in a time zone, also across midnight. On
// the days on which clocks are set, what they show decides.

import type { MuteTime } from '../../catalog/monitoring/rule-fields.js'
import { weekDays } from '../../catalog/monitoring/rule-telling.js'

const minutesPerDay = 24 * 60

export function isMuted(times: readonly MuteTime[], nowMs: number): boolean {
  return times.some((time) => contains(time, nowMs))
}

function contains({ days, start, end, timeZone = 'UTC' }: MuteTime, nowMs: number): boolean {
  const { day, minute } = localTime(nowMs, timeZone)
  const [from, to] = [minuteOf(start), minuteOf(end)]
  const isMuteDay = (index: number) =>
    days === undefined || days.length === 0 || days.includes(weekDays[(index + 7) % 7])
  if (from < to) return isMuteDay(day) && minute >= from && minute < to
  // It began today and ends tomorrow, or began yesterday.
  return (isMuteDay(day) && minute >= from) || (isMuteDay(day - 1) && minute < to)
}

function minuteOf(text: string): number {
  const [hours, minutes] = text.split(':').map(Number)
  return (hours * 60 + minutes) % minutesPerDay
}

function localTime(ms: number, timeZone: string): { day: number; minute: number } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(ms)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return {
    day: weekDays.indexOf(part('weekday').toLowerCase()),
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  }
}
