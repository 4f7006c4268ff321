// Columns of results gathered into Arrow's layouts, piece by piece, until there is enough for a record
// batch. One builder per kind of layout; its memory is used again for the next batch. Whole numbers and
// moments are written as two words of 32 bits: a BigInt per value would cost 24-40 ns, the words cost 2.

import {
  type Column,
  isWide,
  type StringColumn,
  type Validity,
  type WideColumn,
} from '../column/column.js'
import type { TimeColumn } from '../column/time.js'
import type { ListColumn } from '../query/language.js'
import type { ArrowVector } from './arrow-batch.js'

const noBytes = new Uint8Array(0)

/** One bit per row. As long as every bit is set there is no bitmap. */
class Bitmap {
  #bytes = new Uint8Array(128)
  #rowCount = 0
  unsetCount = 0

  reset(): void {
    this.#rowCount = 0
    this.unsetCount = 0
  }

  /** Flags of one byte each; undefined: all are set. */
  append(flags: Uint8Array | undefined, from: number, to: number): void {
    const first = this.#rowCount
    this.#rowCount += to - from
    if (flags === undefined || !hasZero(flags, from, to)) {
      if (this.unsetCount > 0) this.#set(first, this.#rowCount)
      return
    }
    if (this.unsetCount === 0) this.#begin(first)
    this.#grow()
    const bytes = this.#bytes
    let unset = 0
    for (let row = from, at = first; row < to; row++, at++) {
      if ((at & 7) === 0) bytes[at >> 3] = 0
      if (flags[row] === 0) unset++
      else bytes[at >> 3] |= 1 << (at & 7)
    }
    this.unsetCount += unset
  }

  /** Rows without a bit set. */
  appendUnset(count: number): void {
    const first = this.#rowCount
    this.#rowCount += count
    if (count === 0) return
    if (this.unsetCount === 0) this.#begin(first)
    this.#grow()
    for (let at = first; at < this.#rowCount; at++) if ((at & 7) === 0) this.#bytes[at >> 3] = 0
    this.unsetCount += count
  }

  /** Empty where every bit is set. */
  taken(): Uint8Array {
    return this.unsetCount === 0 ? noBytes : this.#bytes.subarray(0, (this.#rowCount + 7) >> 3)
  }

  /** The bitmap with all bits, also where every one is set. */
  takenWhole(): Uint8Array {
    if (this.unsetCount === 0) {
      this.#grow()
      this.#set(0, this.#rowCount)
    }
    return this.#bytes.subarray(0, (this.#rowCount + 7) >> 3)
  }

  #begin(rowCount: number): void {
    this.#grow()
    this.#set(0, rowCount)
  }

