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
//
// How each part is stored is found in one pass over its values, then all is written. Sums are whole numbers of 64 bits.

import { align4, at8, bitsOf, maskOf, numberAtBit, numbers, pack, wordCount } from './bits'
import { badNumbers, badWidth, fault, faulty, unexpectedEnd } from './faults'
import { fourNumbers, laneBitsMax, lastTwo, patternsOf } from './lanes'

export const partRows: i32 = 128

const stepsMark: i32 = 128
const noSteps: i32 = 255
const rawBits: i32 = 64

export function partCount(count: i32): i32 {
  return (count + partRows - 1) >>> 7
}

function wordsOfPart(rows: i32, width: i32): i32 {
  return width <= 32 ? wordCount(rows, width) : rows + wordCount(rows, width - 32)
}

/** Values here are below 2^51: on this one they are the last bits of a float, and need no conversion. */
const onUnits: f64 = 6755399441055744 // 1.5 * 2^52

function wholeAt(values: usize, i: i32): i64 {
  return reinterpret<i64>(load<f64>(at8(values, i)) + onUnits) - reinterpret<i64>(onUnits)
}

/** What is known of the parts of a block that is written, or was opened. */
let base: i64 = 0
let stepBase: i64 = 0
let referenceBits: i32 = 0
let stepBits: i32 = 0
/** Places. */
let widths: usize = 0
let references: usize = 0
let steps: usize = 0
let firstWord: usize = 0

/**
 * Writes `count` whole numbers, floats in memory; returns the place behind the block. `plan` has room for 24 bytes a
 * part.
 */
export function encodeParts(values: usize, count: i32, out: usize, plan: usize): usize {
  const parts = partCount(count)
  widths = plan
  references = plan + align4(parts) + 4
  steps = at8(references, parts)
  planParts(values, count, parts)
  let at = encodeHead(parts, out)
  for (let part = 0; part < parts; part++) {
    const mark = <i32>load<u8>(widths + part)
    const start = part * partRows
    const rows = min(partRows, count - start)
    const from = at8(values, start)
    if (mark >= stepsMark) {
      at = encodeSteps(from, rows, stepBase + load<i64>(at8(steps, part)), mark & ~stepsMark, at)
    } else {
      at = encodeOffsets(from, rows, base + load<i64>(at8(references, part)), mark, at)
    }
  }
  return at
}

/** How each part is stored, and where references and steps begin: parts of offsets take no part in the steps. */
function planParts(values: usize, count: i32, parts: i32): void {
  base = i64.MAX_VALUE
  stepBase = i64.MAX_VALUE
  let last = i64.MIN_VALUE
  let lastStep = i64.MIN_VALUE
  for (let part = 0; part < parts; part++) {
    const start = part * partRows
    planPart(part, at8(values, start), min(partRows, count - start))
    const reference = load<i64>(at8(references, part))
    base = min(base, reference)
    last = max(last, reference)
    if (load<u8>(widths + part) < <u8>stepsMark) continue
    const step = load<i64>(at8(steps, part))
    stepBase = min(stepBase, step)
    lastStep = max(lastStep, step)
  }
  referenceBits = packableBits(last - base)
  stepBits = stepBase <= lastStep ? packableBits(lastStep - stepBase) : noSteps
}

function planPart(part: i32, values: usize, rows: i32): void {
  const first = wholeAt(values, 0)
  let previous = first
  let least = first
  let most = first
  let leastStep = i64.MAX_VALUE
  let mostStep = i64.MIN_VALUE
  for (let i = 1; i < rows; i++) {
    const value = wholeAt(values, i)
    const step = value - previous
    least = min(least, value)
    most = max(most, value)
    leastStep = min(leastStep, step)
    mostStep = max(mostStep, step)
    previous = value
  }
  const width = bitsOf(most - least)
  const stepWidth = rows > 1 ? bitsOf(mostStep - leastStep) : width
  const hasSteps = stepWidth < width && stepWidth <= 32
  store<u8>(widths + part, hasSteps ? stepWidth | stepsMark : width)
  store<i64>(at8(references, part), hasSteps ? first : least)
  store<i64>(at8(steps, part), leastStep)
}

/** Everything before the words of the parts; returns their place. */
function encodeHead(parts: i32, out: usize): usize {
  store<f64>(out, <f64>base)
  store<u8>(out + 8, referenceBits)
  store<u8>(out + 9, stepBits)
  store<u16>(out + 10, 0)
  let at = out + 12
  if (stepBits !== noSteps) {
    store<f64>(at, <f64>stepBase)
    at += 8
  }
  const behind = align4(at + parts)
  store<u32>(behind - 4, 0)
  memory.copy(at, widths, parts)
  at = encodeNumbers(references, parts, base, referenceBits, behind, 0)
  return stepBits === noSteps ? at : encodeNumbers(steps, parts, stepBase, stepBits, at, widths)
}

function packableBits(range: u64): i32 {
  const bits = bitsOf(range)
  return bits <= 32 ? bits : rawBits
}

/**
 * A number a part, as distances from their base, which they are in memory too then. Where there are marks: 0 for parts
 * that have no steps.
 */
