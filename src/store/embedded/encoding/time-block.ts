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
import { IntegerBlock, readIntegers, writeIntegers } from './integer-block.js'
import { partRows, roomForParts } from './parts-block.js'
import { fillRegular } from './regular-times.js'

/** Persisted: never change. Beside the schemes of integer blocks, which stand in the same place. */
const schemeLines = 32

/** Where the rows of each series end, and how many series there are. */
export interface SeriesEnds {
  readonly ends: ArrayLike<number>
  readonly count: number
}

const sampleMax = 64
let residuals = new Float64Array(4096)

/** Times that rise within each series. */
export function writeTimes(
  writer: ByteWriter,
  offsets: Float64Array,
  rowCount: number,
  series: SeriesEnds,
): void {
  const step = usualStep(offsets, rowCount, series)
  if (rowCount > residuals.length) residuals = new Float64Array(rowCount * 2)
  const firsts = new Float64Array(series.count)
  let scale = 0
  for (let s = 0, start = 0; s < series.count; start = series.ends[s++]) {
    const first = offsets[start]
    firsts[s] = first
    for (let i = start; i < series.ends[s]; i++) {
      const residual = offsets[i] - first - (i - start) * step
      residuals[i] = residual
      if (!isMultiple(residual, scale)) scale = commonDivisor(scale, Math.abs(residual))
    }
  }
  scale ||= 1
  if (scale > 1) for (let i = 0; i < rowCount; i++) residuals[i] /= scale
  writer.align4()
  writer.u32(schemeLines)
  writer.f64(step)
  writer.f64(scale)
  writeIntegers(writer, firsts, series.count)
  writeIntegers(writer, residuals, rowCount)
}

/** A division tells it in a tenth of a remainder's time; residuals are far below where it would be wrong. */
function isMultiple(residual: number, scale: number): boolean {
  if (residual === 0 || scale === 1) return true
  if (scale === 0) return false
  const times = residual / scale
  return times === Math.floor(times)
}

function commonDivisor(one: number, other: number): number {
  let [divisor, rest] = [one, other]
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest]
  return divisor
}

/** The median of sampled distances: one gap among regular times must not count. */
function usualStep(offsets: Float64Array, rowCount: number, { ends, count }: SeriesEnds): number {
  const every = Math.max(1, Math.floor(rowCount / sampleMax))
  const sample: number[] = []
  for (let s = 0, start = 0; s < count; start = ends[s++]) {
    for (let i = start + 1; i < ends[s]; i += every) sample.push(offsets[i] - offsets[i - 1])
  }
  sample.sort((a, b) => a - b)
  return sample.length === 0 ? 0 : sample[sample.length >>> 1]
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
  readonly #residuals = new IntegerBlock()
  #firsts = new Float64Array(partRows)
  /** The part that a moment was looked for in. */
  readonly #part = new Float64Array(partRows)
  #partNumber = -1
  /** Of a block of version 1: all its times. */
  #whole = noTimes

  /** `series`: undefined where all rows are of one. The reader moves behind the block. */
  open(reader: ByteReader, rowCount: number, series: SeriesEnds | undefined): this {
    reader.align4()
    const start = reader.offset
    this.#rowCount = rowCount
    this.#whole = noTimes
    this.isRegular = false
    if (reader.u32() !== schemeLines) {
      reader.offset = start
      this.#whole = new Float64Array(roomForParts(rowCount))
      readIntegers(reader, rowCount, this.#whole)
      return this
    }
    this.step = reader.f64()
    this.#scale = reader.f64()
    this.#series = series ?? { ends: [rowCount], count: 1 }
    const { count } = this.#series
    if (this.#firsts.length < roomForParts(count)) {
      this.#firsts = new Float64Array(roomForParts(count))
    }
    readIntegers(reader, count, this.#firsts)
    this.first = this.#firsts[0]
    this.#residuals.open(reader, rowCount)
    this.#partNumber = -1
    this.isRegular = count === 1 && this.#residuals.isAlways(0)
    return this
  }

  /** out[i] = time of row i, for rows `from` up to `to`; others mean nothing. `out` has room for whole parts. */
  read(out: Float64Array, from: number, to: number): void {
    if (this.#whole !== noTimes) {
      out.set(this.#whole.subarray(from, to), from)
      return
    }
    const isOnLine = this.#residuals.isAlways(0)
    if (!isOnLine) this.#residuals.read(out, 0, from, to)
    const { ends, count } = this.#series
    for (let s = count === 1 ? 0 : this.#seriesOf(from); s < count; s++) {
      const start = s === 0 ? 0 : ends[s - 1]
      if (start >= to) break
      const a = Math.max(from, start)
      const b = Math.min(to, ends[s])
      const first = this.#firsts[s] + (a - start) * this.step
      if (isOnLine) fillRegular(first, this.step, b - a, out, a)
      else addLine(out, a, b, first, this.step, this.#scale)
    }
  }

  /** The first of rows `start` up to `stop`, all of one series, that is not before a moment. */
  lowerBound(start: number, stop: number, offset: number): number {
    const s = this.#whole === noTimes ? this.#seriesOf(start) : 0
    let low = start
    let high = stop
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#at(s, middle) < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  #at(s: number, row: number): number {
    if (this.#whole !== noTimes) return this.#whole[row]
    if (this.#partNumber !== row >>> 7) {
      this.#partNumber = row >>> 7
      this.#residuals.readPartOf(row, this.#part)
    }
    const start = s === 0 ? 0 : this.#series.ends[s - 1]
    return this.#firsts[s] + (row - start) * this.step + this.#part[row & 127] * this.#scale
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

/** From residuals to times. */
function addLine(
  out: Float64Array,
  from: number,
  to: number,
  first: number,
  step: number,
  scale: number,
): void {
  for (let i = from, k = 0; i < to; i++, k++) out[i] = first + k * step + out[i] * scale
}