  #set(from: number, to: number): void {
    this.#grow()
    for (let at = from; at < to; at++) {
      if ((at & 7) === 0) this.#bytes[at >> 3] = 0
      this.#bytes[at >> 3] |= 1 << (at & 7)
    }
  }

  #grow(): void {
    const needed = (this.#rowCount + 7) >> 3
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(2 * needed)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

function hasZero(flags: Uint8Array, from: number, to: number): boolean {
  for (let row = from; row < to; row++) if (flags[row] === 0) return true
  return false
}

/** Values of 64 bits: floats, whole numbers, moments. */
export class WordBuilder {
  #floats = new Float64Array(1024)
  #words = new Int32Array(this.#floats.buffer)
  #wides = new BigInt64Array(this.#floats.buffer)
  #rowCount = 0
  readonly #validity = new Bitmap()

  get bytes(): number {
    return 8 * this.#rowCount
  }

  appendFloats(column: Column, from: number, to: number): void {
    const at = this.#start(column.validity, from, to)
    if (isWide(column)) {
      for (let row = from; row < to; row++)
        this.#floats[at + row - from] = Number(column.values[row])
    } else {
      this.#floats.set((column.values as Float64Array).subarray(from, to), at)
    }
  }

  appendIntegers(column: Column, from: number, to: number): void {
    const at = this.#start(column.validity, from, to)
    if (isWide(column)) this.#appendWides(column, from, to, at)
    else writeIntegers(this.#words, at, column.values as Float64Array, from, to)
  }

  appendTimes(times: TimeColumn, validity: Validity, from: number, to: number): void {
    const at = this.#start(validity, from, to)
    writeTimes(this.#words, at, times, from, to)
  }

  #appendWides(column: WideColumn, from: number, to: number, at: number): void {
    const { values } = column
    // The bits of an unsigned number are the same; typed arrays copy them as they are.
    const signed = new BigInt64Array(values.buffer, values.byteOffset, values.length)
    this.#wides.set(signed.subarray(from, to), at)
  }

  #start(validity: Validity, from: number, to: number): number {
    const at = this.#rowCount
    this.#rowCount += to - from
    this.#validity.append(validity, from, to)
    if (this.#rowCount > this.#floats.length) {
      const larger = new Float64Array(2 * this.#rowCount)
      larger.set(this.#floats.subarray(0, at))
      this.#floats = larger
      this.#words = new Int32Array(larger.buffer)
      this.#wides = new BigInt64Array(larger.buffer)
    }
    return at
  }

  take(): ArrowVector {
    const values = new Uint8Array(this.#floats.buffer, 0, 8 * this.#rowCount)
    const { unsetCount: nullCount } = this.#validity
    return { rowCount: this.#rowCount, nullCount, buffers: [this.#validity.taken(), values] }
  }

  reset(): void {
    this.#rowCount = 0
    this.#validity.reset()
  }
}

const wordSpan = 2 ** 32

/** Safe integers; fractions, which only a fill can bring, are cut off. */
function writeIntegers(
  words: Int32Array,
  start: number,
  values: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from, at = 2 * start; row < to; row++, at += 2) {
    const value = Math.trunc(values[row])
    words[at] = value
    words[at + 1] = Math.floor(value / wordSpan)
  }
}

function writeTimes(
  words: Int32Array,
  start: number,
  times: TimeColumn,
  from: number,
  to: number,
): void {
  const { offsets } = times
  const base = BigInt.asUintN(64, times.base)
  const baseLow = Number(base & 0xffffffffn)
  const baseHigh = Number(base >> 32n)
  for (let row = from, at = 2 * start; row < to; row++, at += 2) {
    const offset = offsets[row]
    const low = baseLow + (offset >>> 0)
    words[at] = low
    words[at + 1] = baseHigh + Math.floor(offset / wordSpan) + (low >= wordSpan ? 1 : 0)
  }
}

export class BooleanBuilder {
  readonly #values = new Bitmap()
  readonly #validity = new Bitmap()
  #rowCount = 0

  get bytes(): number {
    return this.#rowCount >> 3
  }

  append(values: Uint8Array, validity: Validity, from: number, to: number): void {
    this.#rowCount += to - from
    this.#values.append(values, from, to)
    this.#validity.append(validity, from, to)
  }

  take(): ArrowVector {
    const { unsetCount: nullCount } = this.#validity
    const buffers = [this.#validity.taken(), this.#values.takenWhole()]
    return { rowCount: this.#rowCount, nullCount, buffers }
  }

  reset(): void {
    this.#rowCount = 0
    this.#values.reset()
    this.#validity.reset()
  }
}

/** Below this many bytes a loop is faster than a call that copies. */
const loopBytesMax = 24

/** Texts, or bytes of any kind. */
export class TextBuilder {
  #offsets = new Int32Array(1025)
  #bytes = Buffer.alloc(16 * 1024)
  #rowCount = 0
  #length = 0
  readonly #validity = new Bitmap()

  get bytes(): number {
    return this.#length + 4 * this.#rowCount
  }

  append(column: StringColumn, from: number, to: number): void {
    const { values, validity, dictionary } = column
    const starts = dictionary.offsets
    this.#start(validity, from, to, textBytes(column, from, to))
    const { buffer, byteOffset, length: sourceLength } = dictionary.bytes
    const source = Buffer.from(buffer as ArrayBuffer, byteOffset, sourceLength)
    const bytes = this.#bytes
    const offsets = this.#offsets
    let length = this.#length
    for (let row = from, at = this.#rowCount - (to - from); row < to; row++) {
      if (validity === undefined || validity[row] !== 0) {
        const start = starts[values[row]]
        const end = starts[values[row] + 1]
        if (end - start < loopBytesMax) {
          for (let i = start; i < end; i++) bytes[length++] = source[i]
        } else {
          source.copy(bytes, length, start, end)
          length += end - start
        }
      }
      offsets[++at] = length
    }
    this.#length = length
  }

  /** The same in so many rows; undefined: no value. */
  appendSame(text: Uint8Array | undefined, count: number): void {
    if (text === undefined) return this.appendMissing(count)
    this.#start(undefined, 0, count, text.length * count)
    const first = this.#rowCount - count
    const start = this.#length
    const end = start + text.length * count
    if (end > start) {
      // Copied in pieces that double: a call per row takes four times as long.
      this.#bytes.set(text, start)
      for (let at = start + text.length; at < end; at += at - start) {
        this.#bytes.copyWithin(at, start, Math.min(at, start + end - at))
      }
    }
    for (let i = 1; i <= count; i++) this.#offsets[first + i] = start + text.length * i
    this.#length = end
  }

  appendMissing(count: number): void {
    this.#reserve(count, 0)
    this.#validity.appendUnset(count)
    const first = this.#rowCount - count
    for (let i = 0; i < count; i++) this.#offsets[first + i + 1] = this.#length
  }

  #start(validity: Validity, from: number, to: number, byteCount: number): void {
    this.#reserve(to - from, byteCount)
    this.#validity.append(validity, from, to)
  }

  #reserve(rowCount: number, byteCount: number): void {
    this.#rowCount += rowCount
    if (this.#rowCount >= this.#offsets.length) {
      const larger = new Int32Array(2 * this.#rowCount + 1)
      larger.set(this.#offsets)
      this.#offsets = larger
    }
    if (this.#length + byteCount > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + byteCount))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
  }

  take(): ArrowVector {
    const offsets = new Uint8Array(this.#offsets.buffer, 0, 4 * (this.#rowCount + 1))
    const { unsetCount: nullCount } = this.#validity
    const buffers = [this.#validity.taken(), offsets, this.#bytes.subarray(0, this.#length)]
    return { rowCount: this.#rowCount, nullCount, buffers }
  }

  reset(): void {
    this.#rowCount = 0
    this.#length = 0
    this.#validity.reset()
  }
}

/** How long the texts of the rows are together. */
export function textBytes(column: StringColumn, from: number, to: number): number {
  const { values, validity, dictionary } = column
  const { offsets } = dictionary
  let bytes = 0
  for (let row = from; row < to; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    bytes += offsets[values[row] + 1] - offsets[values[row]]
  }
  return bytes
}

/** What all rows of a piece share, once for each piece: where the piece ends, and the value in a builder of its own. */
export class RunBuilder<B extends { readonly bytes: number; take(): ArrowVector; reset(): void }> {
  readonly values: B
  readonly #ends: number[] = []
  #rowCount = 0

  constructor(values: B) {
    this.values = values
  }

  get bytes(): number {
    return this.values.bytes + 4 * this.#ends.length
  }

  /** After the value was added to `values`. */
  append(rowCount: number): void {
    this.#rowCount += rowCount
    this.#ends.push(this.#rowCount)
  }

  take(): ArrowVector {
    const ends = new Uint8Array(Int32Array.from(this.#ends).buffer)
    const runs = { rowCount: this.#ends.length, nullCount: 0, buffers: [noBytes, ends] }
    const children = [runs, this.values.take()]
    return { rowCount: this.#rowCount, nullCount: 0, buffers: [], children }
  }

  reset(): void {
    this.#ends.length = 0
    this.#rowCount = 0
    this.values.reset()
  }
}

/** Lists of texts. */
export class ListBuilder {
  #offsets = new Int32Array(129)
  #rowCount = 0
  #itemCount = 0
  readonly #items = new TextBuilder()
  readonly #validity = new Bitmap()
  readonly #encoder = new TextEncoder()

  get bytes(): number {
    return this.#items.bytes + 4 * this.#rowCount
  }

  append(column: ListColumn, from: number, to: number): void {
    this.#validity.append(column.validity, from, to)
    for (let row = from; row < to; row++) {
      if (column.validity === undefined || column.validity[row] !== 0) {
        for (const text of column.lists[row]) this.#items.appendSame(this.#encoder.encode(text), 1)
        this.#itemCount += column.lists[row].length
      }
      this.#end()
    }
  }

  #end(): void {
    if (++this.#rowCount >= this.#offsets.length) {
      const larger = new Int32Array(2 * this.#rowCount)
      larger.set(this.#offsets)
      this.#offsets = larger
    }
    this.#offsets[this.#rowCount] = this.#itemCount
  }

  take(): ArrowVector {
    const offsets = new Uint8Array(this.#offsets.buffer, 0, 4 * (this.#rowCount + 1))
    const { unsetCount: nullCount } = this.#validity
    const buffers = [this.#validity.taken(), offsets]
    return { rowCount: this.#rowCount, nullCount, buffers, children: [this.#items.take()] }
  }

  reset(): void {
    this.#rowCount = 0
    this.#itemCount = 0
    this.#items.reset()
    this.#validity.reset()
  }
}
