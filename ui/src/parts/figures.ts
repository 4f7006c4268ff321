// Numbers, sizes and moments as people read them. Numbers keep what tells them apart; sizes and long counts are
// shortened.

import { shownZone } from '../query/time-zone.js'

const count = once(() => new Intl.NumberFormat('en-US'))
export const sixDigits = once(() => new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 }))
const short = once(
  () => new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }),
)

/** Made when it is needed first: what languages write takes the browser some time to look up. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

export function countText(value: number): string {
  // Most are small, and these are written alike everywhere.
  if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value)
  return count().format(value)
}

export function shortCount(value: number): string {
  return Math.abs(value) < 10_000 ? countText(value) : short().format(value)
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${countText(value)} ${value === 1 ? one : many}`
}

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`
  if (ms < 86_400_000)
    return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`
  return `${Math.floor(ms / 86_400_000)} d ${Math.floor((ms % 86_400_000) / 3_600_000)} h`
}

/** Up to six digits that count. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return value.toExponential(3)
  return sixDigits().format(value)
}

export function retentionText(seconds: number): string {
  if (seconds === 0) return 'for ever'
  for (const [name, size] of [
    ['year', 31_536_000],
    ['day', 86_400],
    ['hour', 3600],
  ] as const) {
    if (seconds % size === 0) return plural(seconds / size, name)
  }
  return plural(seconds, 'second')
}

const relative = once(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }))

export function agoText(moment: string | number, now = Date.now()): string {
  const seconds = (new Date(moment).getTime() - now) / 1000
  for (const [unit, size] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    if (Math.abs(seconds) >= size) return relative().format(Math.round(seconds / size), unit)
  }
  return relative().format(Math.round(seconds), 'second')
}

export function momentText(moment: string | number): string {
  const at = new Date(moment)
  const form = { dateStyle: 'medium', timeStyle: 'medium', timeZone: shownZone() } as const
  return new Intl.DateTimeFormat(undefined, form).format(at)
}
