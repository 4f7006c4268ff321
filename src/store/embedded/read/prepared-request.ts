// A request and what follows from it. What holds for any time range (fields, series, how segments are
// read) is kept while the fields and series of its measurement are the same; what holds for one range
// is kept for the last one, while the shards and segments are the same too: dashboards ask the same
// again and again, with the same range or one that has moved on.

import type { TimeRange } from '../../../column/time.js'
import type { PrepareRequest } from '../../store.js'
import type { Bucket, Shard } from '../bucket/bucket.js'
import type { Generation } from '../bucket/generation.js'
import type { Segment } from '../bucket/segment.js'
import type { ShardView, Snapshot } from '../bucket/snapshot.js'
import type { Measurement } from '../index/series-index.js'
import type { SeriesKeyTable } from '../index/series-key-table.js'
import type { Grouping } from './grouping.js'
import {
  type GroupedPlan,
  makeRequestPlan,
  type Plan,
  type RequestPlan,
  withRange,
} from './plan.js'
import { noBounds, type Selection, selectSeries } from './selection.js'
import {
  type CursorInput,
  holdsTimes,
  overlaps,
  planSegment,
  type SegmentPlan,
  SegmentSource,
  type Source,
  segmentInput,
  tableInput,
  tableSources,
} from './sources.js'

/** What a read takes its rows from. */
export interface ReadInput {
  readonly sources: readonly Source[]
  /** The same for whoever reads all of it. */
  readonly cursors: readonly CursorInput[]
  /** About how many values there are to decode, with other work counted as values, once somebody has asked. */
  cost: number | undefined
}

/** As long as the index is the same, series and fields of a measurement only come: how many tells what has changed. */
class MeasurementPlan {
  readonly bucket: Bucket
  readonly measurement: Measurement
  readonly plan: RequestPlan
  readonly grouping: Grouping | undefined
  readonly selection: Selection
  readonly keys: SeriesKeyTable
  readonly #seriesCount: number
  readonly #fieldCount: number
  /** By segment; undefined: it has no rows of the measurement. */
  readonly #segments = new Map<Segment, SegmentPlan | undefined>()

  constructor(bucket: Bucket, measurement: Measurement, { plan, grouping }: GroupedPlan) {
    this.bucket = bucket
    this.measurement = measurement
    this.plan = plan
    this.grouping = grouping
    this.keys = bucket.index.keys
    this.selection = selectSeries(plan.series, noBounds, this.keys)
    this.#seriesCount = measurement.seriesCount
    this.#fieldCount = measurement.fields.length
  }

  isCurrent(bucket: Bucket): boolean {
    const { seriesCount, fields } = this.measurement
    // Where series have left, the bucket has another index.
    if (bucket !== this.bucket || bucket.index.keys !== this.keys) return false
    return seriesCount === this.#seriesCount && fields.length === this.#fieldCount
  }

  segment(segment: Segment, base: bigint): SegmentPlan | undefined {
    let known = this.#segments.get(segment)
    if (known !== undefined || this.#segments.has(segment)) return known
    this.#forgetReplaced()
    known = planSegment(segment, base, this.plan, this.measurement)
    this.#segments.set(segment, known)
    return known
  }

  /** A new segment has most likely come in the place of others. */
  #forgetReplaced(): void {
    if (this.#segments.size === 0) return
    const current = new Set(this.bucket.shards.flatMap(({ segments }) => segments))
    for (const segment of this.#segments.keys()) {
      if (!current.has(segment)) this.#segments.delete(segment)
    }
  }

  /** Series that are listed by number. */
  get listedSeries(): number {
    let listed = this.plan.series?.length ?? 0
    for (const segment of this.#segments.values()) {
      for (const deleted of segment?.deletes ?? []) listed += deleted.series?.length ?? 0
    }
    return listed
  }
}

export class RangedRead {
  readonly plan: Plan
  readonly grouping: Grouping | undefined
  readonly keys: SeriesKeyTable
  readonly measurement: Measurement
  /** The shards that the read looks at, with their segments. */
  readonly views: readonly ShardView[]
  readonly #selection: Selection
  /** All there is where no memtable has rows of the measurement. */
  readonly #segments: ReadInput
  /** The bucket's, which are replaced when they change. */
  readonly #shards: readonly Shard[]

