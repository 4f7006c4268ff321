// Which series of a measurement are meant: a list from the index, in key order, and the conditions by which their
// points are found. What the index cannot decide exactly is decided here, key by key. Whoever has a list already asks
// whether it is still the one, for numbers alone, which is half as much work for the index.

import type { TagPredicate } from '../../column/predicate.js'
import type { Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { matcher } from '../matches.js'
import { indexTables, spanOf } from './layout.js'
import { numbersByTag, tagCondition } from './predicate-sql.js'
import type { Measurement } from './registry.js'
import { SeriesList } from './series-list.js'
import type { AskedServers } from './servers.js'
import { comparedInt64 } from './sql-text.js'

/** A condition on spans; empty where all are meant. */
export function spanCondition({ spanClass }: Measurement, range: TimeRange | undefined): string {
  if (range === undefined) return ''
  const isAll = range.start <= allTime.start && range.stop >= allTime.stop
  if (isAll) return ''
  const first = spanOf(range.start < allTime.start ? allTime.start : range.start, spanClass)
  const last = spanOf((range.stop > allTime.stop ? allTime.stop : range.stop) - 1n, spanClass)
  if (first === last) return ` AND span = ${comparedInt64(first)}`
  return ` AND span >= ${comparedInt64(first)} AND span <= ${comparedInt64(last)}`
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
): Promise<SeriesList> {
  const matches = matcher(predicate)
  const isMeant = predicate === undefined ? undefined : (one: Series) => matches(one, noRow)
  const sql = seriesStatement(measurement, range, predicate)
  const found = new SeriesList()
  const read = async (shard: number) => {
    const blocks = servers.query(shard, sql, ['UInt64', 'String'], signal)
    for await (const { columns } of blocks) {
      const [numbers, keys] = columns
      if (numbers.base !== 'UInt64' || keys.base !== 'String') continue
      const { offsets, bytes } = keys
      found.add({ numbers: numbers.values, offsets, bytes }, isMeant)
    }
  }
  await Promise.all(servers.shards.map(read))
  // Each shard answers in order.
  if (servers.shardCount > 1) found.sort()
  return found
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

/** Whether a list that was selected before is what would be selected now. */
export async function isStillSelected(
  list: SeriesList,
  servers: AskedServers,
  measurement: Measurement,
  range: TimeRange | undefined,
  predicate: TagPredicate | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  const sql = numbersStatement(measurement, range, predicate)
  if (sql === undefined) {
    return list.isSameAs(await selectSeries(servers, measurement, range, predicate, signal))
  }
  const found = new Set<bigint>()
  const read = async (shard: number) => {
    for await (const { columns } of servers.query(shard, sql, ['UInt64'], signal)) {
      if (columns[0].base !== 'UInt64') continue
      for (const number of columns[0].values) found.add(number)
    }
  }
  await Promise.all(servers.shards.map(read))
  return list.hasExactly(found)
}

/** Undefined: numbers do not tell, keys have to be looked at. */
function numbersStatement(
  measurement: Measurement,
  range: TimeRange | undefined,
  predicate: TagPredicate | undefined,
): string | undefined {
  const { sql, isExact } = indexCondition(measurement, range, predicate)
  if (!isExact) return undefined
  const scope = `m = ${measurement.number}${spanCondition(measurement, range)}`
  const byTag = predicate === undefined ? undefined : numbersByTag(predicate, scope)
  return `${byTag ?? `SELECT series FROM ${indexTables.series} WHERE ${sql}`} GROUP BY series`
}
