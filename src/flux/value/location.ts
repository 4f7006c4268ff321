// The place whose clocks and calendar a function goes by: the record `location` with a zone and an
// offset. Turns moments into what the clocks there show (as if that were UTC) and back.

import { nsPerSecond } from '../../column/time.js'
import { type Zone, zoneOf } from '../../column/zone.js'
import { durationNs, zeroDuration } from './duration.js'
import { FluxError } from './error.js'
import { addDuration } from './time.js'
import { typeName } from './type-name.js'
import { Duration, type FluxRecord } from './value.js'

const secondsPerDay = 86_400

export class Location {
  /** undefined: UTC. */
  readonly #zone: Zone | undefined
  readonly #offset: Duration
  readonly #offsetNs: bigint

  constructor(zone: Zone | undefined, offset: Duration) {
    this.#zone = zone
    this.#offset = offset
    this.#offsetNs = durationNs(offset)
  }

  get isUtc(): boolean {
    return this.#zone === undefined && this.#offsetNs === 0n
  }

  /** What the clocks show at the moment. */
  clockAt(ns: bigint): bigint {
    const there = this.#zone === undefined ? ns : ns + this.#zone.offsetNs(ns)
    return there + this.#offsetNs
  }

  /**
   * The first moment at which the clocks show this. When they never do, because they were put forward over it: the
   * moment at which they were.
   */
  momentOf(clock: bigint): bigint {
    const local = clock - this.#offsetNs
    if (this.#zone === undefined) return local
    const seconds = local / nsPerSecond - (local % nsPerSecond < 0n ? 1n : 0n)
    const moment = momentSeconds(this.#zone, Number(seconds))
    if (moment.isInGap) return BigInt(moment.seconds) * nsPerSecond
    return BigInt(moment.seconds) * nsPerSecond + (local - seconds * nsPerSecond)
  }

  /** Adds to what the clocks show: a day stays a day when the clocks are changed in between. */
  add(ns: bigint, duration: Duration): bigint {
    if (this.isUtc) return addDuration(ns, duration)
    const shifted = addDuration(ns, this.#offset)
    const moved =
      this.#zone === undefined
        ? addDuration(shifted, duration)
        : new Location(this.#zone, zeroDuration).#addInZone(shifted, duration)
    return moved - this.#offsetNs
  }

  #addInZone(ns: bigint, duration: Duration): bigint {
    return this.momentOf(addDuration(this.clockAt(ns), duration))
  }
}

interface FoundMoment {
  readonly seconds: number
  readonly isInGap: boolean
}

function momentSeconds(zone: Zone, local: number): FoundMoment {
  const before = zone.offsetSeconds(local - secondsPerDay)
  const after = zone.offsetSeconds(local + secondsPerDay)
  for (const offset of [Math.max(before, after), Math.min(before, after)]) {
    const seconds = local - offset
    if (zone.offsetSeconds(seconds) === offset) return { seconds, isInGap: false }
  }
  // Nothing shows it: the clocks jump over it somewhere between the two guesses.
  let low = local - Math.max(before, after) - 1
  let high = local - Math.min(before, after) + 1
  const early = zone.offsetSeconds(low)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone.offsetSeconds(middle) === early) low = middle
    else high = middle
  }
  return { seconds: high, isInGap: true }
}

export const utcLocation = new Location(undefined, zeroDuration)

/** Throws FluxError in Flux's words where the record is not one. */
export function locationOf(record: FluxRecord): Location {
  const zone = record.get('zone')
  if (zone === undefined) throw new FluxError('zone property missing from location record')
  if (zone !== null && typeof zone !== 'string') {
    const got = typeName(zone)
    throw new FluxError(`zone property for location must be of type string, got ${got}`)
  }
  const offset = record.get('offset') ?? zeroDuration
  if (!(offset instanceof Duration)) {
    const got = typeName(offset)
    throw new FluxError(`offset property for location must be of type duration, got ${got}`)
  }
  return new Location(zone === null || zone === 'UTC' ? undefined : namedZone(zone), offset)
}

/** Throws FluxError for a name that nobody knows. */
export function namedZone(name: string): Zone {
  try {
    return zoneOf(name)
  } catch {
    throw new FluxError(`unknown time zone ${name}`)
  }
}
