// How much is read at a time: what a condition leaves in one go, and in narrower slices where that turns
// out to be too much. All rows come, each once and in order, either way.

import { expect, test } from 'vitest'
import type { Batch } from '../../column/batch.js'
import type { Series } from '../../column/series.js'
import { type PullStream, streamOf } from '../../platform/pull-stream.js'
import { systemRandom } from '../../platform/random.js'
import { QueryMeter } from '../../query/limits.js'
import { RowMemoryPool } from '../../query/row-memory.js'
import type { Extent, ReadRequest, Store } from '../../store/store.js'
import { parseExpression } from '../syntax/parser.js'
import { type ExecuteContext, newFigures } from './context.js'
import { measurementRows, type RowsRequest } from './measurement-rows.js'

/** So many columns that few rows may be kept: 64 MB of 8 bytes each hold 8,176 of them. */
const columnCount = 1024
const rowsInMemory = Math.floor((64 * 2 ** 20) / (8 * (columnCount + 2)))
const batchRows = 1000
const series = { measurement: 'm', tags: [] }

/** One series with a row at every moment of the range. Its extent says that there may be many more. */
class RowsOfEveryMoment {
  readonly rowCount: number
  readonly reads: ReadRequest[] = []
  stopped = 0
  /** Pages of series that were asked for, of a thousand there are. */
  seriesPages = 0

  constructor(rowCount: number) {
    this.rowCount = rowCount
  }

  series(): PullStream<readonly Series[]> {
    return streamOf(this.#pages())
  }

  async *#pages(): AsyncGenerator<readonly Series[]> {
    while (this.seriesPages < 1000) {
      this.seriesPages++
      yield [series]
    }
  }

  async extent(): Promise<Extent> {
    return { range: { start: 0n, stop: BigInt(this.rowCount) }, rowCountMax: 100_000 }
  }

  read(request: ReadRequest): PullStream<Batch> {
    this.reads.push(request)
    return streamOf(this.#batches(request))
  }

  async *#batches(request: ReadRequest): AsyncGenerator<Batch> {
    let at = Number(request.range.start)
    const stop = Number(request.range.stop)
    try {
      for (; at < stop; at += batchRows) yield batchFrom(at, Math.min(stop, at + batchRows))
    } finally {
      if (at < stop) this.stopped++
    }
  }
}

function batchFrom(start: number, stop: number): Batch {
  const values = Float64Array.from({ length: stop - start }, (_, i) => start + i)
  return {
    measurement: 'm',
    rowCount: values.length,
    runs: [{ key: series, keyId: 1, start: 0, stop: values.length }],
    times: { base: 0n, offsets: values },
    fields: [{ name: 'f', type: 'float' }],
    columns: [{ type: 'float', values, validity: undefined }],
  }
}

