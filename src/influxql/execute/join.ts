// Brings the points of several calls together into rows: one row for each time at which any of them has
// a point. Where a call has none, its fill decides. Calls whose points have the same times, as windows
// mostly do, are laid side by side without looking at single points.

import type { Column } from '../../column/column.js'
import { isNear, timeAt } from '../../column/time.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { Points } from '../functions/points.js'
import type { CallPipeline } from './call-pipeline.js'
import type { PointsQueue } from './points-queue.js'
import type { RowBlock } from './rows.js'

const rowsPerBlock = 8192

/**
 * Rows that can be told already, now and then none: that is somebody else's turn. `isEnded` says that no more points
 * come. The columns are the calls', and behind them, for a single call, the companions of its points.
 */
export function* joinQueues(
  pipelines: readonly CallPipeline[],
  ascending: boolean,
  isEnded: boolean,
): Generator<RowBlock, void, void> {
  if (pipelines.length === 1) {
    const [{ queue }] = pipelines
    for (let points = queue.head; points !== undefined; points = queue.head) {
      queue.shift()
      yield blockOf(points)
    }
    return
  }
  for (;;) {
    const heads = pipelines.map(({ queue }) => queue.head)
    if (heads.some((head) => head?.count === 0)) {
      for (const { queue } of pipelines) if (queue.head?.count === 0) queue.shift()
      yield noRows
      continue
    }
    if (heads.every((head) => head === undefined)) return
    if (!isEnded && heads.some((head) => head === undefined)) return
    if (haveSameTimes(heads)) {
      yield sideBySide(heads as Points[])
      for (const { queue } of pipelines) queue.shift()
    } else yield mergeRows(pipelines, ascending, isEnded)
  }
}

const noRows: RowBlock = {
  count: 0,
  times: { base: 0n, offsets: new Float64Array(0) },
  columns: [],
}

function blockOf(points: Points): RowBlock {
  const { count, times, values, companions } = points
  return { count, times, columns: [values, ...companions] }
}

function haveSameTimes(heads: readonly (Points | undefined)[]): boolean {
  const [first] = heads
  if (first === undefined) return false
  return heads.every((head) => {
    if (head === undefined || head.count !== first.count) return false
    if (head.times.base !== first.times.base) return false
    for (let row = 0; row < first.count; row++) {
      if (head.times.offsets[row] !== first.times.offsets[row]) return false
    }
    return true
  })
}

function sideBySide(heads: readonly Points[]): RowBlock {
  const [{ count, times }] = heads
  return { count, times, columns: heads.map(({ values }) => values) }
}

interface Reader {
  readonly queue: PointsQueue
  row: number
}

function mergeRows(
  pipelines: readonly CallPipeline[],
  ascending: boolean,
  isEnded: boolean,
): RowBlock {
  const readers: Reader[] = pipelines.map(({ queue }) => ({ queue, row: 0 }))
  const builders = pipelines.map(({ chain }) => new ColumnBuilder(chain.type))
  const times: bigint[] = []
  while (times.length < rowsPerBlock) {
    if (readers.some(({ queue }) => queue.head?.count === 0)) break
    const heads = readers.map(headTime)
    if (!isEnded && heads.includes(undefined)) break
    const time = next(heads, ascending)
    if (time === undefined) break
    // Times of one block share a base.
    if (times.length > 0 && !isNear(time, times[0])) break
    times.push(time)
    for (let c = 0; c < readers.length; c++) takeRow(readers[c], heads[c] === time, builders[c])
  }
  // What was taken from the middle of a block stays gone.
  for (const reader of readers) cutHead(reader)
  return {
    count: times.length,
    times: timeColumn(times),
    columns: builders.map((each) => each.finish()),
  }
}

function headTime({ queue, row }: Reader): bigint | undefined {
  const { head } = queue
  return head === undefined ? undefined : timeAt(head.times, row)
}

function next(heads: readonly (bigint | undefined)[], ascending: boolean): bigint | undefined {
  let best: bigint | undefined
  for (const head of heads) {
    if (head === undefined) continue
    if (best === undefined || (ascending ? head < best : head > best)) best = head
  }
  return best
}

function takeRow(reader: Reader, isTaken: boolean, builder: ColumnBuilder): void {
  if (!isTaken) {
    builder.pushNull()
    return
  }
  const head = reader.queue.head!
  builder.pushFrom(head.values, reader.row++)
  if (reader.row === head.count) {
    reader.queue.shift()
    reader.row = 0
  }
}

function cutHead(reader: Reader): void {
  if (reader.row === 0) return
  const head = reader.queue.head!
  const { times, values } = head
  reader.queue.shift({
    count: head.count - reader.row,
    times: { base: times.base, offsets: times.offsets.subarray(reader.row) },
    values: {
      ...values,
      values: values.values.subarray(reader.row),
      validity: values.validity?.subarray(reader.row),
    } as Column,
    companions: [],
  })
}

function timeColumn(times: readonly bigint[]): RowBlock['times'] {
  const [base] = times
  return { base: base ?? 0n, offsets: Float64Array.from(times, (time) => Number(time - base)) }
}
