// Durations as Go prints them, and with it InfluxDB:
// `168h0m0s`, `0s`, `1.5s`.

import { UserError } from '../../errors.js'

const units: Readonly<Record<string, number>> = {
  h: 3_600_000_000_000,
  m: 60_000_000_000,
  s: 1_000_000_000,
  ms: 1_000_000,
  µs: 1000,
  us: 1000,
  ns: 1,
}

/** In nanoseconds. */
export function parseGoDuration(text: string): bigint {
  let sum = 0n
  let at = 0
  for (const [part, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|\u00b5s|us|ns)/g)) {
    const whole = Number(amount)
    const isExact = Number.isInteger(whole)
    sum += isExact ? BigInt(amount) * BigInt(units[unit]) : BigInt(Math.round(whole * units[unit]))
    at += part.length
  }
  if (at === 0 || at !== text.length) throw new UserError('invalid', `"${text}" is no duration`)
  return sum
}
