// Where values lie in ClickHouse. There is a fixed number of tables for all buckets and measurements: *slot tables*,
// whose columns v0, v1, ... belong to whatever field has that place. A place is a table, a chunk (further rows for
// fields beyond the slots) and a slot; the registry gives it to a field once and for ever. Time is cut into spans, as
// long as the bucket's retention makes them when the measurement is made: its *class*, which never changes.

import type { FieldType } from '../../column/column.js'
import {
  allTime,
  floorDiv,
  nsPerDay,
  nsPerHour,
  nsPerWeek,
  type TimeRange,
  yearOneNs,
} from '../../column/time.js'
import { shardSpan } from '../shards.js'
import type { NativeBase } from './native-format.js'

/** Names are stored in the registry: they never change their meaning. */
export type TableName = 'points_f4' | 'points_f16' | 'points_i4' | 'points_i16' | 'points_s4'

export interface PointTable {
  readonly name: TableName
  readonly base: Extract<NativeBase, 'Float64' | 'Int64' | 'String'>
  readonly slots: number
}

export const tables: Readonly<Record<TableName, PointTable>> = {
  points_f4: { name: 'points_f4', base: 'Float64', slots: 4 },
  points_f16: { name: 'points_f16', base: 'Float64', slots: 16 },
  points_i4: { name: 'points_i4', base: 'Int64', slots: 4 },
  points_i16: { name: 'points_i16', base: 'Int64', slots: 16 },
  points_s4: { name: 'points_s4', base: 'String', slots: 4 },
}

export const eachTable: readonly PointTable[] = Object.values(tables)

export const indexTables = { series: 'series_index', tags: 'tag_index' } as const

export const tableNames: readonly string[] = [
  ...eachTable.map(({ name }) => name),
  ...Object.values(indexTables),
]

export interface Place {
  readonly table: TableName
  readonly chunk: number
  readonly slot: number
}

export function slotName(slot: number): string {
  return `v${slot}`
}

export function slotsOf({ slots }: PointTable): string[] {
  return Array.from({ length: slots }, (_, slot) => slotName(slot))
}

/** Integers, unsigned ones as two's complement, and booleans as 0 and 1 share tables. */
function familyOf(type: FieldType): 'f' | 'i' | 's' {
  if (type === 'float') return 'f'
  return type === 'string' ? 's' : 'i'
}

/** Unused slots cost: measurements with few fields get narrow rows. The first batch decides. */
const narrowSlots = 4

export interface PlacedField extends Place {
  readonly name: string
  readonly type: FieldType
}

/** Places for new fields behind those that are taken. */
export function placeFields(
  taken: readonly PlacedField[],
  fresh: readonly { readonly name: string; readonly type: FieldType }[],
): PlacedField[] {
  const placed: PlacedField[] = []
  for (const family of ['f', 'i', 's'] as const) {
    const own = taken.filter(({ type }) => familyOf(type) === family)
    const wanted = fresh.filter(({ type }) => familyOf(type) === family)
    const wide = wanted.length > narrowSlots ? `points_${family}16` : `points_${family}4`
    const chosen = family === 's' ? 'points_s4' : (wide as TableName)
    const table = own.length > 0 ? own[0].table : chosen
    const { slots } = tables[table]
    wanted.forEach(({ name, type }, i) => {
      const at = own.length + i
      placed.push({ name, type, table, chunk: Math.floor(at / slots), slot: at % slots })
    })
  }
  return placed
}

/** All points of a series lie on one shard, and so do its rows of the index. */
export function shardOf(series: bigint, shardCount: number): number {
  return shardCount === 1 ? 0 : Number(series % BigInt(shardCount))
}

interface Spans {
  readonly length: bigint
  /** When the span with the number 0 begins. */
  readonly origin: bigint
}

/** By class, from 1 on. Stored with every row: numbers never change their meaning. */
const classes: readonly Spans[] = [
  { length: nsPerHour, origin: 0n },
  { length: nsPerDay, origin: 0n },
  // Weeks of measurements that were made before they began on Mondays.
  { length: nsPerWeek, origin: 0n },
  { length: nsPerWeek, origin: yearOneNs % nsPerWeek },
]

/** Of a measurement that is made now, in a bucket that keeps its points so long. */
export function classOf(retentionNs: bigint): number {
  return classes.map(({ length }) => length).lastIndexOf(shardSpan(retentionNs)) + 1
}

export function spanLength(spanClass: number): bigint {
  return classes[spanClass - 1].length
}

export function spanOf(time: bigint, spanClass: number): bigint {
  const { length, origin } = classes[spanClass - 1]
  return floorDiv(time - origin, length)
}

export function spanStart(span: bigint, spanClass: number): bigint {
  const { length, origin } = classes[spanClass - 1]
  return origin + span * length
}

export function spanRange(span: bigint, spanClass: number): TimeRange {
  const [start, stop] = [spanStart(span, spanClass), spanStart(span + 1n, spanClass)]
  return {
    start: start < allTime.start ? allTime.start : start,
    stop: stop > allTime.stop ? allTime.stop : stop,
  }
}
