// Integers whose range stays below 2^51, in parts of 128 that are read one by one: each has its own
// reference, width and way, so that sixty values anywhere cost sixty values and not the block.
//
//   f64 base                  the smallest value
//   u8 bits of a reference    0 to 32, or 64
//   u8 bits of a step         0 to 32, or 64; 255: no part has steps, and there is no base of steps
//   u8[2] zero
//   f64 base of steps         the smallest
//   u8[parts]                 per part its width, 0 to 53, and 128 where it has steps; zero bytes up to a multiple of 4
//   references, steps         one per part, as distances from their base: packed in their bits, 64: as f64
//   per part                  its packed words: a part's last one ends with the last value
//
// A part of offsets holds value - reference, the reference being its smallest value. A part of steps holds
// value - previous - step, its reference being its first value and step its smallest difference. The narrower one is
// taken, and offsets where both are alike: they have no chain of sums. Widths above 32 are only for offsets: the low 32
// bits of each value, then the rest.

import {
  packMiniBlock,
  miniBlockRows as partRows,
  unpackOffset,
  unpackPlain,
  unpackRunning,
} from './bit-packing.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'

export { partRows }

/** Values of a larger range are stored otherwise: sums of them may not be exact. */
export const partsRangeMax = 2 ** 50

const stepsMark = 128
const noSteps = 255
const rawBits = 64
const uint32Max = 0xffffffff
const int32Max = 0x7fffffff

export function partCount(count: number): number {
  return (count + partRows - 1) >>> 7
}

/** Arrays that blocks are read into have room for whole parts. */
export function roomForParts(count: number): number {
  return partCount(count) * partRows
}

function wordCount(rows: number, width: number): number {
  return (rows * width + 31) >>> 5
}

/** Bits that a whole number from 0 on takes. */
function bitsOf(value: number): number {
  if (value <= uint32Max) return 32 - Math.clz32(value)
  return 64 - Math.clz32(Math.floor(value / 0x100000000))
}

const low = new Uint32Array(partRows)
const high = new Uint32Array(partRows)
const packed = new Uint32Array(partRows)

/** How each part is stored: found in one pass over its values, before anything is written. */
class PartPlan {
  widths = new Uint8Array(64)
  references = new Float64Array(64)
  steps = new Float64Array(64)
  base = 0
  stepBase = 0
  referenceBits = 0
  stepBits = noSteps

  make(values: Float64Array, count: number): void {
    const parts = partCount(count)
    if (parts > this.widths.length) {
      this.widths = new Uint8Array(parts * 2)
      this.references = new Float64Array(parts * 2)
      this.steps = new Float64Array(parts * 2)
    }
    for (let part = 0; part < parts; part++) {
      const start = part * partRows
      this.#planPart(part, values, start, Math.min(start + partRows, count))
    }
    this.#summarize(parts)
  }

  #planPart(part: number, values: Float64Array, start: number, stop: number): void {
    let previous = values[start]
    let min = previous
    let max = previous
    let minStep = Number.POSITIVE_INFINITY
    let maxStep = Number.NEGATIVE_INFINITY
    for (let i = start + 1; i < stop; i++) {
      const value = values[i]
      const step = value - previous
      if (value < min) min = value
      else if (value > max) max = value
      if (step < minStep) minStep = step
      if (step > maxStep) maxStep = step
      previous = value
    }
    const width = bitsOf(max - min)
    const stepWidth = stop - start > 1 ? bitsOf(maxStep - minStep) : width
    if (stepWidth < width && stepWidth <= 32) {
      this.widths[part] = stepWidth | stepsMark
      this.references[part] = values[start]
      this.steps[part] = minStep
    } else {
      this.widths[part] = width
      this.references[part] = min
      this.steps[part] = Number.NaN
    }
  }

  /** Where offsets and steps begin, and how far they reach. Parts of offsets take no part in the steps. */
  #summarize(parts: number): void {
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    let minStep = Number.POSITIVE_INFINITY
    let maxStep = Number.NEGATIVE_INFINITY
    for (let part = 0; part < parts; part++) {
      min = Math.min(min, this.references[part])
      max = Math.max(max, this.references[part])
      const step = this.steps[part]
      if (step < minStep) minStep = step
      if (step > maxStep) maxStep = step
    }
    this.base = min
    this.referenceBits = packableBits(max - min)
    const hasSteps = minStep <= maxStep
    this.stepBase = hasSteps ? minStep : 0
    this.stepBits = hasSteps ? packableBits(maxStep - minStep) : noSteps
    for (let part = 0; part < parts; part++) {
      if (Number.isNaN(this.steps[part])) this.steps[part] = this.stepBase
    }
  }
}

