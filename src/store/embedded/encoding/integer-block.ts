// Integers within ±2^53, held as float64, in the cheapest of five schemes. Everything that is
// countable ends up here: integer fields, times, dictionary positions, booleans, validity, floats
// that are decimals.
//
//   u8 scheme, u8[3] zero, f64 base, then
//   constant  nothing: every value is base
//   offset    sequence of value - base                        (base is the smallest value)
//   delta     sequence of zigzag(value - previous)            (base is the first value; sums fit int32: fast path)
//   stepped   f64 step, f64 scale, sequence of zigzag((value - previous - step) / scale)   (base is the first value)
//   bits      the float64 bit patterns as an XOR block        (values beyond 2^50; base unused)
//
// `stepped` makes regular times free and jittered ones cheap: step is the usual distance, scale the
// common divisor.

import { miniBlockRows } from './bit-packing.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import {
  bitWidth,
  readDeltas,
  readOffsets,
  readWords,
  Sequence,
  sequenceBytes,
  skipZeros,
  widestBits,
  writeSequence,
} from './packed-sequence.js'
import { fillRegular, findRegular, noteRegular } from './regular-times.js'
import { readXorBlock, writeXorBlock } from './xor-block.js'

// Persisted: never change.
const schemeConstant = 1
const schemeOffset = 2
const schemeDelta = 3
const schemeStepped = 4
const schemeBits = 5

/** Differences of values within this range are exact, and so are their zigzag forms. */
const rangeMax = 2 ** 50
const int32Max = 0x7fffffff

const offsets = new Sequence()
const deltas = new Sequence()
const steps = new Sequence()

interface Range {
  min: number
  max: number
}

export function writeIntegers(writer: ByteWriter, values: Float64Array, count: number): void {
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

/** `wanted`: so many of the values, from the first on, are needed; others may be left out. */
export function readIntegers(
  reader: ByteReader,
  count: number,
  out: Float64Array,
  at: number,
  wanted = count,
): void {
  reader.align4()
  const scheme = reader.u32()
  const base = reader.f64()
  switch (scheme) {
    case schemeConstant:
      out.fill(base, at, at + count)
      return
    case schemeOffset:
      return readOffsets(reader, count, base, out, at, wanted)
    case schemeDelta:
      return readDeltas(reader, count, base, out, at, wanted)
    case schemeStepped:
      return readStepped(reader, count, base, out, at)
    case schemeBits:
      return readXorBlock(reader, count, out, at)
    default:
      reader.fail(`unknown integer scheme ${scheme}`)
  }
}

/**
 * The numbers of a block that lie at equal distances, where they were asked for before: not to be changed, and perhaps
 * more than `count`. Otherwise the reader stands where it stood.
 */
export function knownTimes(reader: ByteReader, count: number): Float64Array | undefined {
  reader.align4()
  const start = reader.offset
  if (reader.u32() === schemeStepped) {
    const base = reader.f64()
    const step = reader.f64()
    reader.f64()
    const isRegular = widestBits(reader, count) === 0
    const known = isRegular ? findRegular(base, step, count) : undefined
    if (known !== undefined) return known
  }
  reader.offset = start
  return undefined
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
    // Regular times: every distance is the step. Copying takes a fifth of the time.
    skipZeros(reader, count)
    const known = findRegular(base, step, count)
    if (known === undefined) {
      noteRegular(base, step, count)
      fillRegular(base, step, count, out, at)
    } else out.set(known.length === count ? known : known.subarray(0, count), at)
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
