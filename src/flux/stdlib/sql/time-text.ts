// Moments as databases write them, `2019-06-03 13:59:00.25`, with or without a zone, and how they are written back. A
// text without a zone is in UTC. SQLite may also hold seconds or milliseconds as a number.

import type { SqlValue } from '../../../platform/sql-connection.js'

const date = /(\d{4})-(\d\d)-(\d\d)/.source
const timeOfDay = /(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9})\d*)?)?)?/.source
const zone = /(?:Z|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)?/.source
const pattern = new RegExp(`^${date}${timeOfDay}${zone}$`)

const nsPerMs = 1_000_000n
const nsPerSecond = 1_000_000_000n
const timeMin = -(2n ** 63n)
const timeMax = 2n ** 63n - 1n

/** Whatever is before it cannot be told in nanoseconds. */
const yearMin = 1677

/** Beyond it a number counts milliseconds. */
const secondsMax = 1_000_000_000_000n

/** null: the date of zeros that MySQL has where there is none. undefined: no moment that can be told. */
export function sqlTimeNs(value: Exclude<SqlValue, null>): bigint | null | undefined {
  if (typeof value === 'bigint') return inRange(numberNs(value))
  if (typeof value !== 'string') return undefined
  if (value.startsWith('0000-00-00')) return null
  const match = pattern.exec(value)
  if (match === null) return undefined
  const part = (place: number) => Number(match[place] ?? 0)
  const dayMs = Date.UTC(part(1), part(2) - 1, part(3))
  // A 31st of February would be another day, and years of two digits another century.
  if (part(1) < yearMin || new Date(dayMs).getUTCDate() !== part(3)) return undefined
  if (part(4) > 23 || part(5) > 59 || part(6) > 59) return undefined
  const zoneSeconds = part(9) * 3600 + part(10) * 60 + part(11)
  const seconds = part(4) * 3600 + part(5) * 60 + part(6)
  const shift = match[8] === '-' ? zoneSeconds : -zoneSeconds
  const ms = dayMs + (seconds + shift) * 1000
  return inRange(BigInt(ms) * nsPerMs + BigInt((match[7] ?? '').padEnd(9, '0')))
}

function numberNs(value: bigint): bigint {
  const isMs = value > secondsMax || value < -secondsMax
  return value * (isMs ? nsPerMs : nsPerSecond)
}

function inRange(ns: bigint): bigint | undefined {
  return ns >= timeMin && ns <= timeMax ? ns : undefined
}

/** `2019-06-03 13:59:00.25`, with as many digits as it takes, at most `digitsMax` of them. */
export function sqlTimeText(ns: bigint, digitsMax: 6 | 9): string {
  let seconds = ns / nsPerSecond
  let rest = ns % nsPerSecond
  if (rest < 0n) {
    rest += nsPerSecond
    seconds--
  }
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const digits = String(rest).padStart(9, '0').slice(0, digitsMax).replace(/0+$/, '')
  return digits === '' ? text : `${text}.${digits}`
}
