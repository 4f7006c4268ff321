// Which segments are merged next: the rules of pickCompaction, spelt with sizes. Numbers stand for
// segments, oldest first; only neighbours may be merged, or "later wins" would lose its meaning.

import { expect, test } from 'vitest'
import { Segment } from '../bucket/segment.js'
import type { Tombstone } from '../files/manifest.js'
import { defaultEngineLimits } from '../options/limits.js'
import type { SegmentReader } from '../segment/reader.js'
import { type Pressure, pickCompaction, pickDeleted } from './compaction.js'
import { KnownFields } from './merged-fields.js'

const kilobyte = 1 << 10
const megabyte = 1 << 20
const limits = { ...defaultEngineLimits, compactionSegments: 4, compactionBytesMax: 100 * megabyte }
const tombstone: Tombstone = { start: 0n, stop: 1n }

/** A reader that knows one measurement with these fields. */
function readerOf(names: readonly string[]): SegmentReader {
  const fields = names.map((name) => ({ name, type: 'float' }))
  return { directory: { measurements: new Map([['m', { fields }]]) } } as unknown as SegmentReader
}

/** Positions of the segments that are picked. */
function pick(sizes: readonly number[], pressure: Pressure) {
  const segments = sizes.map((byteLength, i) => {
    const entry = { number: i, byteLength, rowCount: 1, minTime: 0n, maxTime: 0n, tombstones: [] }
    return new Segment(entry, readerOf([]))
  })
  return pickCompaction(segments, limits, pressure)?.map(({ entry }) => entry.number)
}

const pressures: readonly Pressure[] = ['busy', 'quiet', 'finished']

test.each(pressures)('%s: one segment alone is left alone', (pressure) => {
  expect(pick([], pressure)).toBeUndefined()
  expect(pick([kilobyte], pressure)).toBeUndefined()
})

test('under load many pile up before they are merged; once it is quiet two are enough', () => {
  expect(pick(Array(3).fill(kilobyte), 'busy')).toBeUndefined()
  expect(pick(Array(4).fill(kilobyte), 'busy')).toEqual([0, 1, 2, 3])
  expect(pick(Array(6).fill(kilobyte), 'busy')).toEqual([0, 1, 2, 3, 4, 5])
  expect(pick(Array(2).fill(kilobyte), 'quiet')).toEqual([0, 1])
})

test('a large one is not rewritten for the small ones behind it', () => {
  const sizes = [50 * megabyte, kilobyte, kilobyte, kilobyte, kilobyte]
  expect(pick(sizes, 'busy')).toEqual([1, 2, 3, 4])
  expect(pick(sizes.slice(0, 2), 'quiet')).toBeUndefined()
})

test('a large one between small ones keeps them apart', () => {
  const sizes = [kilobyte, kilobyte, 50 * megabyte, kilobyte, kilobyte, kilobyte]
  expect(pick(sizes, 'busy')).toBeUndefined()
  expect(pick(sizes, 'quiet')).toEqual([3, 4, 5])
})

/** The same with the times that each segment reaches from and to. */
function pickByTimes(times: readonly (readonly [number, number, number])[], pressure: Pressure) {
  const segments = times.map(([byteLength, min, max], i) => {
    const [minTime, maxTime] = [BigInt(min), BigInt(max)]
    const entry = { number: i, byteLength, rowCount: 1, minTime, maxTime, tombstones: [] }
    return new Segment(entry, readerOf([]))
  })
  return pickCompaction(segments, limits, pressure)?.map(({ entry }) => entry.number)
}

test('once it is quiet, late points are merged in where that costs little', () => {
  const small = [
    [3 * megabyte, 0, 100],
    [kilobyte, 50, 60],
  ] as const
  expect(pickByTimes(small, 'busy')).toBeUndefined()
  expect(pickByTimes(small, 'quiet')).toEqual([0, 1])
  expect(
    pickByTimes(
      [
        [3 * megabyte, 0, 100],
        [kilobyte, 101, 120],
      ],
      'quiet',
    ),
  ).toBeUndefined()
  expect(
    pickByTimes(
      [
        [50 * megabyte, 0, 100],
        [kilobyte, 50, 60],
      ],
      'quiet',
    ),
  ).toBeUndefined()
  expect(
    pickByTimes(
      [
        [50 * megabyte, 0, 100],
        [4 * megabyte, 50, 60],
      ],
      'quiet',
    ),
  ).toEqual([0, 1])
  const third = [
    [3 * megabyte, 0, 9],
    [kilobyte, 10, 20],
    [megabyte, 15, 30],
  ] as const
  expect(pickByTimes(third, 'quiet')).toEqual([1, 2])
})