  constructor(snapshot: Snapshot, of: MeasurementPlan, range: TimeRange) {
    const plan = withRange(of.plan, range, snapshot.oldest)
    this.plan = plan
    this.grouping = of.grouping
    this.keys = of.keys
    this.measurement = of.measurement
    this.views = snapshot.shards
    this.#selection = of.selection
    this.#shards = snapshot.bucket.shards
    const sources: SegmentSource[] = []
    const cursors: CursorInput[] = []
    for (const { shard, segments } of snapshot.shards) {
      if (!overlaps(shard, plan.range)) continue
      for (let rank = 0; rank < segments.length; rank++) {
        const segment = segments[rank]
        const known = holdsTimes(segment, plan.range) && of.segment(segment, shard.start)
        if (!known) continue
        const { reader } = segment
        const { measurement } = plan
        const source = new SegmentSource(shard.start, rank, reader, measurement, known.deletes)
        sources.push(source)
        cursors.push(segmentInput(source, known.access, plan, of.selection, of.keys))
      }
    }
    this.#segments = { sources, cursors, cost: undefined }
  }

  /** Where a part of the range has expired, the next read is about another part. */
  get isWhole(): boolean {
    return this.plan.range === this.plan.askedRange
  }

  /** `oldest` is the moment before which points have expired. */
  isCurrent({ shards }: Bucket, range: TimeRange, oldest: bigint): boolean {
    const { start, stop } = this.plan.askedRange
    if (shards !== this.#shards || oldest > start) return false
    if (range.start !== start || range.stop !== stop) return false
    for (let i = 0; i < this.views.length; i++) {
      if (this.views[i].shard.segments !== this.views[i].segments) return false
    }
    return true
  }

  /** With the rows that these memtables have now. */
  input(generations: readonly Generation[]): ReadInput {
    const tables = tableSources(this.views, generations, this.measurement)
    if (tables === undefined) return this.#segments
    const { plan, keys } = this
    const cursors = tables.map((table) => tableInput(table, plan, this.#selection, keys))
    return {
      sources: [...this.#segments.sources, ...tables],
      cursors: [...this.#segments.cursors, ...cursors],
      cost: undefined,
    }
  }
}

export class PreparedRequest {
  readonly request: PrepareRequest
  /** So many series may be listed in what is kept. */
  readonly #seriesMax: number
  #plan: MeasurementPlan | undefined
  #last: RangedRead | undefined

  constructor(request: PrepareRequest, seriesMax: number) {
    this.request = request
    this.#seriesMax = seriesMax
  }

  /** What was found out the last time, where it still holds. */
  last(bucket: Bucket, range: TimeRange, oldest: bigint): RangedRead | undefined {
    if (this.#plan === undefined || this.#last === undefined) return undefined
    if (!this.#plan.isCurrent(bucket)) return undefined
    return this.#last.isCurrent(bucket, range, oldest) ? this.#last : undefined
  }

  /** Undefined: there is nothing to be read. */
  at(snapshot: Snapshot, range: TimeRange): RangedRead | undefined {
    const plan = this.#plan?.isCurrent(snapshot.bucket) ? this.#plan : this.#makePlan(snapshot)
    if (plan === undefined) return undefined
    const read = new RangedRead(snapshot, plan, range)
    // Long lists of series take more memory than they save time, among so many rows.
    if (plan.listedSeries > this.#seriesMax) {
      this.#plan = undefined
      this.#last = undefined
    } else if (this.#seriesMax > 0) {
      if (plan !== this.#plan) this.#last = undefined
      this.#plan = plan
      if (read.isWhole) this.#last = read
    }
    return read
  }

  #makePlan({ bucket }: Snapshot): MeasurementPlan | undefined {
    const measurement = bucket.index.measurement(this.request.measurement)
    if (measurement === undefined) return undefined
    const plan = makeRequestPlan(measurement, this.request, bucket.index.keys)
    return plan && new MeasurementPlan(bucket, measurement, plan)
  }
}
