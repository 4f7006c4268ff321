// How many series, measurements and fields there are: of all buckets and of those of one owner. They stay in memory
// for as long as there are points of them, so that no owner may have all of it. Counted when a write wants to add
// something, and not before: few do.

import type { EngineLimits } from '../options/limits.js'

export type Growing = 'series' | 'measurements' | 'fields'

export type Counts = Readonly<Record<Growing, number>>

/** What of a bucket is counted. */
export interface CountedBucket {
  readonly settings: { readonly owner?: string | undefined }
  readonly index: {
    readonly size: number
    readonly measurements: { readonly length: number }
    readonly fieldsThere: number
  }
}

export function countsOf({ index }: CountedBucket): Counts {
  return {
    series: index.size,
    measurements: index.measurements.length,
    fields: index.fieldsThere,
  }
}

/** Buckets that nobody is said to own count in all only. */
export class Growth {
  readonly #limits: EngineLimits
  readonly #buckets: () => Iterable<CountedBucket>

  constructor(limits: EngineLimits, buckets: () => Iterable<CountedBucket>) {
    this.#limits = limits
    this.#buckets = buckets
  }

  /** As of now. */
  rooms(bucket: CountedBucket): Rooms {
    const all = { series: 0, measurements: 0, fields: 0 }
    const owned = { series: 0, measurements: 0, fields: 0 }
    const { owner } = bucket.settings
    for (const each of this.#buckets()) {
      const counts = countsOf(each)
      add(all, counts)
      if (owner !== undefined && each.settings.owner === owner) add(owned, counts)
    }
    return new Rooms(this.#limits, bucket, all, owned)
  }
}

function add(sum: Record<Growing, number>, counts: Counts): void {
  sum.series += counts.series
  sum.measurements += counts.measurements
  sum.fields += counts.fields
}

/** What one write may still add to its bucket. */
export class Rooms {
  readonly #limits: EngineLimits
  readonly #bucket: CountedBucket
  readonly #before: Counts
  readonly #all: Counts
  readonly #owned: Counts

  constructor(limits: EngineLimits, bucket: CountedBucket, all: Counts, owned: Counts) {
    this.#limits = limits
    this.#bucket = bucket
    this.#before = countsOf(bucket)
    this.#all = all
    this.#owned = owned
  }

  /** Why `adding` more may not be added; undefined: they may. */
  refuse(what: Growing, adding = 1): string | undefined {
    const grown = countsOf(this.#bucket)[what] - this.#before[what] + adding
    const ownedMax = this.#limits.ownerMax[what]
    if (this.#owned[what] + grown > ownedMax) {
      return `an organization may have at most ${ownedMax} ${what} (--org-${what}-max)`
    }
    const allMax = this.#limits.allMax[what]
    if (this.#all[what] + grown > allMax) {
      return `all buckets may have at most ${allMax} ${what} (--${what}-max)`
    }
    return undefined
  }
}
