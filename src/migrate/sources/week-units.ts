// Units of a server that does not tell its shards: weeks, from the first point to the last. One that
// ended more than an hour ago is taken for settled; others are looked at again.

import { floorDiv, nsPerHour, nsPerWeek, type TimeRange } from '../../column/time.js'
import type { SourceUnit } from '../plan/source.js'

/** Points may come late. */
const settleNs = nsPerHour

/** While a unit is open, or where it is known to have changed, it looks otherwise each time. */
export function fingerprintOf(stop: bigint, now: bigint, hasChanged = false): string {
  if (hasChanged) return `changed ${now}`
  return stop < now - settleNs ? 'settled' : `open ${now}`
}

/** `points`: from the first to the last, both included. */
export function weekUnits(place: string, points: TimeRange, now: bigint): SourceUnit[] {
  const units: SourceUnit[] = []
  for (let week = floorDiv(points.start, nsPerWeek); week * nsPerWeek <= points.stop; week++) {
    const range = { start: week * nsPerWeek, stop: (week + 1n) * nsPerWeek }
    const fingerprint = fingerprintOf(range.stop, now)
    units.push({ id: `${place}/${week}`, range, fingerprint, bytes: 0 })
  }
  return units
}