function packableBits(range: number): number {
  const bits = bitsOf(range)
  return bits <= 32 ? bits : rawBits
}

const plan = new PartPlan()

/** The values' range is within ± `partsRangeMax`. */
export function writeParts(writer: ByteWriter, values: Float64Array, count: number): void {
  plan.make(values, count)
  const parts = partCount(count)
  writer.f64(plan.base)
  writer.u8(plan.referenceBits)
  writer.u8(plan.stepBits)
  writer.u16(0)
  if (plan.stepBits !== noSteps) writer.f64(plan.stepBase)
  writer.raw(plan.widths.subarray(0, parts))
  writer.align4()
  writeNumbers(writer, plan.references, parts, plan.base, plan.referenceBits)
  if (plan.stepBits !== noSteps) {
    writeNumbers(writer, plan.steps, parts, plan.stepBase, plan.stepBits)
  }
  for (let part = 0; part < parts; part++) {
    const start = part * partRows
    const rows = Math.min(partRows, count - start)
    if ((plan.widths[part] & stepsMark) !== 0) writeSteps(writer, values, start, rows, part)
    else writeOffsets(writer, values, start, rows, part)
  }
}

/** Numbers in the bits that the farthest from the base takes. */
function writeNumbers(
  writer: ByteWriter,
  numbers: Float64Array,
  count: number,
  base: number,
  bits: number,
): void {
  if (bits === rawBits) {
    for (let i = 0; i < count; i++) writer.f64(numbers[i] - base)
    return
  }
  const words = new Uint32Array(wordCount(count, bits))
  for (let i = 0, bit = 0; i < count; i++, bit += bits) {
    const value = numbers[i] - base
    const shift = bit & 31
    words[bit >>> 5] |= value << shift
    if (shift + bits > 32) words[(bit >>> 5) + 1] |= value >>> (32 - shift)
  }
  writer.raw(new Uint8Array(words.buffer))
}

function writeOffsets(
  writer: ByteWriter,
  values: Float64Array,
  start: number,
  rows: number,
  part: number,
): void {
  const width = plan.widths[part]
  const reference = plan.references[part]
  for (let i = 0; i < rows; i++) low[i] = values[start + i] - reference
  low.fill(0, rows)
  if (width <= 32) return writePacked(writer, low, rows, width)
  for (let i = 0; i < rows; i++) {
    high[i] = Math.floor((values[start + i] - reference) / 0x100000000)
  }
  high.fill(0, rows)
  writePacked(writer, low, rows, 32)
  writePacked(writer, high, rows, width - 32)
}

function writeSteps(
  writer: ByteWriter,
  values: Float64Array,
  start: number,
  rows: number,
  part: number,
): void {
  const step = plan.steps[part]
  low[0] = 0
  for (let i = 1; i < rows; i++) low[i] = values[start + i] - values[start + i - 1] - step
  low.fill(0, rows)
  writePacked(writer, low, rows, plan.widths[part] & ~stepsMark)
}

function writePacked(writer: ByteWriter, values: Uint32Array, rows: number, width: number): void {
  packMiniBlock[width](values, 0, packed, 0)
  writer.raw(new Uint8Array(packed.buffer, 0, wordCount(rows, width) * 4))
}

const tailWords = new Uint32Array(partRows)
const powersOfTwo = Float64Array.from({ length: 33 }, (_, width) => 2 ** width)

/** A block that was opened: its parts can be read in any order while the reader holds its bytes. */
export class PartsBlock {
  #reader!: ByteReader
  #count = 0
  #base = 0
  #referenceBits = 0
  #stepBits = noSteps
  #stepBase = 0
  #widthsAt = 0
  /** As places among the reader's words. */
  #referencesAt = 0
  #stepsAt = 0
  /** By part: where its words begin. */
  #starts = new Uint32Array(64)

  /** Opens the block that the reader stands at, and moves the reader behind it. */
  open(reader: ByteReader, count: number): this {
    this.#reader = reader
    this.#count = count
    this.#base = reader.f64()
    this.#referenceBits = reader.u8()
    this.#stepBits = reader.u8()
    reader.u16()
    this.#stepBase = this.#stepBits === noSteps ? 0 : reader.f64()
    const parts = partCount(count)
    this.#widthsAt = reader.offset
    reader.skip(parts)
    reader.align4()
    this.#referencesAt = this.#skipNumbers(parts, this.#referenceBits)
    this.#stepsAt = this.#stepBits === noSteps ? 0 : this.#skipNumbers(parts, this.#stepBits)
    this.#findParts(parts)
    return this
  }

