// The inner loops of encoding and decoding (`kernels/`), and the memory that they work in: values, blocks and marks are
// copied there and back, which takes a tenth of what the loops take. One for each thread, made when it is first needed.

import { UserError } from '../../../errors.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import kernelBytes from './kernels.wasm'

type Place = number

/** What `kernels/index.ts` exports. Kernels that read or write a block return the place behind it. */
interface Kernels {
  encodeIntegers(values: Place, count: number, out: Place, plan: Place): Place
  encodeFloats(values: Place, count: number, out: Place, integers: Place, plan: Place): Place
  encodePlanes(values: Place, count: number, out: Place): Place
  encodePresence(validity: Place, rowCount: number, out: Place): Place
  decodeIntegers: Decode
  decodeFloats: Decode
  decodePlanes: Decode
  decodePresence: Decode
  lowerBound(
    block: Place,
    end: Place,
    count: number,
    out: Place,
    start: number,
    stop: number,
    offset: number,
    first: number,
    origin: number,
    step: number,
    scale: number,
  ): number
  gather(values: Place, validity: Place, rowCount: number, out: Place): number
  place(
    dense: Place,
    before: number,
    present: number,
    validity: Place,
    from: number,
    to: number,
    out: Place,
  ): void
  summarize(values: Place, count: number): void
  residualsOf(
    times: Place,
    ends: Place,
    seriesCount: number,
    step: number,
    firsts: Place,
    residuals: Place,
  ): number
  addLine(values: Place, from: number, to: number, first: number, step: number, scale: number): void
  readonly faultKind: { readonly value: number }
  readonly faultDetail: { readonly value: number }
  readonly presentBefore: { readonly value: number }
  readonly presentWithin: { readonly value: number }
  readonly presentTotal: { readonly value: number }
  readonly least: { readonly value: number }
  readonly greatest: { readonly value: number }
  readonly sum: { readonly value: number }
}

/** What a block holds from value `from` up to `to` goes to `out`. */
type Decode = (
  block: Place,
  end: Place,
  count: number,
  out: Place,
  from: number,
  to: number,
) => Place

export type Values64 = Float64Array | BigInt64Array | BigUint64Array

/** Row i of a series is at first + (i - origin) * step + value i * scale. */
export interface TimeSearch {
  readonly start: number
  readonly stop: number
  readonly offset: number
  readonly first: number
  readonly origin: number
  readonly step: number
  readonly scale: number
}

/** As `kernels/faults.ts` numbers them. */
const faults = [
  '',
  'unexpected end',
  'bit width',
  'numbers with so many bits:',
  'unknown scheme',
  'exception outside the block',
  'presence',
]

/** Most row groups have no more. */
const rowsMin = 4096
/** A kernel may read and write as far beyond the end of what it works on: a part of 128 values. */
const slackBytes = 1024
const pageBytes = 65536
/** The first page is the compiler's: what kernels keep themselves. */
const ownBytes = pageBytes

let kernelModule: WebAssembly.Module | undefined
let current: Codec | undefined

/** The thread's, with room for so many rows; what was in its memory may be gone. */
export function codecFor(rows: number): Codec {
  if (current === undefined || current.rows < rows) {
    // Another one, since memory that grows is another buffer: V8 checks each access once one was detached.
    current = new Codec(Math.max(rowsMin, rows * 2))
  }
  return current
}

export class Codec {
  readonly rows: number
  readonly kernels: Kernels
  readonly floats: Float64Array
  readonly bytes: Uint8Array
  readonly #numbers: Uint32Array
  /** Places. Values to be encoded, or that were decoded. */
  readonly values: Place
  /** As large: values on their way. */
  readonly work: Place
  readonly validity: Place
  readonly block: Place
  readonly #plan: Place
  readonly #firsts: Place
  readonly #ends: Place

