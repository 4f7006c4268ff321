// Deletes and what happens by itself: rows of a span or of some series go by statements of the dialect; whole
// measurements and buckets are retired at once and their rows deleted later, by whichever process holds the lease of
// that work; spans that have expired are dropped as partitions.

import { allTime, type TimeRange } from '../../column/time.js'
import type { DeleteRequest } from '../store.js'
import type { ChangesSent } from './changes-sent.js'
import { eachTable, indexTables, type TableName } from './layout.js'
import type { Measurement } from './registry.js'
import { selectSeries } from './selection.js'
import type { Servers } from './servers.js'
import { int64Literal } from './sql-text.js'

export interface DeleteParts {
  readonly servers: Servers
  readonly changes: ChangesSent
}

/** Series or measurements in one statement. */
const listedMax = 5000

export async function deletePoints(
  parts: DeleteParts,
  measurements: readonly Measurement[],
  request: DeleteRequest,
  signal: AbortSignal | undefined,
): Promise<void> {
  const range = {
    start: request.range.start > allTime.start ? request.range.start : allTime.start,
    stop: request.range.stop < allTime.stop ? request.range.stop : allTime.stop,
  }
  if (range.start >= range.stop) return
  if (request.predicate === undefined) return deleteAll(parts, measurements, range)
  for (const one of measurements) {
    const series = await selectSeries(parts.servers, one, range, request.predicate, signal)
    for (let at = 0; at < series.length; at += listedMax) {
      const length = Math.min(listedMax, series.length - at)
      const numbers = Array.from({ length }, (_, i) => `toUInt64(${series.number(at + i)})`)
      const where = `m = ${one.number} AND series IN (${numbers.join(',')})${timeCondition(range)}`
      await deleteFrom(parts, tablesOf([one]), where)
    }
  }
}

async function deleteAll(parts: DeleteParts, all: readonly Measurement[], range: TimeRange) {
  for (let at = 0; at < all.length; at += listedMax) {
    const some = all.slice(at, at + listedMax)
    const numbers = some.map(({ number }) => number).join(',')
    await deleteFrom(parts, tablesOf(some), `m IN (${numbers})${timeCondition(range)}`)
  }
}

function timeCondition({ start, stop }: TimeRange): string {
  return ` AND time >= ${int64Literal(start)} AND time < ${int64Literal(stop)}`
}

function tablesOf(measurements: readonly Measurement[]): Set<TableName> {
  return new Set(
    measurements.flatMap(({ fields }) => [...fields.values()].map(({ table }) => table)),
  )
}

async function deleteFrom({ changes }: DeleteParts, tables: Iterable<string>, where: string) {
  await Promise.all([...tables].map((table) => changes.delete(table, where)))
}

/** Rows of measurements that are gone. */
export async function deleteRetired(parts: DeleteParts, numbers: readonly number[]): Promise<void> {
  const names = [...eachTable.map(({ name }) => name), indexTables.series, indexTables.tags]
  for (let at = 0; at < numbers.length; at += listedMax) {
    const where = `m IN (${numbers.slice(at, at + listedMax).join(',')})`
    await deleteFrom(parts, names, where)
  }
}

/** Rows of a measurement before a moment; those of whole spans, so that few deletes are needed. */
export async function deleteExpired(
  parts: DeleteParts,
  measurements: readonly Measurement[],
  before: bigint,
  lastSpan: (measurement: Measurement) => bigint,
): Promise<void> {
  await deleteAll(parts, measurements, { start: allTime.start, stop: before })
  for (const one of measurements) {
    const where = `m = ${one.number} AND span < ${int64Literal(lastSpan(one))}`
    await deleteFrom(parts, [indexTables.series, indexTables.tags], where)
  }
}