function encodeNumbers(
  ofParts: usize,
  parts: i32,
  base: i64,
  bits: i32,
  out: usize,
  marks: usize,
): usize {
  for (let part = 0; part < parts; part++) {
    const at = at8(ofParts, part)
    const isMissing = marks !== 0 && load<u8>(marks + part) < <u8>stepsMark
    const distance = isMissing ? 0 : load<i64>(at) - base
    if (bits === rawBits) store<f64>(at8(out, part), <f64>distance)
    store<i64>(at, distance)
  }
  return bits === rawBits ? at8(out, parts) : pack(ofParts, parts, bits, out)
}

function encodeOffsets(values: usize, rows: i32, reference: i64, width: i32, out: usize): usize {
  const isWide = width > 32
  for (let i = 0; i < rows; i++) {
    const offset = <u64>(wholeAt(values, i) - reference)
    if (isWide) store<u32>(out + (i << 2), <u32>offset)
    store<u64>(at8(numbers, i), isWide ? offset >> 32 : offset)
  }
  return isWide
    ? pack(numbers, rows, width - 32, out + (rows << 2))
    : pack(numbers, rows, width, out)
}

function encodeSteps(values: usize, rows: i32, step: i64, width: i32, out: usize): usize {
  store<u64>(numbers, 0)
  let previous = wholeAt(values, 0)
  for (let i = 1; i < rows; i++) {
    const value = wholeAt(values, i)
    store<i64>(at8(numbers, i), value - previous - step)
    previous = value
  }
  return pack(numbers, rows, width, out)
}

/** Gives the place of its first part; `faulty` where it cannot be one. */
function openParts(block: usize, end: usize, parts: i32): usize {
  base = <i64>load<f64>(block)
  referenceBits = load<u8>(block + 8)
  stepBits = load<u8>(block + 9)
  let at = block + 12
  stepBase = 0
  if (stepBits !== noSteps) {
    stepBase = <i64>load<f64>(at)
    at += 8
  }
  widths = at
  references = align4(at + parts)
  if (referenceBits > 32 && referenceBits !== rawBits) return fault(badNumbers, referenceBits)
  steps = references + (wordCount(parts, referenceBits) << 2)
  firstWord = steps
  if (stepBits !== noSteps) {
    if (stepBits > 32 && stepBits !== rawBits) return fault(badNumbers, stepBits)
    firstWord += wordCount(parts, stepBits) << 2
  }
  return firstWord > end ? fault(unexpectedEnd) : firstWord
}

/** Number of a part. */
function numberOfPart(packed: usize, bits: i32, part: i32): i64 {
  if (bits === rawBits) return <i64>load<f64>(at8(packed, part))
  return numberAtBit(packed, part * bits, maskOf(bits))
}

/** The words of a part; -1 where its width cannot be. */
function wordsAt(part: i32, count: i32): i32 {
  const mark = <i32>load<u8>(widths + part)
  const width = mark & ~stepsMark
  if (width > 32 && (mark !== width || width > 53)) return -1
  return wordsOfPart(min(partRows, count - part * partRows), width)
}

/**
 * out[i] = value i, for the parts that hold values `from` up to `to`. Returns the place behind the block.
 */
export function decodeParts(
  block: usize,
  end: usize,
  count: i32,
  out: usize,
  from: i32,
  to: i32,
): usize {
  const parts = partCount(count)
  let at = openParts(block, end, parts)
  if (at === faulty) return faulty
  const first = from >>> 7
  const stop = partCount(to)
  for (let part = 0; part < parts; part++) {
    const words = wordsAt(part, count)
    if (words < 0) return fault(badWidth, load<u8>(widths + part))
    const next = at + (words << 2)
    if (next > end) return fault(unexpectedEnd)
    if (part >= first && part < stop) decodePart(part, at, count, out + (part << 10))
    at = next
  }
  return at
}

function decodePart(part: i32, words: usize, count: i32, out: usize): void {
  const mark = <i32>load<u8>(widths + part)
  const rows = min(partRows, count - part * partRows)
  const reference = base + numberOfPart(references, referenceBits, part)
  if (mark < stepsMark) decodeOffsets(words, rows, mark, reference, out)
  else {
    const step = stepBase + numberOfPart(steps, stepBits, part)
    decodeSteps(words, rows, mark & ~stepsMark, reference, step, out)
  }
}

// Eight values a round, so that up to seven behind the last one are written too.

function decodeOffsets(words: usize, rows: i32, width: i32, reference: i64, out: usize): void {
  if (width > 32) return decodeWideOffsets(words, rows, width, reference, out)
  if (width > laneBitsMax) return decodeLongOffsets(words, rows, width, reference, out)
  const stop = at8(out, rows)
  const first = patternsOf(width)
  const mask = i32x4.splat(<i32>maskOf(width))
  const references = f64x2.splat(<f64>reference)
  const half = width >>> 1
  let from = words
  for (let to = out; to < stop; to += 64) {
    const numbers = fourNumbers(from, first, mask)
    v128.store(to, f64x2.add(references, f64x2.convert_low_i32x4_s(numbers)))
    v128.store(to, f64x2.add(references, f64x2.convert_low_i32x4_s(lastTwo(numbers))), 16)
    const others = fourNumbers(from + half, first + 32, mask)
    v128.store(to, f64x2.add(references, f64x2.convert_low_i32x4_s(others)), 32)
    v128.store(to, f64x2.add(references, f64x2.convert_low_i32x4_s(lastTwo(others))), 48)
    from += width
  }
}

