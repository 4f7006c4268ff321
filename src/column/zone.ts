// Time zones: how far a place's clocks are from UTC at a moment. The tables are Intl's; one look there
// costs microseconds, so the changes of a year are found once and kept.

import { floorDiv, nsPerSecond } from './time.js'

interface Change {
  /** Seconds since 1970. */
  readonly at: number
  readonly offsetSeconds: number
}

const secondsPerDay = 86_400
/** No zone has kept two changes closer together than this. */
const probeDays = 5
const yearsMax = 1000

export class Zone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat
  readonly #years = new Map<number, readonly Change[]>()

  /** Throws RangeError for a name that nobody knows. */
  constructor(name: string) {
    this.name = name
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** As Intl writes it: of an alias that may be another name. */
  get canonicalName(): string {
    return this.#format.resolvedOptions().timeZone
  }

  offsetNs(time: bigint): bigint {
    return BigInt(this.offsetSeconds(Number(floorDiv(time, nsPerSecond)))) * nsPerSecond
  }

  offsetSeconds(seconds: number): number {
    const year = new Date(seconds * 1000).getUTCFullYear()
    const changes = this.#changesOf(year)
    let offset = changes[0].offsetSeconds
    for (let i = 1; i < changes.length && changes[i].at <= seconds; i++) {
      offset = changes[i].offsetSeconds
    }
    return offset
  }

  /** The moment at which this place's clocks show the given time (seconds as if it were UTC). */
  fromLocal(localSeconds: number): number {
    // As Go does it: guess with the offset of the moment itself, then again with what that gives.
    let seconds = localSeconds - this.offsetSeconds(localSeconds)
    const again = localSeconds - this.offsetSeconds(seconds)
    if (again !== seconds) seconds = again
    return seconds
  }

  #changesOf(year: number): readonly Change[] {
    let changes = this.#years.get(year)
    if (changes === undefined) {
      if (this.#years.size >= yearsMax) this.#years.clear()
      changes = this.#findChanges(year)
      this.#years.set(year, changes)
    }
    return changes
  }

  #findChanges(year: number): Change[] {
    const start = Date.UTC(year, 0, 1) / 1000
    const stop = Date.UTC(year + 1, 0, 1) / 1000
    const changes = [{ at: start, offsetSeconds: this.#look(start) }]
    for (let from = start; from < stop; from += probeDays * secondsPerDay) {
      const to = Math.min(from + probeDays * secondsPerDay, stop - 1)
      const after = this.#look(to)
      if (after !== changes[changes.length - 1].offsetSeconds) {
        changes.push({ at: this.#bisect(from, to, after), offsetSeconds: after })
      }
    }
    return changes
  }

  /** The first second after `from` with the offset that `to` has. */
  #bisect(from: number, to: number, after: number): number {
    let low = from
    let high = to
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#look(middle) === after) high = middle
      else low = middle
    }
    return high
  }

  #look(seconds: number): number {
    const parts: Record<string, string> = {}
    for (const { type, value } of this.#format.formatToParts(seconds * 1000)) parts[type] = value
    const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
    const local = Date.UTC(
      year,
      Number(parts.month) - 1,
      Number(parts.day),
      Number(parts.hour),
      Number(parts.minute),
      Number(parts.second),
    )
    return local / 1000 - seconds
  }
}

const zones = new Map<string, Zone>()
const zonesMax = 1000

/** Throws RangeError for a name that nobody knows. */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name)
  if (zone === undefined) {
    if (zones.size >= zonesMax) zones.clear()
    zone = new Zone(name)
    zones.set(name, zone)
  }
  return zone
}
