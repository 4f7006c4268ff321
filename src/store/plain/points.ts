// What the plain engine keeps: maps of maps, from a bucket down to the values of a point. Everything is found by
// looking through it; nothing is prepared or remembered.

import type { FieldType, Value } from '../../column/column.js'
import { compareUtf8, parseSeriesKey, type Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { newShard } from '../shards.js'

export interface PlainSeries {
  readonly key: string
  readonly series: Series
  /** By time. */
  readonly rows: Map<bigint, Map<string, Value>>
}

export class PlainMeasurement {
  readonly name: string
  /** Types of fields that were ever written. */
  readonly fields = new Map<string, FieldType>()
  readonly tagKeys = new Set<string>()
  /** Every series that was ever written, by key. */
  readonly series = new Map<string, PlainSeries>()
  readonly #number: number

  /** No other measurement of the store has or had this number. */
  constructor(name: string, number: number) {
    this.name = name
    this.#number = number
  }

  /** See MeasurementSchema. */
  get version(): number {
    return this.#number * 2 ** 24 + this.fields.size + this.tagKeys.size
  }

  rowAt(key: Uint8Array, time: bigint): Map<string, Value> {
    const text = Buffer.from(key).toString()
    const one = this.series.get(text) ?? { key: text, series: parseSeriesKey(key), rows: new Map() }
    this.series.set(text, one)
    for (const tag of one.series.tags) this.tagKeys.add(tag.key)
    const row = one.rows.get(time) ?? new Map<string, Value>()
    one.rows.set(time, row)
    return row
  }

  inKeyOrder(): PlainSeries[] {
    return [...this.series.values()].sort((a, b) => compareUtf8(a.key, b.key))
  }
}

export class PlainBucket {
  retentionNs = 0n
  readonly measurements = new Map<string, PlainMeasurement>()
  /** In time order. */
  shards: TimeRange[] = []
  /** Made now if it is new. */
  measurement(name: string, newNumber: () => number): PlainMeasurement {
    const found = this.measurements.get(name) ?? new PlainMeasurement(name, newNumber())
    this.measurements.set(name, found)
    return found
  }

  makeShard(time: bigint): void {
    if (this.shards.some((shard) => holds(shard, time))) return
    this.shards.push(newShard(time, this.retentionNs, this.shards))
    this.shards.sort((a, b) => (a.start < b.start ? -1 : 1))
  }

  /** Points before this moment have expired. */
  oldest(now: bigint): bigint {
    return this.retentionNs === 0n ? allTime.start : now - this.retentionNs
  }

  /** The shards that reach into a range and have not expired. */
  shardsIn(range: TimeRange, now: bigint): TimeRange[] {
    const oldest = this.oldest(now)
    const start = range.start > oldest ? range.start : oldest
    return this.shards.filter((shard) => shard.start < range.stop && shard.stop > start)
  }
}

export function holds(range: TimeRange, time: bigint): boolean {
  return range.start <= time && time < range.stop
}

/** With a field: rows that have it. */
export function hasRowsIn(
  { rows }: PlainSeries,
  ranges: readonly TimeRange[],
  field?: string,
): boolean {
  for (const [time, row] of rows) {
    if (field !== undefined && !row.has(field)) continue
    if (ranges.some((range) => holds(range, time))) return true
  }
  return false
}