function decodeLongOffsets(words: usize, rows: i32, width: i32, reference: i64, out: usize): void {
  const stop = at8(out, rows)
  const mask = maskOf(width)
  let bit: usize = 0
  for (let to = out; to < stop; to += 8) {
    store<f64>(to, <f64>(reference + <i64>numberAtBit(words, bit, mask)))
    bit += width
  }
}

function decodeWideOffsets(words: usize, rows: i32, width: i32, reference: i64, out: usize): void {
  const stop = at8(out, rows)
  const highs = words + (rows << 2)
  const mask = maskOf(width - 32)
  let low = words
  let bit: usize = 0
  for (let to = out; to < stop; to += 8) {
    const high = numberAtBit(highs, bit, mask)
    store<f64>(to, <f64>(reference + <i64>((high << 32) | <u64>load<u32>(low))))
    low += 4
    bit += width - 32
  }
}

/** Sums of 128 numbers of so many bits fit a lane. */
const summedBitsMax: i32 = 23

function decodeSteps(words: usize, rows: i32, width: i32, first: i64, step: i64, out: usize): void {
  if (width > summedBitsMax) return decodeLongSteps(words, rows, width, first, step, out)
  const stop = at8(out, rows)
  const pattern = patternsOf(width)
  const mask = i32x4.splat(<i32>maskOf(width))
  const half = width >>> 1
  const twoSteps = f64x2.splat(<f64>(step + step))
  let line = f64x2(<f64>first, <f64>(first + step))
  let before = i32x4.splat(0)
  let from = words
  for (let to = out; to < stop; to += 64) {
    const sums = runningSums(before, fourNumbers(from, pattern, mask))
    v128.store(to, f64x2.add(line, f64x2.convert_low_i32x4_s(sums)))
    line = f64x2.add(line, twoSteps)
    v128.store(to, f64x2.add(line, f64x2.convert_low_i32x4_s(lastTwo(sums))), 16)
    line = f64x2.add(line, twoSteps)
    before = v128.shuffle<i32>(sums, sums, 3, 3, 3, 3)
    const others = runningSums(before, fourNumbers(from + half, pattern + 32, mask))
    v128.store(to, f64x2.add(line, f64x2.convert_low_i32x4_s(others)), 32)
    line = f64x2.add(line, twoSteps)
    v128.store(to, f64x2.add(line, f64x2.convert_low_i32x4_s(lastTwo(others))), 48)
    line = f64x2.add(line, twoSteps)
    before = v128.shuffle<i32>(others, others, 3, 3, 3, 3)
    from += width
  }
}

/** Each number with those before it. */
function runningSums(before: v128, numbers: v128): v128 {
  const zero = i32x4.splat(0)
  const pairs = i32x4.add(numbers, v128.shuffle<i32>(numbers, zero, 4, 0, 1, 2))
  return i32x4.add(before, i32x4.add(pairs, v128.shuffle<i32>(pairs, zero, 4, 4, 0, 1)))
}

function decodeLongSteps(
  words: usize,
  rows: i32,
  width: i32,
  first: i64,
  step: i64,
  out: usize,
): void {
  const stop = at8(out, rows)
  const mask = maskOf(width)
  let value = first - step
  let bit: usize = 0
  for (let to = out; to < stop; to += 8) {
    value += step + <i64>numberAtBit(words, bit, mask)
    store<f64>(to, <f64>value)
    bit += width
  }
}

/** The part that `valueAt` has decoded last. */
let lookedAt: i32 = -1

/** Opens a block for `valueAt`; false where it cannot be one. */
export function openForSearch(block: usize, end: usize, count: i32): bool {
  lookedAt = -1
  return openParts(block, end, partCount(count)) !== faulty
}

/** Value i of the block that was opened. A part of steps is decoded into `out` for it, which has room for one. */
export function valueAt(i: i32, count: i32, out: usize): f64 {
  const part = i >>> 7
  const k = i & (partRows - 1)
  if (part === lookedAt) return load<f64>(at8(out, k))
  const words = wordsOf(part, count)
  const mark = <i32>load<u8>(widths + part)
  const reference = base + numberOfPart(references, referenceBits, part)
  if (k === 0 && mark >= stepsMark) return <f64>reference
  if (mark <= 32) return <f64>(reference + <i64>numberAtBit(words, k * mark, maskOf(mark)))
  lookedAt = part
  decodePart(part, words, count, out)
  return load<f64>(at8(out, k))
}

/** The place of a part's words. */
function wordsOf(part: i32, count: i32): usize {
  let at = firstWord
  for (let before = 0; before < part; before++) at += wordsAt(before, count) << 2
  return at
}
