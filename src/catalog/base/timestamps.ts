// Moments as resources show them: RFC3339 in UTC with nanoseconds, trailing zeros kept, so that
// texts of one length also sort by time.

export function formatTimestamp(ns: bigint): string {
  const seconds = ns / 1_000_000_000n
  const rest = ns - seconds * 1_000_000_000n
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  return `${whole}.${rest.toString().padStart(9, '0')}Z`
}

/** Of what `formatTimestamp` gives, or of fewer digits. */
export function parseTimestamp(text: string): bigint {
  const seconds = BigInt(Date.parse(`${text.slice(0, 19)}Z`)) / 1000n
  const [, digits = ''] = /^\.(\d{1,9})/.exec(text.slice(19)) ?? []
  return seconds * 1_000_000_000n + BigInt(digits.padEnd(9, '0'))
}