  #skipNumbers(count: number, bits: number): number {
    if (bits > 32 && bits !== rawBits) this.#reader.fail(`numbers of ${bits} bits`)
    const at = this.#reader.offset >>> 2
    this.#reader.skip(wordCount(count, bits) * 4)
    return at
  }

  #findParts(parts: number): void {
    const reader = this.#reader
    if (parts > this.#starts.length) this.#starts = new Uint32Array(parts * 2)
    let word = reader.offset >>> 2
    const first = word
    for (let part = 0; part < parts; part++) {
      this.#starts[part] = word
      const mark = reader.bytes[this.#widthsAt + part]
      const width = mark & ~stepsMark
      const rows = Math.min(partRows, this.#count - part * partRows)
      if (width <= 32) word += wordCount(rows, width)
      else if (width === mark && width <= 53) word += rows + wordCount(rows, width - 32)
      else reader.fail(`bit width ${mark}`)
    }
    reader.skip((word - first) * 4)
  }

  /** out[at + i] = value i, for the parts that hold values `from` up to `to`. */
  read(out: Float64Array, at: number, from: number, to: number): void {
    const last = partCount(to)
    for (let part = from >>> 7; part < last; part++) this.#readPart(part, out, at + part * partRows)
  }

  /** The same for the part of value i alone, from `out[0]` on. */
  readPartOf(i: number, out: Float64Array): void {
    this.#readPart(i >>> 7, out, 0)
  }

  #readPart(part: number, out: Float64Array, at: number): void {
    const { words, bytes } = this.#reader
    const mark = bytes[this.#widthsAt + part]
    const width = mark & ~stepsMark
    const rows = this.#count - part * partRows
    const base = this.#base + this.#number(this.#referencesAt, this.#referenceBits, part)
    const start = this.#starts[part]
    if (width > 32) return this.#readWide(start, Math.min(rows, partRows), width, out, at, base)
    const isWhole = rows >= partRows
    const from = isWhole ? words : tail(words, start, wordCount(rows, width))
    const word = isWhole ? start : 0
    if (mark === width) return unpackOffset[width](from, word, out, at, base)
    const step = this.#stepBase + this.#number(this.#stepsAt, this.#stepBits, part)
    this.#readSteps(from, word, width, out, at, base, step)
  }

  #readSteps(
    words: Uint32Array,
    word: number,
    width: number,
    out: Float64Array,
    at: number,
    base: number,
    step: number,
  ): void {
    // So far no sum of 128 steps can leave int32, whatever the values.
    const farthest = (Math.abs(step) + powersOfTwo[width]) * partRows
    if (farthest <= int32Max) return unpackRunning[width](words, word, out, at, base, -step, step)
    unpackPlain[width](words, word, low, 0)
    let sum = 0
    for (let i = 0; i < partRows; i++) {
      sum += low[i]
      out[at + i] = base + step * i + sum
    }
  }

  #readWide(
    start: number,
    rows: number,
    width: number,
    out: Float64Array,
    at: number,
    base: number,
  ): void {
    const { words } = this.#reader
    unpackPlain[width - 32](tail(words, start + rows, wordCount(rows, width - 32)), 0, high, 0)
    for (let i = 0; i < rows; i++) {
      out[at + i] = base + (high[i] * 0x100000000 + words[start + i])
    }
  }

  /** Number i of those that are packed from a word on. */
  #number(at: number, bits: number, i: number): number {
    const { words } = this.#reader
    if (bits === 0) return 0
    if (bits === rawBits) return float64Of(words[at + i * 2], words[at + i * 2 + 1])
    const bit = i * bits
    const word = at + (bit >>> 5)
    const shift = bit & 31
    let value = words[word] >>> shift
    if (shift + bits > 32) value |= words[word + 1] << (32 - shift)
    return bits === 32 ? value >>> 0 : value & ((1 << bits) - 1)
  }
}

const float64Scratch = new Float64Array(1)
const float64Words = new Uint32Array(float64Scratch.buffer)

function float64Of(lowWord: number, highWord: number): number {
  float64Words[0] = lowWord
  float64Words[1] = highWord
  return float64Scratch[0]
}

/** The words of an incomplete part, filled up with zeros, so that whole-part unpackers can read them. */
function tail(words: Uint32Array, at: number, used: number): Uint32Array {
  for (let i = 0; i < used; i++) tailWords[i] = words[at + i]
  tailWords.fill(0, used)
  return tailWords
}
