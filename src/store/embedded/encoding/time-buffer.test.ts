// Times that lie at equal distances are decoded once and looked at by everybody, unless somebody
// may change them.

import { expect, test } from 'vitest'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import { type SeriesEnds, writeTimes } from './time-block.js'
import { readTimes, TimeBuffer } from './time-buffer.js'

function block(
  times: readonly number[],
  series: SeriesEnds = { ends: [times.length], count: 1 },
): ByteReader {
  const writer = new ByteWriter()
  writeTimes(writer, Float64Array.from(times), times.length, series)
  return new ByteReader(writer.bytes.slice(0, writer.length), 'file')
}

const every = (base: number, step: number, count: number) =>
  Array.from({ length: count }, (_, i) => base + step * i)

function read(buffer: TimeBuffer, times: readonly number[]): Float64Array {
  buffer.open(block(times), times.length, undefined)
  buffer.read(0, times.length)
  expect([...buffer.offsets.subarray(0, times.length)]).toEqual(times)
  return buffer.offsets
}

test('equal regular times are one array from the second on, shorter ones too', () => {
  const times = every(1e12, 1e10, 3000)
  const first = read(new TimeBuffer(true), times)
  const second = read(new TimeBuffer(true), times)
  expect(second).not.toBe(first)
  expect(read(new TimeBuffer(true), times)).toBe(second)
  expect(read(new TimeBuffer(true), times.slice(0, 1000))).toBe(second)
  expect(readTimes(block(times), 3000, undefined)).toBe(second)
})

test('longer ones, other steps and other beginnings are others', () => {
  const times = every(2e12, 1e10, 1000)
  for (let i = 0; i < 3; i++) {
    for (const other of [
      every(2e12, 1e10, 1001),
      every(2e12, 2e10, 1000),
      every(3e12, 1e10, 1000),
    ]) {
      read(new TimeBuffer(true), times)
      read(new TimeBuffer(true), other)
    }
  }
})

test('more of them than are kept, in turn', () => {
  const buffer = new TimeBuffer(true)
  for (let i = 0; i < 200; i++) read(buffer, every((i % 40) * 1e12, 1e9, 600))
})

test('what may be changed is never what others look at', () => {
  const times = every(4e12, 1e10, 2000)
  for (let i = 0; i < 4; i++) read(new TimeBuffer(false), times).fill(-1)
  read(new TimeBuffer(true), times)
  const shared = read(new TimeBuffer(true), times)
  for (let i = 0; i < 4; i++) read(new TimeBuffer(false), times).fill(-1)
  expect([...shared.subarray(0, 2000)]).toEqual(times)
  expect(read(new TimeBuffer(true), times)).toBe(shared)
})

/** Series of these lengths, each with its own beginning; jitter in steps of a millisecond. */
function shortSeries(lengths: readonly number[], jitterMs: number) {
  const times: number[] = []
  const ends: number[] = []
  lengths.forEach((length, s) => {
    const first = s * 777e6
    for (let i = 0; i < length; i++) {
      times.push(first + i * 60e9 + Math.floor(((i * 0.618 + s) % 1) * jitterMs) * 1e6)
    }
    ends.push(times.length)
  })
  return { times, series: { ends, count: ends.length } }
}

test.each([0, 1200])('the times of short series are read one by one, jitter %i ms', (jitterMs) => {
  const { times, series } = shortSeries([400, 1, 3, 127, 128, 129, 40], jitterMs)
  const buffer = new TimeBuffer(false)
  for (let s = 0; s < series.count; s++) {
    const start = s === 0 ? 0 : series.ends[s - 1]
    const stop = series.ends[s]
    const opened = buffer.open(block(times, series), times.length, series)
    for (const at of [times[start] - 1, times[start], times[(start + stop) >>> 1] + 1]) {
      const wanted = times.slice(start, stop).findIndex((time) => time >= at)
      expect(opened.lowerBound(start, stop, at)).toBe(wanted < 0 ? stop : start + wanted)
    }
    expect(opened.lowerBound(start, stop, times[stop - 1] + 1)).toBe(stop)
    buffer.read(start, stop)
    expect([...buffer.offsets.subarray(start, stop)]).toEqual(times.slice(start, stop))
  }
  expect([
    ...readTimes(block(times, series), times.length, series).subarray(0, times.length),
  ]).toEqual(times)
})

test('irregular times are read as they are', () => {
  const times = every(5e12, 1e10, 2000)
  times[700] += 12345
  for (let i = 0; i < 3; i++) {
    read(new TimeBuffer(true), times)
    expect([...readTimes(block(times), 2000, undefined).subarray(0, 2000)]).toEqual(times)
  }
  read(new TimeBuffer(true), [7])
  read(new TimeBuffer(true), [7, 7, 7])
})
