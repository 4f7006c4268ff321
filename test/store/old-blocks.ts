// Writers of blocks as segments of version 1 have them, kept so that their readers stay tested: nothing
// but tests writes them. The drawings are beside the readers, under store/embedded/encoding.

import { type Column, fieldTypes, isWide } from '../../src/column/column.js'
import type { ByteWriter } from '../../src/store/embedded/encoding/byte-writer.js'
import type { Values64 } from '../../src/store/embedded/encoding/codec.js'
import { countPresent } from '../../src/store/embedded/encoding/column-block.js'
import { miniBlockCount } from '../../src/store/embedded/encoding/old-sequence.js'
import { miniBlockRows } from '../../src/store/embedded/encoding/old-unpacking.js'

/** Numbers to pack: value i is low[i], or high[i] * 2^32 + low[i]. Room for a whole number of mini-blocks. */
export class Sequence {
  low = new Uint32Array(4096)
  high = new Uint32Array(4096)
  /** Only then `high` counts. */
  wide = false

  prepare(count: number, wide: boolean): void {
    const padded = miniBlockCount(count) * miniBlockRows
    if (padded > this.low.length) {
      this.low = new Uint32Array(padded * 2)
      this.high = new Uint32Array(padded * 2)
    }
    this.wide = wide
    this.low.fill(0, count, padded)
    if (wide) this.high.fill(0, count, padded)
  }

  set(index: number, value: number): void {
    this.low[index] = value
    this.high[index] = value > 0xffffffff ? Math.floor(value / 0x100000000) : 0
  }
}

function bitWidth(value: number): number {
  return 32 - Math.clz32(value)
}

function miniBlockWidth(sequence: Sequence, start: number): number {
  const high = sequence.wide ? union(sequence.high, start) : 0
  return high === 0 ? bitWidth(union(sequence.low, start)) : 32 + bitWidth(high)
}

/** All bits that a mini-block's words have. */
function union(words: Uint32Array, start: number): number {
  let bits = 0
  for (let i = start; i < start + miniBlockRows; i++) bits |= words[i]
  return bits
}

function wordCount(count: number, width: number): number {
  return (count * width + 31) >>> 5
}

/** Bytes that `writeSequence` would take. */
export function sequenceBytes(sequence: Sequence, count: number): number {
  let words = (miniBlockCount(count) + 3) >>> 2
  for (let start = 0; start < count; start += miniBlockRows) {
    const width = miniBlockWidth(sequence, start)
    const rows = Math.min(miniBlockRows, count - start)
    words += width <= 32 ? wordCount(rows, width) : rows + wordCount(rows, width - 32)
  }
  return words * 4
}

const packed = new Uint32Array(miniBlockRows)

/** A mini-block from `start` on; its words are the first 4 * width of `packed`. */
function packMiniBlock(values: Uint32Array, start: number, width: number): void {
  packed.fill(0)
  for (let i = 0, bit = 0; i < miniBlockRows; i++, bit += width) {
    const value = values[start + i]
    const shift = bit & 31
    packed[bit >>> 5] |= value << shift
    if (shift + width > 32) packed[(bit >>> 5) + 1] |= value >>> (32 - shift)
  }
}

export function writeSequence(writer: ByteWriter, sequence: Sequence, count: number): void {
  const widthsAt = writer.length
  for (let start = 0; start < count; start += miniBlockRows) {
    writer.u8(miniBlockWidth(sequence, start))
  }
  writer.align4()
  let block = 0
  for (let start = 0; start < count; start += miniBlockRows, block++) {
    const width = writer.bytes[widthsAt + block]
    const rows = Math.min(miniBlockRows, count - start)
    if (width <= 32) writePacked(writer, sequence.low, start, rows, width)
    else {
      writePacked(writer, sequence.low, start, rows, 32)
      writePacked(writer, sequence.high, start, rows, width - 32)
    }
  }
}

function writePacked(
  writer: ByteWriter,
  values: Uint32Array,
  start: number,
  rows: number,
  width: number,
): void {
  packMiniBlock(values, start, width)
  const byteLength = wordCount(rows, width) * 4
  writer.raw(new Uint8Array(packed.buffer, 0, byteLength))
}

const schemeConstant = 1
const schemeOffset = 2
const schemeDelta = 3
const schemeStepped = 4
const schemeBits = 5

const rangeMax = 2 ** 50
const int32Max = 0x7fffffff

const offsets = new Sequence()
const deltas = new Sequence()
const steps = new Sequence()

interface Range {
  min: number
  max: number
}

