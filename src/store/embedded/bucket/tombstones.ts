// Deletes that are not carried out yet: which spans of a series' rows in a segment no longer count.
// A tombstone belongs to the segments that existed when the delete came, so points written later
// are not touched by it.

import type { Tombstone } from '../files/manifest.js'
import type { Measurement, SeriesIndex } from '../index/series-index.js'
import { matchSeries } from '../index/series-match.js'

export interface OffsetSpan {
  readonly start: number
  readonly stop: number
}

/** A tombstone with its series looked up: plain data that a worker understands. */
export interface ResolvedDelete extends OffsetSpan {
  readonly measurement: string
  /** Numbers of the series; undefined: all of the measurement. */
  readonly series: Uint32Array | undefined
}

export interface DeletedSpans {
  readonly any: boolean
  /** Spans of a series, in order, without overlap. */
  spans(series: number): readonly OffsetSpan[]
}

/** What the tombstones say about one measurement. Spans are offsets from `base`. */
function resolveTombstones(
  tombstones: readonly Tombstone[],
  base: bigint,
  measurement: Measurement,
): ResolvedDelete[] {
  return tombstones
    .filter((t) => t.measurement === undefined || t.measurement === measurement.name)
    .map((t) => ({
      measurement: measurement.name,
      start: Number(t.start - base),
      stop: Number(t.stop - base),
      series: t.predicate === undefined ? undefined : matchingIds(measurement, t.predicate),
    }))
}

/** The same for every measurement of a bucket. */
export function resolveAllTombstones(
  tombstones: readonly Tombstone[],
  base: bigint,
  index: SeriesIndex,
): ResolvedDelete[] {
  if (tombstones.length === 0) return []
  return index.measurements.flatMap((m) => resolveTombstones(tombstones, base, m))
}

function matchingIds(
  measurement: Measurement,
  predicate: NonNullable<Tombstone['predicate']>,
): Uint32Array {
  return matchSeries(measurement, predicate).map((position) => measurement.seriesIds[position])
}

const nothing: DeletedSpans = { any: false, spans: () => [] }

export function deletedSpans(
  deletes: readonly ResolvedDelete[],
  measurement: string,
): DeletedSpans {
  const applying = deletes
    .filter((d) => d.measurement === measurement)
    .map(({ start, stop, series }) => ({ start, stop, series: series && new Set(series) }))
  if (applying.length === 0) return nothing
  const ofAll = unite(applying.filter(({ series }) => series === undefined))
  const chosen = applying.filter(({ series }) => series !== undefined)
  if (chosen.length === 0) return { any: true, spans: () => ofAll }
  // Reads ask for the same series again and again: each is compared with all deletes once.
  const known = new Map<number, readonly OffsetSpan[]>()
  const spans = (id: number) => {
    let found = known.get(id)
    if (found === undefined) {
      const own = chosen.filter(({ series }) => series!.has(id))
      found = own.length === 0 ? ofAll : unite([...ofAll, ...own])
      known.set(id, found)
    }
    return found
  }
  return { any: true, spans }
}

/** Deletes of one segment by measurement, each looked up once. */
export class SegmentDeletes {
  readonly #tombstones: readonly Tombstone[]
  readonly #known = new Map<string, MeasurementDeletes>()

  constructor(tombstones: readonly Tombstone[]) {
    this.#tombstones = tombstones
  }

  /**
   * Series that come later have no rows in the segment, and numbers keep their meaning: what was found out once holds
   * for as long as the segment has these tombstones.
   */
  of(measurement: Measurement, base: bigint): MeasurementDeletes {
    if (this.#tombstones.length === 0) return noDeletes
    let known = this.#known.get(measurement.name)
    if (known === undefined) {
      const resolved = resolveTombstones(this.#tombstones, base, measurement)
      known = { resolved, spans: deletedSpans(resolved, measurement.name) }
      this.#known.set(measurement.name, known)
    }
    return known
  }
}

export interface MeasurementDeletes {
  readonly resolved: readonly ResolvedDelete[]
  readonly spans: DeletedSpans
}

const noDeletes: MeasurementDeletes = { resolved: [], spans: nothing }

function unite(spans: readonly OffsetSpan[]): OffsetSpan[] {
  const united: OffsetSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = united.at(-1)
    if (last !== undefined && span.start <= last.stop) {
      united[united.length - 1] = { start: last.start, stop: Math.max(last.stop, span.stop) }
    } else united.push({ start: span.start, stop: span.stop })
  }
  return united
}
