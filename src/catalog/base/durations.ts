// Durations as Flux writes them (`1h30m`): a sum of whole amounts in units. Months and years have
// no fixed length, so they are counted apart.

export interface Duration {
  readonly months: number
  readonly ns: bigint
}

const unitNs: Readonly<Record<string, bigint | undefined>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
}

const unitMonths: Readonly<Record<string, number | undefined>> = { mo: 1, y: 12 }

const whole = /^-?(?:\d{1,9}(?:ns|us|\u00b5s|ms|mo|[smhdwy]))+$/
const part = /(\d{1,9})(ns|us|\u00b5s|ms|mo|[smhdwy])/g

/** undefined: no duration. */
export function parseDuration(given: string): Duration | undefined {
  // The sign for micro has two code points that look alike.
  const text = given.trim().replace(/\u03bc/g, 'µ')
  if (!whole.test(text)) return undefined
  let months = 0
  let ns = 0n
  for (const [, amount, unit] of text.matchAll(part)) {
    months += Number(amount) * (unitMonths[unit] ?? 0)
    ns += BigInt(amount) * (unitNs[unit] ?? 0n)
  }
  return text.startsWith('-') ? { months: -months, ns: -ns } : { months, ns }
}

/** For comparisons only: a month counts as thirty days. */
export function roughNs(duration: Duration): bigint {
  return duration.ns + BigInt(duration.months) * 30n * 86_400_000_000_000n
}
