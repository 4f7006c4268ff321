// Nanosecond time. A moment is a bigint of nanoseconds since 1970; a column of moments is one
// bigint base and float64 offsets from it, exact while they stay within 2^53 ns (104 days), so that
// hot loops never see a bigint.

/** The moment of row i is `base + offsets[i]`. Offsets are integers. */
export interface TimeColumn {
  readonly base: bigint
  readonly offsets: Float64Array
}

/** Half open: from `start` up to but not including `stop`. */
export interface TimeRange {
  readonly start: bigint
  readonly stop: bigint
}

/** Largest offset that a TimeColumn may hold, either way: integers up to here are exact in a float64. */
export const timeOffsetMax = Number.MAX_SAFE_INTEGER

const nearMax = BigInt(timeOffsetMax) / 2n

/** Whether a moment can be told from a base, with as much room again for what is added to it. */
export function isNear(time: bigint, base: bigint): boolean {
  const distance = time - base
  return distance < nearMax && distance > -nearMax
}

/** The span of moments that a point may have. The two ends of int64 stay free as marks. */
export const timeMin = -9223372036854775806n
export const timeMax = 9223372036854775806n

export const nsPerSecond = 1_000_000_000n
export const nsPerHour = 3600n * nsPerSecond
export const nsPerDay = 24n * nsPerHour
export const nsPerWeek = 7n * nsPerDay

/** The first of January of year 1: where Go, and with it InfluxDB, counts weeks and truncated times from. */
export const yearOneNs = -719_162n * nsPerDay

/** Everything: no point lies outside. */
export const allTime: TimeRange = { start: timeMin, stop: timeMax + 1n }

export function timeAt(times: TimeColumn, row: number): bigint {
  return times.base + BigInt(times.offsets[row])
}

/** Rounds towards minus infinity, as window and shard starts need. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b < 0n ? quotient - 1n : quotient
}
