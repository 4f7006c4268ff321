// Rows as batches, for engines whose rows are objects: convenient, and as slow as that is. Batches are cut where times
// lie too far apart for one base.

import type { Batch, BatchField, Run } from '../column/batch.js'
import type { Value } from '../column/column.js'
import type { Series } from '../column/series.js'
import { isNear } from '../column/time.js'
import { PullStream } from '../platform/pull-stream.js'
import { ValueSink } from './value-sink.js'

export interface ResultRow {
  readonly time: bigint
  /** By field. */
  readonly values: readonly (Value | null)[]
  readonly pointTimes: readonly (bigint | undefined)[] | undefined
}

/** Rows of a batch, at most. */
const batchRows = 4096

/** Of one series or group. */
export function rowBatches(
  key: Series,
  keyId: number,
  fields: readonly BatchField[],
  rows: readonly ResultRow[],
): Generator<Batch, void, void> {
  return runBatches([{ key, keyId, start: 0, stop: rows.length }], fields, rows)
}

/** Of several of one measurement, one after the other. */
export function* runBatches(
  runs: readonly Run[],
  fields: readonly BatchField[],
  rows: readonly ResultRow[],
): Generator<Batch, void, void> {
  let at = 0
  for (let start = 0; start < rows.length; ) {
    let stop = start + 1
    while (stop < rows.length && stop - start < batchRows && fits(rows[start], rows[stop])) stop++
    const own: Run[] = []
    while (runs[at].stop <= start) at++
    for (let i = at; i < runs.length && runs[i].start < stop; i++) {
      const { key, keyId } = runs[i]
      const [from, to] = [Math.max(runs[i].start, start), Math.min(runs[i].stop, stop)]
      own.push({ key, keyId, start: from - start, stop: to - start })
    }
    yield batchOf(own, fields, rows.slice(start, stop))
    start = stop
  }
}

/** Times of a batch lie near its base, those of points near theirs. */
function fits(first: ResultRow, row: ResultRow): boolean {
  if (!isNear(row.time, first.time)) return false
  return (row.pointTimes ?? []).every((time, f) => {
    const base = first.pointTimes?.[f]
    return time === undefined || (base !== undefined && isNear(time, base))
  })
}

function batchOf(
  runs: readonly Run[],
  fields: readonly BatchField[],
  rows: readonly ResultRow[],
): Batch {
  const rowCount = rows.length
  const columns = fields.map(({ type }, f) => {
    const sink = new ValueSink(type)
    sink.fill(new Float64Array(rowCount))
    for (const { values } of rows) sink.push(values[f])
    return sink.column()
  })
  const timeColumn = (times: readonly (bigint | undefined)[]) => {
    const base = times[0] ?? 0n
    return { base, offsets: Float64Array.from(times, (time) => Number((time ?? base) - base)) }
  }
  const batch = {
    measurement: runs[0].key.measurement,
    rowCount,
    runs,
    times: timeColumn(rows.map(({ time }) => time)),
    fields,
    columns,
  }
  if (rows[0].pointTimes === undefined) return batch
  const pointTimes = fields.map((_, f) => {
    const times = rows.map((row) => row.pointTimes?.[f])
    return times.every((time) => time === undefined) ? undefined : timeColumn(times)
  })
  return { ...batch, pointTimes }
}

/** The batches of a generator, which begins when the first is asked for. */
export class BatchStream extends PullStream<Batch> {
  readonly #batches: Generator<Batch, void, void>

  constructor(batches: Generator<Batch, void, void>) {
    super()
    this.#batches = batches
  }

  take(): Batch | undefined {
    const { done, value } = this.#batches.next()
    return done === true ? undefined : value
  }

  close(): void {
    this.#batches.return()
  }
}
