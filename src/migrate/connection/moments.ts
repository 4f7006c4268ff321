// Moments as servers write them, RFC3339 with up to nine decimals, with or without a zone: always
// UTC here.

import { floorDiv, nsPerSecond } from '../../column/time.js'

export function parseMoment(text: string): bigint {
  const [, seconds, fraction = ''] = /^(.*?)(?:\.(\d+))?Z?$/.exec(text) ?? []
  const milliseconds = Date.parse(`${seconds}Z`)
  if (Number.isNaN(milliseconds)) throw new Error(`"${text}" is no moment`)
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

export function momentText(time: bigint): string {
  const seconds = floorDiv(time, nsPerSecond)
  const fraction = String(time - seconds * nsPerSecond).padStart(9, '0')
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`
}