  constructor(rows: number) {
    this.rows = rows
    this.values = ownBytes
    this.work = behind(this.values, rows * 8)
    this.#firsts = behind(this.work, rows * 8)
    this.#ends = behind(this.#firsts, rows * 8)
    this.validity = behind(this.#ends, rows * 4)
    this.#plan = behind(this.validity, rows)
    this.block = behind(this.#plan, (rows / 128) * 24)
    const memory = new WebAssembly.Memory({
      initial: Math.ceil(behind(this.block, blockBytesMax(rows)) / pageBytes),
    })
    kernelModule ??= new WebAssembly.Module(kernelBytes)
    const { exports } = new WebAssembly.Instance(kernelModule, { env: { memory } })
    this.kernels = exports as unknown as Kernels
    this.floats = new Float64Array(memory.buffer)
    this.bytes = new Uint8Array(memory.buffer)
    this.#numbers = new Uint32Array(memory.buffer)
  }

  /** `count` values, from `values` on. */
  take(values: Values64, count: number): void {
    this.bytes.set(new Uint8Array(values.buffer, values.byteOffset, count * 8), this.values)
  }

  takeValidity(validity: Uint8Array, rowCount: number): void {
    this.bytes.set(validity.subarray(0, rowCount), this.validity)
  }

  /** Values of the rows that have one, one behind the other; gives their place. */
  gather(rowCount: number): Place {
    this.kernels.gather(this.values, this.validity, rowCount, this.work)
    return this.work
  }

  /** The reverse, for some rows; `before`: how many of all values belong to rows before them. */
  spread(before: number, present: number, firstRow: number, stopRow: number): Place {
    const { kernels, values, validity, work } = this
    kernels.place(values, before, present, validity, firstRow, stopRow, work)
    return work
  }

  summary(count: number, values: Place): { min: number; max: number; sum: number } {
    const { kernels } = this
    kernels.summarize(values, count)
    return { min: kernels.least.value, max: kernels.greatest.value, sum: kernels.sum.value }
  }

  writeIntegers(writer: ByteWriter, count: number, values = this.values): void {
    this.#append(writer, this.kernels.encodeIntegers(values, count, this.block, this.#plan))
  }

  writeFloats(writer: ByteWriter, count: number, values = this.values): void {
    // What was gathered lies where the integers go otherwise.
    const integers = values === this.work ? this.values : this.work
    const { block } = this
    this.#append(writer, this.kernels.encodeFloats(values, count, block, integers, this.#plan))
  }

  writePlanes(writer: ByteWriter, count: number, values = this.values): void {
    this.#append(writer, this.kernels.encodePlanes(values, count, this.block))
  }

  /** Of the rows whose validity was taken. */
  writePresence(writer: ByteWriter, rowCount: number): void {
    this.#append(writer, this.kernels.encodePresence(this.validity, rowCount, this.block))
  }

  /** Of times that were taken; gives what they are multiples of. The residuals are in `work` then. */
  residuals(ends: ArrayLike<number>, seriesCount: number, step: number): number {
    this.#numbers.set(ends, this.#ends >>> 2)
    const { values, work } = this
    return this.kernels.residualsOf(values, this.#ends, seriesCount, step, this.#firsts, work)
  }

  writeFirsts(writer: ByteWriter, seriesCount: number): void {
    this.writeIntegers(writer, seriesCount, this.#firsts)
  }

  #append(writer: ByteWriter, end: Place): void {
    writer.raw(this.bytes.subarray(this.block, end))
  }

  /** The block that the reader stands at, as far as one of so many values may reach; gives the place behind it. */
  #open(reader: ByteReader, count: number): Place {
    const { offset, bytes } = reader
    const length = Math.min(reader.remaining, blockBytesMax(count))
    this.bytes.set(bytes.subarray(offset, offset + length), this.block)
    return this.block + length
  }

  /** Decodes the block that the reader stands at into `values`; the reader moves behind it. */
  decode(decode: Decode, reader: ByteReader, count: number, from: number, to: number): void {
    this.#decode(decode, reader, count, this.values, from, to)
  }

  /** The same into `validity`. */
  readPresence(reader: ByteReader, rowCount: number, from: number, to: number): void {
    this.#decode(this.kernels.decodePresence, reader, rowCount, this.validity, from, to)
  }

  #decode(
    decode: Decode,
    reader: ByteReader,
    count: number,
    out: Place,
    from: number,
    to: number,
  ): void {
    const end = decode(this.block, this.#open(reader, count), count, out, from, to)
    if (end === 0) this.#fail(reader)
    reader.skip(end - this.block)
  }

  /** The first row of some of a series whose moment is not before another one; see the kernel of this name. */
  lowerBound(reader: ByteReader, count: number, search: TimeSearch): number {
    const { kernels, block, values } = this
    const { start, stop, offset, first, origin, step, scale } = search
    const end = this.#open(reader, count)
    const { lowerBound } = kernels
    const row = lowerBound(
      block,
      end,
      count,
      values,
      start,
      stop,
      offset,
      first,
      origin,
      step,
      scale,
    )
    return row < 0 ? this.#fail(reader) : row
  }

  /** With what the last kernel has found to be wrong. */
  #fail(reader: ByteReader): never {
    const { faultKind, faultDetail } = this.kernels
    const detail = faultDetail.value === 0 ? '' : ` ${faultDetail.value}`
    reader.fail(`${faults[faultKind.value]}${detail}`)
  }

  /** Values of 64 bits, whatever they mean, to the same places of an array. */
  copy(place: Place, from: number, to: number, out: BigInt64Array): void {
    const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength)
    bytes.set(this.bytes.subarray(place + from * 8, place + to * 8), from * 8)
  }

  copyValidity(out: Uint8Array, from: number, to: number): void {
    out.set(this.bytes.subarray(this.validity + from, this.validity + to), from)
  }

  /** Values that lie in `values` or `work`. */
  part(place: Place, from: number, to: number): Float64Array {
    const first = place >>> 3
    return this.floats.subarray(first + from, first + to)
  }
}

/** Throws where no kernel can run: told when a store is opened, not by the first flush. */
export function requireKernels(): void {
  try {
    new WebAssembly.Memory({ initial: 1 })
  } catch {
    const how = 'start it with NODE_OPTIONS=--disable-wasm-trap-handler'
    throw new UserError('invalid', `V8 finds no room for its addresses (ulimit -v): ${how}`)
  }
}

/** What comes behind so many bytes, and begins on a multiple of eight. */
function behind(place: Place, byteLength: number): Place {
  return (place + byteLength + slackBytes + 7) & ~7
}

/** At most so many bytes has a block of so many values, whatever its scheme. */
function blockBytesMax(count: number): number {
  return 64 + count * 9 + (count / 128 + 1) * 32
}
