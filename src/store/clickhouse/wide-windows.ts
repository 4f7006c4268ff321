// One row for each of many series, such as the newest point of each of a million: asked for at once, by their numbers.
// Statements that name their series scan everything as often as the series fill them. The rows come in the order of
// numbers and leave in that of ranks, so they are kept until all are there, column by column: some ten bytes a value.

import type { Batch } from '../../column/batch.js'
import type { WindowAggregate } from '../store.js'
import type { NativeBase, ReadColumn } from './native-format.js'
import { type PlannedRead, type Run, windowFields } from './planned-read.js'
import { RunRows } from './run-rows.js'
import type { Ranked } from './statements.js'
import { type StandingRow, windowPlaces, windowRow } from './window-read.js'

/** What is kept of one block. */
interface KeptBlock {
  readonly place: number
  readonly columns: readonly ReadColumn[]
  readonly ranks: Uint32Array
}

export async function* readWideWindows(
  plan: PlannedRead,
  run: Run,
  window: WindowAggregate,
): AsyncGenerator<Batch, void, void> {
  const { servers, signal, measurement } = plan
  const places = windowPlaces(plan, window)
  const series = new SortedSeries(run.ranked)
  const blocks: KeptBlock[] = []
  const bySeries = { ...run.ranked, areAll: true, areByNumber: true }
  const collect = async (shard: number, place: number) => {
    const { sqlOf, types } = places[place]
    const asked: NativeBase[] = ['UInt64', ...types.slice(1)]
    const at = { at: 0 }
    for await (const { columns } of servers.query(shard, sqlOf(bySeries), asked, signal)) {
      const [numbers, , ...values] = columns
      if (numbers.base !== 'UInt64') continue
      const { rows, ranks } = series.find(numbers.values, at)
      if (rows.length === 0) continue
      blocks.push({ place, ranks, columns: values.map((column) => picked(column, rows)) })
    }
  }
  await Promise.all(servers.shards.flatMap((shard) => places.map((_, i) => collect(shard, i))))
  const fields = windowFields(measurement, window)
  const rows = new RunRows(plan, run, fields)
  for (const { rank, standing } of inOrder(blocks, run.keyCount)) {
    yield* rows.moveTo(rank)
    const row = windowRow(plan, window, fields.length, places, standing)
    if (row.values.some((value) => value !== null) && !rows.isFull) rows.push(row)
  }
  yield* rows.flush()
}

/** The series of a run by their numbers, as two halves: comparing these is far cheaper than 64 bits in one. */
class SortedSeries {
  readonly #halves: Uint32Array
  readonly #ranks: Uint32Array

  constructor({ numbers, ranks }: Ranked) {
    const halves = halvesOf(numbers)
    const order = Uint32Array.from(numbers, (_, i) => i).sort((a, b) => {
      return halves[2 * a + 1] - halves[2 * b + 1] || halves[2 * a] - halves[2 * b]
    })
    this.#ranks = order.map((i) => ranks[i])
    this.#halves = new Uint32Array(halves.length)
    order.forEach((i, to) => {
      this.#halves[2 * to] = halves[2 * i]
      this.#halves[2 * to + 1] = halves[2 * i + 1]
    })
  }

  /** Which of some numbers, in their order, are of the run. `from`: where the numbers before have led to. */
  find(numbers: BigUint64Array, from: { at: number }): { rows: Uint32Array; ranks: Uint32Array } {
    const asked = halvesOf(numbers)
    const [rows, ranks] = [new Uint32Array(numbers.length), new Uint32Array(numbers.length)]
    let [count, at] = [0, from.at]
    for (let row = 0; row < numbers.length; row++) {
      while (at < this.#ranks.length && this.#compare(at, asked, row) < 0) at++
      if (at === this.#ranks.length || this.#compare(at, asked, row) !== 0) continue
      rows[count] = row
      ranks[count++] = this.#ranks[at]
    }
    from.at = at
    return { rows: rows.subarray(0, count), ranks: ranks.slice(0, count) }
  }

  #compare(at: number, asked: Uint32Array, row: number): number {
    const high = this.#halves[2 * at + 1] - asked[2 * row + 1]
    return high === 0 ? this.#halves[2 * at] - asked[2 * row] : high
  }
}

/** The lower one first, as this machine and the format have it. */
function halvesOf(numbers: BigUint64Array): Uint32Array {
  return new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length)
}

/** Its own, so that the block it came in may go. */
function picked(column: ReadColumn, rows: Uint32Array): ReadColumn {
  const { nulls } = column
  const own = nulls === undefined ? undefined : Uint8Array.from(rows, (row) => nulls[row])
  if (column.base !== 'String') {
    const values = column.values.slice(0, rows.length)
    for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]]
    return { ...column, nulls: own, values } as ReadColumn
  }
  const { offsets, bytes } = column
  const ends = new Uint32Array(rows.length + 1)
  rows.forEach((row, i) => {
    ends[i + 1] = ends[i] + offsets[row + 1] - offsets[row]
  })
  const texts = new Uint8Array(ends[rows.length])
  rows.forEach((row, i) => {
    texts.set(bytes.subarray(offsets[row], offsets[row + 1]), ends[i])
  })
  return { base: 'String', nulls: own, offsets: ends, bytes: texts }
}

/** All rows of each rank together, whichever blocks they are in. */
function* inOrder(
  blocks: readonly KeptBlock[],
  rankCount: number,
): Generator<{ rank: number; standing: StandingRow[] }, void, void> {
  const total = blocks.reduce((sum, { ranks }) => sum + ranks.length, 0)
  const starts = new Uint32Array(rankCount + 1)
  for (const { ranks } of blocks) for (const rank of ranks) starts[rank + 1]++
  for (let rank = 0; rank < rankCount; rank++) starts[rank + 1] += starts[rank]
  const free = starts.slice()
  const [blockOf, rowOf] = [new Uint32Array(total), new Uint32Array(total)]
  blocks.forEach(({ ranks }, block) => {
    ranks.forEach((rank, row) => {
      const to = free[rank]++
      blockOf[to] = block
      rowOf[to] = row
    })
  })
  for (let rank = 0; rank < rankCount; rank++) {
    if (starts[rank] === starts[rank + 1]) continue
    const standing: StandingRow[] = []
    for (let i = starts[rank]; i < starts[rank + 1]; i++) {
      const { place, columns } = blocks[blockOf[i]]
      standing.push({ place, time: 0n, row: rowOf[i], column: (at) => columns[at] })
    }
    yield { rank, standing }
  }
}