async function read(
  store: RowsOfEveryMoment,
  more: Partial<RowsRequest> = {},
  blocksMax = Number.POSITIVE_INFINITY,
) {
  const limits = {
    timeoutSeconds: 0,
    pointsMax: store.rowCount,
    seriesMax: 0,
    bucketsMax: 0,
    concurrentMax: 0,
    memoryBytesMax: 0,
  }
  const context = {
    store: store as Partial<Store> as Store,
    signal: new AbortController().signal,
    meter: new QueryMeter(limits),
    random: systemRandom,
    now: 0n,
    figures: newFigures(),
    rowMemory: new RowMemoryPool(),
    pushesCalls: true,
  } as Partial<ExecuteContext> as ExecuteContext
  const reference = { name: 'f', type: 'float' as const }
  const request: RowsRequest = {
    references: Array.from({ length: columnCount }, () => reference),
    condition: parseExpression('f >= 0'),
    range: { min: 0n, max: BigInt(store.rowCount) - 1n },
    dimensions: [],
    ascending: true,
    isRaw: true,
    reusesBlocks: true,
    limitPerGroup: 0,
    seriesEnd: undefined,
    slimit: 0,
    soffset: 0,
    ...more,
  }
  const fields = new Map([['f', 'float' as const]])
  const tags = new Set<string>()
  const of = { kind: 'measurement' as const, bucket: 'b', name: 'm' }
  const source = { ...of, fields, tags, version: 1 }
  const values: number[] = []
  let blockCount = 0
  for await (const { blocks } of measurementRows(source, request, context)) {
    for await (const { count, columns } of blocks) {
      values.push(...(columns.at(-1)!.values as Float64Array).subarray(0, count))
      if (++blockCount === blocksMax) break
    }
  }
  return { values, points: context.meter.points }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

test('what a condition leaves is read in one go', async () => {
  const store = new RowsOfEveryMoment(rowsInMemory)
  expect((await read(store)).values).toEqual(upTo(rowsInMemory))
  expect(store.reads.length).toBe(1)
})

test('what is too much is given up, counts for nothing, and comes in slices', async () => {
  const count = 3 * rowsInMemory
  const store = new RowsOfEveryMoment(count)
  const { values, points } = await read(store)
  expect(values).toEqual(upTo(count))
  expect(points).toBe(count)
  expect(store.stopped).toBe(1)
  const [first, ...slices] = store.reads.map(({ range }) => Number(range.stop - range.start))
  expect(first).toBe(count)
  expect(Math.max(...slices)).toBeLessThanOrEqual(rowsInMemory)
})

test('where a few rows are wanted, they are found by their times, and more are read each time', async () => {
  const store = new RowsOfEveryMoment(100_000)
  const more = { references: [{ name: 'f', type: 'float' as const }], condition: undefined }
  expect((await read(store, { ...more, limitPerGroup: 10 })).values).toEqual(upTo(100_000))
  const [times, ...slices] = store.reads.map(({ range }) => Number(range.stop - range.start))
  expect(store.reads[0].fields).toEqual([])
  expect(times).toBeLessThan(5000)
  expect(slices[0]).toBe(10)
  expect(slices[1]).toBe(times)
  expect(slices.length).toBeLessThan(7)
  // Whoever has enough of them asks for no more.
  const few = new RowsOfEveryMoment(100_000)
  expect((await read(few, { ...more, limitPerGroup: 10, ascending: false }, 1)).values.length).toBe(
    10,
  )
  expect(few.reads.map(({ range }) => range.stop)).toEqual([100_000n, 100_000n])
  const whole = new RowsOfEveryMoment(100_000)
  await read(whole, more)
  expect(whole.reads.length).toBe(1)
})

test('without a condition, or with a limit, slices are narrow from the start', async () => {
  for (const more of [{ condition: undefined }, { limitPerGroup: rowsInMemory }]) {
    const store = new RowsOfEveryMoment(rowsInMemory)
    expect((await read(store, more)).values).toEqual(upTo(rowsInMemory))
    expect(store.reads.length).toBeGreaterThan(2)
    expect(store.stopped).toBe(0)
  }
})

test('where all rows are of one group, series are not listed', async () => {
  const raw = new RowsOfEveryMoment(rowsInMemory)
  await read(raw)
  expect(raw.seriesPages).toBe(0)
  const forCalls = new RowsOfEveryMoment(rowsInMemory)
  expect((await read(forCalls, { isRaw: false })).values.length).toBe(rowsInMemory)
  expect(forCalls.seriesPages).toBe(1)
})

test('several groups are read at once, and one by one where that is too much', async () => {
  const of = { dimensions: ['host'], condition: undefined }
  const few = new RowsOfEveryMoment(rowsInMemory)
  const read1 = await read(few, of)
  expect([read1.values.length, read1.points]).toEqual([rowsInMemory, rowsInMemory])
  expect(few.reads.length).toBe(1)
  const many = new RowsOfEveryMoment(3 * rowsInMemory)
  const { values, points } = await read(many, of)
  expect(values).toEqual(upTo(3 * rowsInMemory))
  expect(points).toBe(3 * rowsInMemory)
  // All groups at once, and the only one that there is.
  expect(many.stopped).toBe(2)
  expect(many.reads[0].predicate).toBeUndefined()
  expect(many.reads[1].predicate).toBeDefined()
})

test('where one of several groups is wanted, no others are read', async () => {
  const store = new RowsOfEveryMoment(rowsInMemory)
  await read(store, { dimensions: ['host'], condition: undefined, slimit: 1 })
  expect(store.reads.length).toBeGreaterThan(0)
  expect(store.reads.filter(({ predicate }) => predicate === undefined)).toEqual([])
})