export function writeOldIntegers(writer: ByteWriter, values: Float64Array, count: number): void {
  writer.align4()
  const range = rangeOf(values, count)
  if (range.min === range.max) return writeHeader(writer, schemeConstant, range.min)
  if (!(range.max - range.min < rangeMax) || range.min < -rangeMax || range.max > rangeMax) {
    writeHeader(writer, schemeBits, 0)
    writeXorBlock(writer, values, count)
    return
  }
  const deltaSize = fillDeltas(values, count, range)
  // Offsets take about the bits of the range each. Where deltas take far less, they are not tried.
  const likelySize = (count * bitWidth(Math.min(range.max - range.min, 0xffffffff))) >>> 3
  const offsetSize =
    deltaSize < 0.6 * likelySize ? Number.POSITIVE_INFINITY : fillOffsets(values, count, range)
  // Times and counters rise from the first to the last; others are not worth the look.
  const rises = values[0] === range.min && values[count - 1] === range.max
  const stepped = rises && deltaSize > 128 ? fillStepped(values, count) : undefined
  if (stepped !== undefined && stepped.size + 16 < Math.min(offsetSize, deltaSize)) {
    writeHeader(writer, schemeStepped, values[0])
    writer.f64(stepped.step)
    writer.f64(stepped.scale)
    writeSequence(writer, steps, count)
  } else if (deltaSize < offsetSize) {
    writeHeader(writer, schemeDelta, values[0])
    writeSequence(writer, deltas, count)
  } else {
    writeHeader(writer, schemeOffset, range.min)
    writeSequence(writer, offsets, count)
  }
}

function writeHeader(writer: ByteWriter, scheme: number, base: number): void {
  writer.u32(scheme)
  writer.f64(base)
}

function rangeOf(values: Float64Array, count: number): Range {
  let min = values[0]
  let max = values[0]
  for (let i = 1; i < count; i++) {
    const value = values[i]
    if (value < min) min = value
    else if (value > max) max = value
  }
  return { min, max }
}

function fillOffsets(values: Float64Array, count: number, { min, max }: Range): number {
  const wide = max - min > 0xffffffff
  offsets.prepare(count, wide)
  const { low, high } = offsets
  if (wide) {
    for (let i = 0; i < count; i++) high[i] = Math.floor((values[i] - min) / 0x100000000)
  }
  for (let i = 0; i < count; i++) low[i] = values[i] - min
  return sequenceBytes(offsets, count)
}

/** Infinity where a running sum or a difference may leave int32. */
function fillDeltas(values: Float64Array, count: number, { min, max }: Range): number {
  if (max - min > int32Max) return Number.POSITIVE_INFINITY
  deltas.prepare(count, false)
  const { low } = deltas
  let previous = values[0]
  for (let i = 0; i < count; i++) {
    const value = values[i]
    const delta = (value - previous) | 0
    low[i] = (delta << 1) ^ (delta >> 31)
    previous = value
  }
  return sequenceBytes(deltas, count)
}

interface Stepped {
  readonly step: number
  readonly scale: number
  readonly size: number
}

function fillStepped(values: Float64Array, count: number): Stepped | undefined {
  const step = usualStep(values, count)
  if (Math.abs(step) * count > rangeMax) return undefined
  const scale = commonDivisor(values, count, step)
  steps.prepare(count, true)
  steps.set(0, 0)
  for (let i = 1; i < count; i++) {
    const delta = (values[i] - values[i - 1] - step) / scale
    steps.set(i, delta >= 0 ? delta * 2 : -delta * 2 - 1)
  }
  return { step, scale, size: sequenceBytes(steps, count) }
}

const sampleMax = 64

/** The median of sampled distances: one gap among regular times must not count. */
function usualStep(values: Float64Array, count: number): number {
  const every = Math.max(1, Math.floor((count - 1) / sampleMax))
  const sample: number[] = []
  for (let i = 1; i < count; i += every) sample.push(values[i] - values[i - 1])
  sample.sort((a, b) => a - b)
  return sample[sample.length >>> 1]
}

function commonDivisor(values: Float64Array, count: number, step: number): number {
  let divisor = 0
  for (let i = 1; i < count && divisor !== 1; i++) {
    let rest = Math.abs(values[i] - values[i - 1] - step)
    while (rest !== 0) [divisor, rest] = [rest, divisor % rest]
  }
  return divisor === 0 ? 1 : divisor
}

const high = new Uint32Array(miniBlockRows)
const low = new Uint32Array(miniBlockRows)

