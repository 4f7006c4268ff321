// The times of a row group, told by what they differ from a line by: points mostly come at equal
// distances, more or less exactly. Every series of the group has its own beginning, so that groups of many short ones
// pack as well as one long series. Any part can be read by itself, and a moment be looked for without reading all.
//
//   u32 scheme
//   f64 step              the usual distance of two points
//   f64 scale             what all differences are multiples of
//   integer block         the first time of each series
//   integer block         per row k of its series: (time - first time - k * step) / scale
//
// Segments of version 1 have an integer block of the times instead, which is read as a whole.

import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { codecFor } from './codec.js'
import { isAlwaysZero, readIntegers } from './integer-block.js'
import { fillRegular } from './regular-times.js'

/** Persisted: never change. Beside the schemes of integer blocks, which stand in the same place. */
const schemeLines = 32

/** Where the rows of each series end, and how many series there are. */
export interface SeriesEnds {
  readonly ends: ArrayLike<number>
  readonly count: number
}

const sampleMax = 64
let sample: Float64Array = new Float64Array(4 * sampleMax)

/** Times that rise within each series. */
export function writeTimes(
  writer: ByteWriter,
  offsets: Float64Array,
  rowCount: number,
  series: SeriesEnds,
): void {
  const step = usualStep(offsets, rowCount, series)
  const codec = codecFor(rowCount)
  codec.take(offsets, rowCount)
  const scale = codec.residuals(series.ends, series.count, step)
  writer.align4()
  writer.u32(schemeLines)
  writer.f64(step)
  writer.f64(scale)
  codec.writeFirsts(writer, series.count)
  codec.writeIntegers(writer, rowCount, codec.work)
}

/** The median of sampled distances: one gap among regular times must not count. */
function usualStep(offsets: Float64Array, rowCount: number, { ends, count }: SeriesEnds): number {
  const every = Math.max(1, Math.floor(rowCount / sampleMax))
  let sampled = 0
  for (let s = 0, start = 0; s < count; start = ends[s++]) {
    for (let i = start + 1; i < ends[s]; i += every) {
      if (sampled === sample.length) sample = grown(sample)
      sample[sampled++] = offsets[i] - offsets[i - 1]
    }
  }
  return sampled === 0 ? 0 : sample.subarray(0, sampled).sort()[sampled >>> 1]
}

function grown(values: Float64Array): Float64Array {
  const larger = new Float64Array(values.length * 2)
  larger.set(values)
  return larger
}

const noTimes = new Float64Array(0)

/** A time block that was opened: read while the reader holds its bytes. */
export class TimeBlock {
  /** Of one series at equal distances: all that there is to know. */
  isRegular = false
  step = 0
  first = 0
  #rowCount = 0
  #scale = 1
  #series: SeriesEnds = { ends: [], count: 0 }
  #firsts = new Float64Array(1)
  /** Where the residuals lie; the whole reader is this block's while it is open. */
  #reader!: ByteReader
  #residualsAt = 0
  #end = 0
  #isOnLine = false
  /** Of a block of version 1: all its times. */
  #whole = noTimes

  /** `series`: undefined where all rows are of one. Nothing but the block is left of what the reader has selected. */
  open(reader: ByteReader, rowCount: number, series: SeriesEnds | undefined): this {
    reader.align4()
    const start = reader.offset
    this.#rowCount = rowCount
    this.#whole = noTimes
    this.isRegular = false
    if (reader.u32() !== schemeLines) {
      reader.offset = start
      this.#whole = new Float64Array(rowCount)
      readIntegers(reader, rowCount, this.#whole)
      return this
    }
    this.step = reader.f64()
    this.#scale = reader.f64()
    this.#series = series ?? { ends: [rowCount], count: 1 }
    const { count } = this.#series
    if (this.#firsts.length < count) this.#firsts = new Float64Array(count * 2)
    readIntegers(reader, count, this.#firsts)
    this.first = this.#firsts[0]
    this.#reader = reader
    this.#residualsAt = reader.offset
    this.#end = reader.offset + reader.remaining
    this.#isOnLine = isAlwaysZero(reader)
    this.isRegular = count === 1 && this.#isOnLine
    return this
  }

  /** out[i] = time of row i, for rows `from` up to `to`; others mean nothing. */
  read(out: Float64Array, from: number, to: number): void {
    if (this.#whole !== noTimes) {
      out.set(this.#whole.subarray(from, to), from)
      return
    }
    const codec = codecFor(this.#rowCount)
    if (!this.#isOnLine) {
      this.#reader.select(this.#residualsAt, this.#end)
      codec.decode(codec.kernels.decodeIntegers, this.#reader, this.#rowCount, from, to)
    }
    const { ends, count } = this.#series
    for (let s = count === 1 ? 0 : this.#seriesOf(from); s < count; s++) {
      const start = s === 0 ? 0 : ends[s - 1]
      if (start >= to) break
      const a = Math.max(from, start)
      const b = Math.min(to, ends[s])
      const first = this.#firsts[s] + (a - start) * this.step
      if (this.#isOnLine) fillRegular(first, this.step, b - a, out, a)
      else codec.kernels.addLine(codec.values, a, b, first, this.step, this.#scale)
    }
    if (!this.#isOnLine) out.set(codec.part(codec.values, from, to), from)
  }

  /** The first of rows `start` up to `stop`, all of one series, that is not before a moment. */
  lowerBound(start: number, stop: number, offset: number): number {
    if (this.#whole !== noTimes) return firstNotBefore(start, stop, offset, (i) => this.#whole[i])
    const s = this.#seriesOf(start)
    const origin = s === 0 ? 0 : this.#series.ends[s - 1]
    const first = this.#firsts[s]
    const { step } = this
    if (this.#isOnLine) {
      return firstNotBefore(start, stop, offset, (i) => first + (i - origin) * step)
    }
    const count = this.#rowCount
    const codec = codecFor(count)
    this.#reader.select(this.#residualsAt, this.#end)
    const search = { start, stop, offset, first, origin, step, scale: this.#scale }
    return codec.lowerBound(this.#reader, count, search)
  }

  /** The series that a row is of. */
  #seriesOf(row: number): number {
    const { ends, count } = this.#series
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ends[middle] <= row) low = middle + 1
      else high = middle
    }
    return low
  }

  get rowCount(): number {
    return this.#rowCount
  }
}

function firstNotBefore(
  start: number,
  stop: number,
  offset: number,
  timeOf: (row: number) => number,
): number {
  let low = start
  let high = stop
  while (low < high) {
    const middle = (low + high) >>> 1
    if (timeOf(middle) < offset) low = middle + 1
    else high = middle
  }
  return low
}
