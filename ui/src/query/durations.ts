// Durations as texts, the way the languages write them: `5m`, `1h30m`. Months and years are as long as they are on
// average, in years of 365 days: good for ranges and for waiting, not for calendars.

const dayMs = 86_400_000

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
  mo: (365 / 12) * dayMs,
  y: 365 * dayMs,
}

/** Undefined: it is none. */
export function durationMs(text: string): number | undefined {
  if (!/^(\d+(ns|us|µs|ms|mo|[smhdwy]))+$/.test(text)) return undefined
  let sum = 0
  for (const [, count, unit] of text.matchAll(/(\d+)([a-zµ]+)/g))
    sum += Number(count) * unitMs[unit]
  return sum
}
