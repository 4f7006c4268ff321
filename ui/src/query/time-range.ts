// Time ranges as people choose them: the past so long, or between two moments. As texts they stand in URLs; as moments
// they go into queries. The window that fits a range makes about as many points as there are pixels.

import { durationMs } from './durations.js'
import { shownZone } from './time-zone.js'

export type TimeRange =
  | { readonly kind: 'past'; readonly duration: string }
  | { readonly kind: 'between'; readonly from: number; readonly to: number }

export interface Moments {
  readonly from: number
  readonly to: number
}

export const pastChoices = [
  '5m',
  '15m',
  '1h',
  '3h',
  '6h',
  '12h',
  '24h',
  '2d',
  '7d',
  '30d',
  '90d',
  '1y',
]

export const defaultRange: TimeRange = { kind: 'past', duration: '1h' }

/** Of one unit, which the label names. */
function isPast(text: string): boolean {
  return /^\d{1,6}[smhdwy]$/.test(text)
}

export function parseRange(text: string | null | undefined): TimeRange | undefined {
  if (text === null || text === undefined) return undefined
  if (isPast(text)) return { kind: 'past', duration: text }
  const found = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text)
  if (found === null || Number(found[1]) >= Number(found[2])) return undefined
  return { kind: 'between', from: Number(found[1]), to: Number(found[2]) }
}

export function printRange(range: TimeRange): string {
  return range.kind === 'past' ? range.duration : `${range.from}..${range.to}`
}

const hourMs = 3_600_000

export function momentsOf(range: TimeRange, now: number): Moments {
  if (range.kind === 'between') return range
  return { from: now - (durationMs(range.duration) ?? hourMs), to: now }
}

const names: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  y: 'year',
}

export function rangeLabel(range: TimeRange): string {
  if (range.kind === 'past') {
    const [, count, unit] = /^(\d+)(\w)$/.exec(range.duration) ?? []
    return `Past ${count} ${names[unit]}${count === '1' ? '' : 's'}`
  }
  const timeZone = shownZone()
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone })
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', timeZone })
  const [from, to] = [new Date(range.from), new Date(range.to)]
  const isSameDay = day.format(from) === day.format(to)
  const start = `${day.format(from)}, ${time.format(from)}`
  return `${start} – ${isSameDay ? time.format(to) : `${day.format(to)}, ${time.format(to)}`}`
}

const windowsSeconds = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200,
  86_400, 172_800, 604_800, 2_592_000,
]

/** Seconds of a round length, so that there are at most so many windows. */
export function windowSeconds({ from, to }: Moments, pointsMax: number): number {
  const least = (to - from) / 1000 / Math.max(pointsMax, 10)
  return windowsSeconds.find((seconds) => seconds >= least) ?? windowsSeconds.at(-1)!
}

export function windowText(seconds: number): string {
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
  ] as const) {
    if (seconds % size === 0) return `${seconds / size}${unit}`
  }
  return `${seconds}s`
}

/** The same length before or after. */
export function shifted(range: TimeRange, now: number, direction: -1 | 1): TimeRange {
  const { from, to } = momentsOf(range, now)
  const by = (to - from) * direction
  return { kind: 'between', from: from + by, to: to + by }
}

export function zoomedOut(range: TimeRange, now: number): TimeRange {
  const { from, to } = momentsOf(range, now)
  const half = (to - from) / 2
  return { kind: 'between', from: Math.max(0, Math.round(from - half)), to: Math.round(to + half) }
}
