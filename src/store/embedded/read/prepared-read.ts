// What follows from a request and from the bucket as it stands, before a row is looked at: the plan,
// the segments and how they are walked. Dashboards send the same request again and again (the same
// object, where a language keeps its plans), so it is kept with the request, and used again as long
// as everything that it was made from is as it was.

import type { ReadRequest } from '../../store.js'
import type { Shard } from '../bucket.js'
import type { Generation } from '../generation.js'
import type { Measurement } from '../series-index.js'
import type { SeriesKeyTable } from '../series-key-table.js'
import { makePlan, type Plan } from './plan.js'
import { noBounds } from './selection.js'
import type { ShardView, Snapshot } from './snapshot.js'
import { makeWalks, type Source, segmentSources, tableSources, type Walk } from './sources.js'

/** What a read takes its rows from. */
export interface ReadInput {
  readonly sources: readonly Source[]
  /** The same, one by one, for whoever reads all of it. */
  readonly walks: readonly Walk[]
  /** About how many values there are to decode, once somebody has asked. */
  valueCount: number | undefined
}

export class PreparedRead {
  readonly plan: Plan
  readonly keys: SeriesKeyTable
  readonly measurement: Measurement
  /** The shards that the read looks at, with their segments. */
  readonly views: readonly ShardView[]
  /** All there is where no memtable has rows of the measurement. */
  readonly #segments: ReadInput
  /** What it was made from. Lists of shards and segments are replaced when they change; fields and series only come. */
  readonly #shards: readonly Shard[]
  readonly #seriesCount: number
  readonly #fieldCount: number

  private constructor(
    snapshot: Snapshot,
    plan: Plan,
    keys: SeriesKeyTable,
    measurement: Measurement,
  ) {
    this.plan = plan
    this.keys = keys
    this.measurement = measurement
    this.views = snapshot.shards
    const sources = segmentSources(snapshot.shards, plan, measurement)
    const walks = makeWalks(sources, plan, keys, noBounds)
    this.#segments = { sources, walks, valueCount: undefined }
    this.#shards = snapshot.bucket.shards
    this.#seriesCount = measurement.seriesCount
    this.#fieldCount = measurement.fields.length
  }

  /** Undefined: there is nothing to be read. */
  static make(snapshot: Snapshot, request: ReadRequest): PreparedRead | undefined {
    const { index } = snapshot.bucket
    const measurement = index.measurement(request.measurement)
    if (measurement === undefined) return undefined
    const plan = makePlan(snapshot, request, index.keys)
    return plan && new PreparedRead(snapshot, plan, index.keys, measurement)
  }

  /**
   * Whether it is worth keeping. Where a part of the range has expired, the next read is about another part. Long lists
   * of series take more memory than they save time, among so many rows.
   */
  isLasting(listedSeriesMax: number): boolean {
    const { range, askedRange, series } = this.plan
    let listed = series?.length ?? 0
    for (const source of this.#segments.sources) {
      if (source.kind === 'table') continue
      for (const deleted of source.deletes) listed += deleted.series?.length ?? 0
    }
    return range.start === askedRange.start && listedSeriesMax > 0 && listed <= listedSeriesMax
  }

  /** `shards` are the bucket's now, `oldest` is the moment before which points have expired. */
  isCurrent(shards: readonly Shard[], oldest: bigint): boolean {
    if (shards !== this.#shards || oldest > this.plan.askedRange.start) return false
    const { seriesCount, fields } = this.measurement
    if (seriesCount !== this.#seriesCount || fields.length !== this.#fieldCount) return false
    for (let i = 0; i < this.views.length; i++) {
      if (this.views[i].shard.segments !== this.views[i].segments) return false
    }
    return true
  }

  /** With the rows that these memtables have now. */
  input(generations: readonly Generation[]): ReadInput {
    const tables = tableSources(this.views, generations, this.measurement)
    if (tables === undefined) return this.#segments
    const walks = makeWalks(tables, this.plan, this.keys, noBounds)
    return {
      sources: [...this.#segments.sources, ...tables],
      walks: [...this.#segments.walks, ...walks],
      valueCount: undefined,
    }
  }
}
