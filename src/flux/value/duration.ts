// Durations: from literals and text, as text, and reckoning with them. A month has no length, so that
// months and nanoseconds stay apart; where a length is asked for all the same, a month is a twelfth of
// 365.25 days.

import { FluxError } from './error.js'
import { Duration } from './value.js'

const nsPerUnit: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
  ['w', 604_800_000_000_000n],
])

const monthsPerUnit: ReadonlyMap<string, bigint> = new Map([
  ['mo', 1n],
  ['y', 12n],
])

/** From the largest on, as they are printed. */
const printedUnits: readonly (readonly [string, bigint])[] = [
  ['w', 604_800_000_000_000n],
  ['d', 86_400_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['ns', 1n],
]

const nsPerMonth = (365.25 * 24 * 3_600_000_000_000) / 12

export const zeroDuration = new Duration(0n, 0n, false)

export interface DurationPartText {
  readonly magnitude: number | bigint
  readonly unit: string
}

/** Throws FluxError for a unit that nobody knows. */
export function durationOfParts(parts: readonly DurationPartText[], isNegative = false): Duration {
  let [months, ns] = [0n, 0n]
  for (const { magnitude, unit } of parts) {
    const count = BigInt(magnitude)
    const unitMonths = monthsPerUnit.get(unit)
    if (unitMonths !== undefined) {
      months += count * unitMonths
      continue
    }
    const unitNs = nsPerUnit.get(unit)
    if (unitNs === undefined) throw new FluxError(`invalid duration unit ${unit}`)
    ns += count * unitNs
  }
  return new Duration(BigInt.asIntN(64, months), BigInt.asIntN(64, ns), isNegative)
}

const partPattern = /(\d+)(\p{L}+)/uy

/** `1h30m`, `-1mo`; undefined: it is none. Units may stand in any order, as Flux takes them from texts. */
export function parseDuration(text: string): Duration | undefined {
  const isNegative = text.startsWith('-')
  const parts: DurationPartText[] = []
  let at = isNegative ? 1 : 0
  while (at < text.length) {
    partPattern.lastIndex = at
    const found = partPattern.exec(text)
    if (found === null) return undefined
    const [all, digits, unit] = found
    if (BigInt(digits) >= 1n << 63n) return undefined
    // Flux adds up the units that it knows and passes over the others.
    if (monthsPerUnit.has(unit) || nsPerUnit.has(unit)) {
      parts.push({ magnitude: BigInt(digits), unit })
    }
    at += all.length
  }
  return durationOfParts(parts, isNegative)
}

/** `1y2mo3w4d5h6m7s8ms9us10ns`, parts of nothing left out; `0ns`. */
export function durationText({ months, ns, isNegative }: Duration): string {
  if (months === 0n && ns === 0n) return '0ns'
  let text = isNegative ? '-' : ''
  if (months >= 12n) text += `${months / 12n}y`
  if (months % 12n !== 0n) text += `${months % 12n}mo`
  let rest = ns
  for (const [unit, size] of printedUnits) {
    if (rest < size) continue
    text += `${rest / size}${unit}`
    rest %= size
  }
  // Beyond 64 bits a duration has wrapped around to nothing that could be told.
  return /\d/.test(text) ? text : '0ns'
}

/** Its length with a sign; months as long as they are on average. */
export function durationNs({ months, ns, isNegative }: Duration): bigint {
  const average = months === 0n ? 0n : BigInt(Math.trunc(Number(months) * nsPerMonth))
  const length = BigInt.asIntN(64, ns + average)
  return isNegative ? -length : length
}

export function durationOfNs(ns: bigint): Duration {
  return new Duration(0n, ns < 0n ? -ns : ns, ns < 0n)
}

export function scaleDuration(duration: Duration, factor: bigint): Duration {
  const size = factor < 0n ? -factor : factor
  return new Duration(
    BigInt.asIntN(64, duration.months * size),
    BigInt.asIntN(64, duration.ns * size),
    duration.isNegative !== factor < 0n,
  )
}

export function negateDuration(duration: Duration): Duration {
  return new Duration(duration.months, duration.ns, !duration.isNegative)
}

export function isZeroDuration({ months, ns }: Duration): boolean {
  return months === 0n && ns === 0n
}

export function areDurationsEqual(a: Duration, b: Duration): boolean {
  return a.months === b.months && a.ns === b.ns && a.isNegative === b.isNegative
}
