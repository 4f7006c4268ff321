// Integers within ±2^53, held as float64. Everything that is countable ends up here: integer fields,
// dictionary positions, booleans, floats that are decimals, what times differ from a line by.
//
//   u8 scheme, u8[3] zero, then
//   constant  f64 base: every value
//   parts     parts block
//   bits      f64 zero, planes block of the float64 bit patterns   (values beyond 2^50)
//
// Only read, since segments of version 2, each behind an f64 base:
//   offset    sequence of value - base                        (base is the smallest value)
//   delta     sequence of zigzag(value - previous)            (base is the first value; sums fit int32: fast path)
//   stepped   f64 step, f64 scale, sequence of zigzag((value - previous - step) / scale)   (base is the first value)
//   xor bits  the float64 bit patterns as an XOR block        (values beyond 2^50; base unused)

import { miniBlockRows } from './bit-packing.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { readDeltas, readOffsets, readWords, skipZeros, widestBits } from './packed-sequence.js'
import { PartsBlock, partRows, partsRangeMax, roomForParts, writeParts } from './parts-block.js'
import { readPlanes, writePlanes } from './planes-block.js'
import { fillRegular } from './regular-times.js'
import { readXorBlock } from './xor-block.js'

// Persisted: never change.
const schemeConstant = 1
const schemeOffset = 2
const schemeDelta = 3
const schemeStepped = 4
const schemeXorBits = 5
const schemeParts = 6
const schemeBits = 7

interface Range {
  min: number
  max: number
}

export function writeIntegers(writer: ByteWriter, values: Float64Array, count: number): void {
  writer.align4()
  const range = rangeOf(values, count)
  if (range.min === range.max) {
    writer.u32(schemeConstant)
    writer.f64(range.min)
  } else if (isPackable(range)) {
    writer.u32(schemeParts)
    writeParts(writer, values, count)
  } else {
    writer.u32(schemeBits)
    writer.f64(0)
    writePlanes(writer, values, count)
  }
}

function isPackable({ min, max }: Range): boolean {
  return max - min < partsRangeMax && min >= -partsRangeMax && max <= partsRangeMax
}

/** A block that was opened: parts of it are read in any order while the reader holds its bytes. */
export class IntegerBlock {
  readonly #parts = new PartsBlock()
  #scheme = 0
  #base = 0
  #count = 0
  /** All values, where they cannot be read in parts. */
  #whole: Float64Array | undefined

  /** The reader moves behind the block. */
  open(reader: ByteReader, count: number): this {
    reader.align4()
    const start = reader.offset
    this.#scheme = reader.u32()
    this.#count = count
    if (this.#scheme === schemeParts) this.#parts.open(reader, count)
    else if (this.#scheme === schemeConstant) this.#base = reader.f64()
    else {
      reader.offset = start
      this.#whole = new Float64Array(roomForParts(count))
      readIntegers(reader, count, this.#whole)
    }
    return this
  }

  isAlways(value: number): boolean {
    return this.#scheme === schemeConstant && this.#base === value
  }

  /** out[at + i] = value i, for values `from` up to `to` at least. */
  read(out: Float64Array, at: number, from: number, to: number): void {
    if (this.#scheme === schemeParts) this.#parts.read(out, at, from, to)
    else if (this.#scheme === schemeConstant) out.fill(this.#base, at + from, at + to)
    else out.set(this.#whole!.subarray(from, to), at + from)
  }

  /** The part of 128 values that value i stands in. */
  readPartOf(i: number, out: Float64Array): void {
    const start = i & ~(partRows - 1)
    if (this.#scheme === schemeParts) this.#parts.readPartOf(i, out)
    else if (this.#scheme === schemeConstant) out.fill(this.#base)
    else out.set(this.#whole!.subarray(start, Math.min(this.#count, start + partRows)))
  }
}

const block = new PartsBlock()

/**
 * out[at + i] = value i, for values `from` up to `to` at least: what stands in other places means nothing then. `out`
 * has room for whole parts.
 */
export function readIntegers(
  reader: ByteReader,
  count: number,
  out: Float64Array,
  at = 0,
  from = 0,
  to = count,
): void {
  reader.align4()
  const scheme = reader.u32()
  if (scheme === schemeParts) return block.open(reader, count).read(out, at, from, to)
  const base = reader.f64()
  switch (scheme) {
    case schemeConstant:
      out.fill(base, at + from, at + to)
      return
    case schemeBits:
      return readPlanes(reader, count, at === 0 ? out : out.subarray(at), from, to)
    case schemeOffset:
      return readOffsets(reader, count, base, out, at, to)
    case schemeDelta:
      return readDeltas(reader, count, base, out, at, to)
    case schemeStepped:
      return readStepped(reader, count, base, out, at)
    case schemeXorBits:
      return readXorBlock(reader, count, out, at)
    default:
      reader.fail(`unknown integer scheme ${scheme}`)
  }
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

let stepValues = new Float64Array(4096)
let stepWords = new Uint32Array(4096)

function readStepped(
  reader: ByteReader,
  count: number,
  base: number,
  out: Float64Array,
  at: number,
): void {
  const step = reader.f64()
  const scale = reader.f64()
  const widest = widestBits(reader, count)
  if (widest === 0) {
    skipZeros(reader, count)
    fillRegular(base, step, count, out, at)
  } else if (widest <= 32) {
    if (count > stepWords.length - miniBlockRows) stepWords = new Uint32Array(count * 2)
    readWords(reader, count, stepWords)
    let sum = 0
    for (let i = 0; i < count; i++) {
      const zigzag = stepWords[i]
      sum += (zigzag >>> 1) ^ -(zigzag & 1)
      out[at + i] = base + step * i + sum * scale
    }
  } else readWideSteps(reader, count, base, step, scale, out, at)
}

function readWideSteps(
  reader: ByteReader,
  count: number,
  base: number,
  step: number,
  scale: number,
  out: Float64Array,
  at: number,
): void {
  if (count > stepValues.length) stepValues = new Float64Array(count * 2)
  readOffsets(reader, count, 0, stepValues, 0)
  let sum = 0
  for (let i = 0; i < count; i++) {
    const zigzag = stepValues[i]
    sum += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    out[at + i] = base + step * i + sum * scale
  }
}