function writeXorBlock(writer: ByteWriter, values: Values64, count: number): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, count * 2)
  const headersAt = writer.length
  for (let block = 0; block < miniBlockCount(count); block++) writer.u32(0)
  let previousHigh = 0
  let previousLow = 0
  for (let start = 0, at = headersAt; start < count; start += miniBlockRows, at += 4) {
    high.fill(0)
    low.fill(0)
    const rows = Math.min(miniBlockRows, count - start)
    for (let i = 0; i < rows; i++) {
      const nextLow = words[(start + i) * 2]
      const nextHigh = words[(start + i) * 2 + 1]
      low[i] = nextLow ^ previousLow
      high[i] = nextHigh ^ previousHigh
      previousLow = nextLow
      previousHigh = nextHigh
    }
    writePlane(writer, high, at)
    writePlane(writer, low, at + 2)
  }
}

function writePlane(writer: ByteWriter, plane: Uint32Array, headerAt: number): void {
  let all = 0
  for (let i = 0; i < miniBlockRows; i++) all |= plane[i]
  if (all === 0) return
  const shift = 31 - Math.clz32(all & -all)
  const width = bitWidth(all >>> shift)
  for (let i = 0; i < miniBlockRows; i++) plane[i] >>>= shift
  writer.setU8(headerAt, shift)
  writer.setU8(headerAt + 1, width)
  packMiniBlock(plane, 0, width)
  writer.raw(new Uint8Array(packed.buffer, 0, width * 16))
}

const schemeDecimal = 1
const schemeXor = 2

const exponentMax = 15
const powers = Float64Array.from({ length: exponentMax + 1 }, (_, e) => Number(`1e${e}`))

/** Beyond this an integer block would store bit patterns anyway. */
const decimalMax = 2 ** 50

let integers = new Float64Array(4096)

function writeFloats(writer: ByteWriter, values: Float64Array, count: number): void {
  writer.align4()
  const exponent = commonExponent(values, count)
  if (exponent < 0) {
    writer.u32(schemeXor)
    writeXorBlock(writer, values, count)
    return
  }
  writer.u32(schemeDecimal | (exponent << 8))
  if (exponent === 0) return writeOldIntegers(writer, values, count)
  if (count > integers.length) integers = new Float64Array(count * 2)
  const power = powers[exponent]
  for (let i = 0; i < count; i++) integers[i] = Math.round(values[i] * power)
  writeOldIntegers(writer, integers, count)
}

/** The smallest exponent that makes every value an integer, or -1 where there is none. */
function commonExponent(values: Float64Array, count: number): number {
  let exponent = 0
  for (let i = 0; i < count; i++) {
    const value = values[i]
    if (Object.is(value, -0)) return -1
    while (!isDecimal(value, powers[exponent])) if (++exponent > exponentMax) return -1
  }
  // A later value may have raised the exponent so far that an earlier one no longer fits.
  const power = powers[exponent]
  for (let i = 0; i < count; i++) if (!isDecimal(values[i], power)) return -1
  return exponent
}

function isDecimal(value: number, power: number): boolean {
  const scaled = Math.round(value * power)
  return scaled <= decimalMax && scaled >= -decimalMax && scaled / power === value
}

const flagValidity = 1
const flagWide = 2

export function writeOldColumn(writer: ByteWriter, column: Column, rowCount: number): void {
  writer.align4()
  const { validity } = column
  const present = validity === undefined ? rowCount : countPresent(validity, rowCount)
  const gaps = present < rowCount
  const flags = (gaps ? flagValidity : 0) | (isWide(column) ? flagWide : 0)
  writer.u8(fieldTypes.indexOf(column.type))
  writer.u8(flags)
  writer.u16(0)
  if (gaps) {
    writer.u32(present)
    writeOldIntegers(writer, Float64Array.from(validity!.subarray(0, rowCount)), rowCount)
  }
  writeValues(writer, gaps ? withoutGaps(column, rowCount, present) : column, present)
}

function writeValues(writer: ByteWriter, column: Column, count: number): void {
  switch (column.type) {
    case 'float':
      return writeFloats(writer, column.values, count)
    case 'integer':
    case 'unsigned':
      if (column.values instanceof Float64Array)
        return writeOldIntegers(writer, column.values, count)
      writer.align4()
      return writeXorBlock(writer, column.values, count)
    case 'boolean':
      return writeOldIntegers(writer, Float64Array.from(column.values.subarray(0, count)), count)
    case 'string':
      throw new Error('strings are written as ever')
  }
}

function withoutGaps(column: Column, rowCount: number, present: number): Column {
  const validity = column.validity!
  const make = column.values.constructor as new (length: number) => Column['values']
  const dense = new make(present)
  for (let i = 0, to = 0; i < rowCount; i++) if (validity[i] !== 0) dense[to++] = column.values[i]
  return { ...column, values: dense, validity: undefined } as Column
}
