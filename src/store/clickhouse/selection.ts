// Which series of a measurement are meant: a list from the index, in key order, and the conditions by which their
// points are found. What the index cannot decide exactly is decided here, key by key.

import type { TagPredicate } from '../../column/predicate.js'
import { parseSeriesKey, type Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { matcher } from '../matches.js'
import { indexTables, spanOf } from './layout.js'
import { tagCondition } from './predicate-sql.js'
import type { Measurement } from './registry.js'
import type { AskedServers } from './servers.js'
import { int64Literal } from './sql-text.js'

export interface SelectedSeries {
  readonly number: bigint
  readonly series: Series
}

/** A condition on spans; empty where all are meant. */
export function spanCondition({ spanClass }: Measurement, range: TimeRange | undefined): string {
  if (range === undefined) return ''
  const isAll = range.start <= allTime.start && range.stop >= allTime.stop
  if (isAll) return ''
  const first = spanOf(range.start < allTime.start ? allTime.start : range.start, spanClass)
  const last = spanOf((range.stop > allTime.stop ? allTime.stop : range.stop) - 1n, spanClass)
  if (first === last) return ` AND span = ${int64Literal(first)}`
  return ` AND span >= ${int64Literal(first)} AND span <= ${int64Literal(last)}`
}

/** Conditions on the rows of the index, and whether they choose no more than they should. */
export function indexCondition(
  measurement: Measurement,
  range: TimeRange | undefined,
  predicate: TagPredicate | undefined,
) {
  const where = `m = ${measurement.number}${spanCondition(measurement, range)}`
  if (predicate === undefined) return { sql: where, isExact: true }
  const { sql, isExact } = tagCondition(predicate, where)
  return { sql: `${where} AND ${sql}`, isExact }
}

const noRow = new Map()

export async function selectSeries(
  servers: AskedServers,
  measurement: Measurement,
  range: TimeRange | undefined,
  predicate: TagPredicate | undefined,
  signal?: AbortSignal,
): Promise<SelectedSeries[]> {
  const matches = matcher(predicate)
  const sql = seriesStatement(measurement, range, predicate)
  const found: (SelectedSeries & { readonly key?: Uint8Array })[] = []
  const isOneShard = servers.shardCount === 1
  const read = async (shard: number) => {
    const blocks = servers.query(shard, sql, ['UInt64', 'String'], signal)
    for await (const { rowCount, columns } of blocks) {
      const [numbers, keys] = columns
      if (numbers.base !== 'UInt64' || keys.base !== 'String') continue
      for (let row = 0; row < rowCount; row++) {
        const key = keys.bytes.subarray(keys.offsets[row], keys.offsets[row + 1])
        const series = parseSeriesKey(key)
        if (!matches(series, noRow)) continue
        const number = numbers.values[row]
        found.push(isOneShard ? { number, series } : { number, series, key })
      }
    }
  }
  await Promise.all(servers.shards.map(read))
  // Each shard answers in order.
  return isOneShard ? found : found.sort((a, b) => Buffer.compare(a.key!, b.key!))
}

export function seriesStatement(
  measurement: Measurement,
  range: TimeRange | undefined,
  predicate: TagPredicate | undefined,
): string {
  const { sql } = indexCondition(measurement, range, predicate)
  const from = indexTables.series
  return `SELECT series, any(key) AS k FROM ${from} WHERE ${sql} GROUP BY series ORDER BY k`
}