test('results of merges are merged in turn', () => {
  expect(pick(Array(4).fill(3 * megabyte), 'busy')).toEqual([0, 1, 2, 3])
  expect(pick([...Array(3).fill(3 * megabyte), kilobyte], 'busy')).toEqual([0, 1, 2, 3])
})

test.each(pressures)('%s: a merge stays below the size limit', (pressure) => {
  expect(pick(Array(4).fill(60 * megabyte), pressure)).toBeUndefined()
  expect(pick(Array(6).fill(24 * megabyte), pressure)).toEqual([0, 1, 2, 3])
})

test('of segments with deletes the one with most of them is rewritten first', () => {
  const other: Tombstone = { start: 0n, stop: 1n, measurement: 'm' }
  const candidates = [[], [tombstone], [tombstone, other], [other]].map((tombstones, number) => {
    const entry = { number, byteLength: 1, rowCount: 1, minTime: 0n, maxTime: 0n, tombstones }
    return { segment: new Segment(entry, undefined as unknown as SegmentReader) }
  })
  expect(pickDeleted(candidates)?.segment.entry.number).toBe(2)
  expect(pickDeleted(candidates.slice(0, 1))).toBeUndefined()
})

test('a finished shard is merged into one, whatever it costs', () => {
  expect(pick([kilobyte, 50 * megabyte], 'finished')).toEqual([0, 1])
})

/** Segments of one size, with as many fields each as `width` says, named from a number on. */
function pickByFields(parts: readonly (readonly [from: number, width: number])[]) {
  const segments = parts.map(([from, width], i) => {
    const times = { minTime: BigInt(i), maxTime: BigInt(i + 1) }
    const entry = { number: i, byteLength: kilobyte, rowCount: 1, ...times, tombstones: [] }
    const names = Array.from({ length: width }, (_, f) => `f${from + f}`)
    return new Segment(entry, readerOf(names))
  })
  return pickCompaction(segments, limits, 'quiet')?.map(({ entry }) => entry.number)
}

test('segments with fields of their own are merged up to some thousand fields, with the same fields always', () => {
  const own = Array.from({ length: 6 }, (_, i): [number, number] => [i * 1000, 1000])
  expect(pickByFields(own)).toEqual([0, 1, 2, 3])
  expect(pickByFields(own.map(([, width]) => [0, width]))).toEqual([0, 1, 2, 3, 4, 5])
  expect(
    pickByFields([
      [0, 50_000],
      [0, 50_000],
      [1000, 50_000],
    ]),
  ).toEqual([0, 1, 2])
  expect(
    pickByFields([
      [0, 50_000],
      [50_000, 50_000],
    ]),
  ).toBeUndefined()
})

test('names of many fields are read ahead of a pick, a segment at a time, and once', () => {
  let reads = 0
  const segments = [0, 1, 2].map((number) => {
    const fields = Array.from({ length: 3000 }, (_, f) => ({
      get name() {
        reads++
        return `f${number * 3000 + f}`
      },
      type: 'float',
    }))
    const measurements = new Map([['m', { fields }]])
    const reader = { directory: { measurements } } as unknown as SegmentReader
    const entry = { number, byteLength: kilobyte, rowCount: 1, minTime: 0n, maxTime: 0n }
    return new Segment({ ...entry, tombstones: [] }, reader)
  })
  const known = new KnownFields()
  const readsAtStops = Array.from(known.readAhead(segments), () => reads)
  expect(readsAtStops).toEqual([3000, 6000, 9000])
  expect(pickCompaction(segments, limits, 'quiet', known)).toBeUndefined()
  expect(reads).toBe(9000)
  expect([...known.readAhead(segments.slice(0, 1))]).toEqual([])
})
