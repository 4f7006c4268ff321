// Where the first rows lie: the range holds as many as are wanted and those of the time of the last one, and begins
// where the order does; in either order, however the rows come.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Batch } from '../column/batch.js'
import type { Predicate } from '../column/predicate.js'
import type { TimeRange } from '../column/time.js'
import { type PullStream, streamOf } from '../platform/pull-stream.js'
import type { ReadRequest, Store } from '../store/store.js'
import { firstRowsParts, firstRowsRange } from './first-rows.js'

const signal = new AbortController().signal

/** Hands out the rows of each series that are in the range, as many as are asked for of each. */
class SeriesOfTimes {
  readonly #series: readonly (readonly number[])[]
  request: ReadRequest | undefined

  constructor(series: readonly (readonly number[])[]) {
    this.#series = series
  }

  read(request: ReadRequest): PullStream<Batch> {
    this.request = request
    return streamOf(this.#batches(request))
  }

  async *#batches({ range, descending, limitPerSeries }: ReadRequest): AsyncGenerator<Batch> {
    for (const [keyId, times] of this.#series.entries()) {
      const inRange = times.filter((time) => time >= range.start && time < range.stop)
      const sorted = inRange.toSorted((a, b) => (descending ? b - a : a - b))
      const base = BigInt(keyId) * 7n
      const offsets = Float64Array.from(sorted.slice(0, limitPerSeries), (t) => t - Number(base))
      const run = { key: { measurement: 'm', tags: [] }, keyId, start: 0, stop: offsets.length }
      yield {
        measurement: 'm',
        rowCount: offsets.length,
        runs: [run],
        times: { base, offsets },
        fields: [],
        columns: [],
      }
    }
  }
}

function rangeOf(store: SeriesOfTimes, wanted: number, ascending: boolean) {
  const range = { start: 100n, stop: 900n }
  const read = { bucket: 'b', measurement: 'm', range, fields: ['f'] }
  return firstRowsRange(store as Partial<Store> as Store, { read, wanted, ascending }, signal)
}

test('the least part that has the rows', async () => {
  const times = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 30 })
  const asked = [fc.array(times, { maxLength: 8 }), fc.integer({ min: 1, max: 20 })] as const
  await fc.assert(
    fc.asyncProperty(...asked, fc.boolean(), async (series, wanted, ascending) => {
      const store = new SeriesOfTimes(series)
      const { start, stop } = await rangeOf(store, wanted, ascending)
      const all = series.flat().filter((time) => time >= 100 && time < 900)
      const inOrder = all.sort((a, b) => (ascending ? a - b : b - a))
      const last = inOrder.length >= wanted ? BigInt(inOrder[wanted - 1]) : undefined
      if (ascending) expect([start, stop]).toEqual([100n, last === undefined ? 900n : last + 1n])
      else expect([start, stop]).toEqual([last ?? 100n, 900n])
      expect(store.request).toMatchObject({ fields: [], everyRow: true, limitPerSeries: wanted })
    }),
  )
})

test('more rows than are held at a time', async () => {
  const series = Array.from({ length: 50 }, (_, s) =>
    Array.from({ length: 790 }, (_, i) => 101 + ((i * 37 + s) % 790)),
  )
  expect(await rangeOf(new SeriesOfTimes(series), 120, true)).toEqual({ start: 100n, stop: 104n })
  expect(await rangeOf(new SeriesOfTimes(series), 120, false)).toEqual({ start: 888n, stop: 900n })
})

test('parts follow each other from where the order begins, the first with all that is wanted', async () => {
  const series = Array.from({ length: 300 }, (_, s) =>
    Array.from({ length: 200 }, (_, i) => i * 5_000_000 + s),
  )
  const range = { start: 0n, stop: 1_000_000_000n }
  for (const ascending of [true, false]) {
    for (const predicate of [undefined, valueOver(5)]) {
      const store = new SeriesOfTimes(series)
      const read = { bucket: 'b', measurement: 'm', range, predicate }
      const request = { read, wanted: 40, ascending }
      const parts: TimeRange[] = []
      const of = store as Partial<Store> as Store
      for await (const part of firstRowsParts(of, request, 60_000, signal)) parts.push(part)
      const inTime = ascending ? parts : parts.toReversed()
      expect(inTime[0].start).toBe(range.start)
      expect(inTime.at(-1)?.stop).toBe(range.stop)
      for (let i = 1; i < inTime.length; i++) expect(inTime[i].start).toBe(inTime[i - 1].stop)
      const width = Number(parts[0].stop - parts[0].start)
      if (predicate !== undefined) expect(store.request).toBeUndefined()
      else expect(width).toBe(ascending ? 40 : 5_000_000 - 260)
      // Every next one is a multiple as wide.
      expect(parts.length).toBeLessThan(6)
    }
  }
})

function valueOver(value: number): Predicate {
  return { kind: 'field', field: 'f', op: '>', value }
}
