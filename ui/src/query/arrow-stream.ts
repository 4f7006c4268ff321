// Arrow's stream of record batches, read as it comes: numbers and moments without their texts, so that a million rows
// take a fraction of what they do as JSON. Lists, structures and unions are left to JSON: `Unreadable` says so before
// the first row.
//
// A stream is a sequence of messages: four bytes of ones, the length of its description, the description (a flat
// buffer, whose slots are those of Arrow's Message.fbs and Schema.fbs), and the bytes that it describes.

import { type Grouping, groupingOf } from './arrow-groups.js'
import { FlatTable } from './flat-table.js'
import { ColumnBuilder, type ColumnKind, cellText, type Table } from './result.js'

/** A type that this reader does not know. */
export class Unreadable extends Error {}

const prefixBytes = 8
const headers = { schema: 1, recordBatch: 3 } as const
/** Numbers of Arrow's union of types. */
const types = { integer: 2, float: 3, text: 5, boolean: 6, timestamp: 10 } as const
/** Rows with the same value one behind the other: where each such run ends, and what it has. */
const runType = 22

interface Field {
  readonly name: string
  readonly type: number
  /** Of integers; 0: none. */
  readonly bits: number
  readonly isSigned: boolean
  /** Whether its values are told once for each run of rows. */
  readonly hasRuns: boolean
}

/** One column of a batch. `validity`: a bit for each row that has a value; undefined: all have. */
interface Vector {
  readonly field: Field
  readonly validity: Uint8Array | undefined
  readonly buffers: readonly Uint8Array[]
  /** The row behind each run; the buffers have a value for each of them. Undefined: one for each row. */
  readonly runEnds?: Int32Array
}

interface OpenTable {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
  readonly builders: readonly ColumnBuilder[]
  rowCount: number
}

export class ArrowStream {
  rowCount = 0
  /** Whether the end mark was the last that came: an answer that breaks off has failed. */
  isWhole = false
  readonly #isFlux: boolean
  readonly #waiting = new WaitingBytes()
  readonly #tables: Table[] = []
  #fields: readonly Field[] = []
  #grouping: Grouping | undefined
  #open: OpenTable | undefined
  /** Of the last row: they tell whether the next batch goes on with its table. */
  #lastKeys: readonly string[] = []

  /** `isFlux`: tables are told apart by their first two columns. */
  constructor(isFlux = false) {
    this.#isFlux = isFlux
  }

  add(bytes: Uint8Array): void {
    const joined = this.#waiting.add(bytes)
    let at = 0
    for (;;) {
      const length = this.#message(joined, at)
      if (length === 0) break
      at += length
    }
    this.#waiting.drop(at)
  }

  finish(): Table[] {
    this.#endTable()
    return this.#tables
  }

  /** How long the message there is; 0: it has not come as a whole. */
  #message(bytes: Uint8Array, at: number): number {
    if (at + prefixBytes > bytes.length) return 0
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at)
    const described = view.getInt32(4, true)
    if (described === 0) {
      this.isWhole = true
      return prefixBytes
    }
    if (prefixBytes + described > view.byteLength) return 0
    const message = FlatTable.root(view, prefixBytes)
    const total = prefixBytes + described + message.long(3)
    if (total > view.byteLength) return 0
    this.isWhole = false
    const header = message.table(2)
    if (message.byte(1) === headers.schema && header !== undefined) this.#schema(header)
    else if (message.byte(1) === headers.recordBatch && header !== undefined) {
      this.#batch(header, bytes, at + prefixBytes + described)
    }
    return total
  }

  #schema(header: FlatTable): void {
    this.#endTable()
    this.#fields = header.tables(1).map(fieldOf)
    this.#grouping = groupingOf(header, this.#isFlux)
    // Of one table its columns are known before its first row, and without any.
    if (this.#grouping === undefined && !this.#isFlux) this.#open = this.#tableOf([], 0)
  }

  #batch(header: FlatTable, bytes: Uint8Array, body: number): void {
    const rowCount = header.long(0)
    const vectors = this.#vectors(header, bytes, body)
    for (let row = 0; row < rowCount; ) {
      const end = this.#grouping === undefined ? rowCount : this.#endOfRun(vectors, row, rowCount)
      if (!this.#goesOn(vectors, row)) {
        this.#endTable()
        this.#open = this.#tableOf(vectors, row)
      }
      this.#addRows(vectors, row, end)
      row = end
    }
    if (rowCount > 0) this.#lastKeys = this.#keysOf(vectors, rowCount - 1)
    this.rowCount += rowCount
  }

  #vectors(header: FlatTable, bytes: Uint8Array, body: number): Vector[] {
    const nodes = header.pairs(1).values()
    const places = header.pairs(2).values()
    const taken = (count: number) =>
      Array.from({ length: count }, () => {
        const [start, length] = places.next().value!
        return bytes.subarray(body + start, body + start + length)
      })
    const nullCount = () => nodes.next().value![1]
    return this.#fields.map((field) => {
      let runEnds: Int32Array | undefined
      if (field.hasRuns) {
        // The run itself has neither values nor a bitmap, and its ends are all there.
        nullCount()
        nullCount()
        runEnds = int32sOf(taken(2)[1])
      }
      const hasNulls = nullCount() > 0
      const [validity, ...buffers] = taken(field.type === types.text ? 3 : 2)
      const vector = { field, validity: hasNulls ? validity : undefined, buffers }
      return runEnds === undefined ? vector : { ...vector, runEnds }
    })
  }

  #goesOn(vectors: readonly Vector[], row: number): boolean {
    if (this.#open === undefined) return false
    if (this.#grouping === undefined) return true
    if (row > 0) return false
    return this.#keysOf(vectors, 0).every((key, i) => key === this.#lastKeys[i])
  }

  /** What is not there is another key than what is empty. */
  #keysOf(vectors: readonly Vector[], row: number): string[] {
    const keys = this.#grouping?.keys ?? []
    return keys.map((key) => {
      const vector = vectors[key]
      return `${isThere(vector, placeOf(vector, row))} ${cellOf(vector, row)}`
    })
  }

  #endOfRun(vectors: readonly Vector[], start: number, rowCount: number): number {
    let end = rowCount
    for (const key of this.#grouping!.keys) end = endOfSame(vectors[key], start, end)
    return end
  }

  #tableOf(vectors: readonly Vector[], row: number): OpenTable {
    const grouping = this.#grouping
    const builders = this.#fields.map(({ name, type }) => new ColumnBuilder(name, kindOf(type)))
    if (grouping === undefined) return { name: '', tags: {}, builders, rowCount: 0 }
    const textOf = (column: number) => cellOf(vectors[column], row)
    const tags = Object.fromEntries(
      [...grouping.tags].map(([name, column]) => [name, textOf(column)] as const),
    )
    return { name: textOf(grouping.name), tags, builders, rowCount: 0 }
  }

  #addRows(vectors: readonly Vector[], start: number, stop: number): void {
    const { hidden, tags } = this.#grouping ?? noGrouping
    const open = this.#open!
    const same = new Set(tags.values())
    for (const [i, vector] of vectors.entries()) {
      if (hidden.has(i)) continue
      if (!same.has(i)) readRows(open.builders[i], vector, start, stop)
      else {
        readRows(open.builders[i], vector, start, start + 1)
        open.builders[i].repeat(stop - start - 1)
      }
    }
    open.rowCount += stop - start
  }

  #endTable(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return
    const hidden = this.#grouping?.hidden
    const shown = open.builders.filter((_, i) => hidden?.has(i) !== true)
    const columns = shown.map((builder) => builder.finish())
    if (columns.length === 0) return
    this.#tables.push({ name: open.name, tags: open.tags, columns, rowCount: open.rowCount })
  }
}

const noGrouping: Grouping = { keys: [], name: 0, tags: new Map(), hidden: new Set() }

/** Bytes that wait until their message is whole: grows by doubling, so that each is copied a few times only. */
class WaitingBytes {
  #bytes = new Uint8Array(0)
  #length = 0

  /** All that waits; valid until the next call. */
  add(bytes: Uint8Array): Uint8Array {
    const length = this.#length + bytes.length
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(bytes, this.#length)
    this.#length = length
    return this.#bytes.subarray(0, length)
  }

  drop(count: number): void {
    this.#bytes.copyWithin(0, count, this.#length)
    this.#length -= count
  }
}

function fieldOf(field: FlatTable): Field {
  if (field.byte(2) !== runType) return valueFieldOf(field)
  const [ends, values] = field.tables(5)
  if (ends?.table(3)?.int(0) !== 32 || values === undefined) {
    throw new Unreadable(`column ${field.text(0)} has runs that are not read from Arrow`)
  }
  return { ...valueFieldOf(values), name: field.text(0), hasRuns: true }
}

function valueFieldOf(field: FlatTable): Field {
  const type = field.byte(2)
  const details = field.table(3)
  const bits = type === types.integer ? (details?.int(0) ?? 0) : 0
  const isKnown = Object.values<number>(types).includes(type)
  const isDouble = type !== types.float || details?.short(0) === 2
  const isNanos = type !== types.timestamp || details?.short(0) === 3
  if (!isKnown || !isDouble || !isNanos || field.table(4) !== undefined) {
    throw new Unreadable(`column ${field.text(0)} has a type that is not read from Arrow`)
  }
  const isSigned = details?.byte(1) === 1
  return { name: field.text(0), type, bits, isSigned, hasRuns: false }
}

function kindOf(type: number): ColumnKind {
  if (type === types.timestamp) return 'time'
  if (type === types.text) return 'text'
  return type === types.boolean ? 'boolean' : 'number'
}

/** `place`: a row, or the run that it is in. */
function isThere({ validity }: Vector, place: number): boolean {
  return validity === undefined || ((validity[place >>> 3] >>> (place & 7)) & 1) === 1
}

/** Where a row's value lies. */
function placeOf({ runEnds }: Vector, row: number): number {
  if (runEnds === undefined) return row
  let [low, high] = [0, runEnds.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (runEnds[middle] <= row) low = middle + 1
    else high = middle
  }
  return low
}

function readRows(builder: ColumnBuilder, vector: Vector, start: number, stop: number): void {
  const { runEnds } = vector
  if (runEnds === undefined) return readPlaces(builder, vector, start, stop)
  for (let row = start, run = placeOf(vector, start); row < stop; run++) {
    const end = Math.min(stop, runEnds[run])
    readPlaces(builder, vector, run, run + 1)
    builder.repeat(end - row - 1)
    row = end
  }
}

function readPlaces(builder: ColumnBuilder, vector: Vector, start: number, stop: number): void {
  const { field, validity, buffers } = vector
  if (field.type === types.float && validity === undefined) {
    builder.numbers(doublesOf(buffers[0], start, stop))
    return
  }
  const add = adderOf(builder, field.type, field.bits, field.isSigned, buffers)
  for (let row = start; row < stop; row++) {
    if (isThere(vector, row)) add(row)
    else builder.nothing()
  }
}

/** Copied: they may lie anywhere. */
function int32sOf({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}

/** Copied where they do not lie at a multiple of eight bytes. */
function doublesOf({ buffer, byteOffset }: Uint8Array, start: number, stop: number): Float64Array {
  const from = byteOffset + start * 8
  if (from % 8 === 0) return new Float64Array(buffer, from, stop - start)
  return new Float64Array(buffer.slice(from, from + (stop - start) * 8))
}

/** Up to where rows have what the row at `start` has. */
function endOfSame(vector: Vector, start: number, stop: number): number {
  const { runEnds } = vector
  if (runEnds === undefined) return endOfSamePlaces(vector, start, stop)
  const last = endOfSamePlaces(vector, placeOf(vector, start), runEnds.length) - 1
  return Math.min(stop, runEnds[last])
}

/** Texts, or numbers of eight bytes. */
function endOfSamePlaces(vector: Vector, start: number, stop: number): number {
  const { field, validity, buffers } = vector
  const hasValue = isThere(vector, start)
  const view = new DataView(buffers[0].buffer, buffers[0].byteOffset, buffers[0].byteLength)
  let end = start + 1
  if (field.type === types.text) {
    const at = view.getInt32(start * 4, true)
    const length = view.getInt32(start * 4 + 4, true) - at
    for (; end < stop; end++) {
      if (validity !== undefined && isThere(vector, end) !== hasValue) break
      const other = view.getInt32(end * 4, true)
      if (view.getInt32(end * 4 + 4, true) - other !== length) break
      if (!isSame(buffers[1], at, other, length)) break
    }
    return end
  }
  const [low, high] = [view.getInt32(start * 8, true), view.getInt32(start * 8 + 4, true)]
  while (
    end < stop &&
    view.getInt32(end * 8, true) === low &&
    view.getInt32(end * 8 + 4, true) === high &&
    isThere(vector, end) === hasValue
  ) {
    end++
  }
  return end
}

/** Spelt as annotated CSV spells it. */
function cellOf(vector: Vector, row: number): string {
  const builder = new ColumnBuilder('', kindOf(vector.field.type))
  readRows(builder, vector, row, row + 1)
  const column = builder.finish()
  const text = cellText(column, 0)
  return column.kind === 'time' ? text.replace(/(\.\d*?)0+Z$/, '$1Z') : text
}

function adderOf(
  builder: ColumnBuilder,
  type: number,
  bits: number,
  isSigned: boolean,
  buffers: readonly Uint8Array[],
): (row: number) => void {
  const [values] = buffers
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
  switch (type) {
    case types.float:
      return (row) => builder.number(view.getFloat64(row * 8, true))
    case types.timestamp:
      return (row) => addMoment(builder, view, row * 8)
    case types.boolean:
      return (row) => builder.boolean(((values[row >>> 3] >>> (row & 7)) & 1) === 1)
    case types.text:
      return textAdder(builder, view, buffers[1])
    default:
      return (row) => builder.number(integerAt(view, row, bits, isSigned))
  }
}

function integerAt(view: DataView, row: number, bits: number, isSigned: boolean): number {
  switch (bits) {
    case 8:
      return isSigned ? view.getInt8(row) : view.getUint8(row)
    case 16:
      return isSigned ? view.getInt16(row * 2, true) : view.getUint16(row * 2, true)
    case 32:
      return isSigned ? view.getInt32(row * 4, true) : view.getUint32(row * 4, true)
    default:
      return Number(isSigned ? view.getBigInt64(row * 8, true) : view.getBigUint64(row * 8, true))
  }
}

/** Two to the 32nd nanoseconds are 4,294 ms and 967,296 ns: no step leaves the exact numbers. */
function addMoment(builder: ColumnBuilder, view: DataView, at: number): void {
  const high = view.getInt32(at + 4, true)
  const rest = high * 967_296 + view.getUint32(at, true)
  const restMs = Math.floor(rest / 1e6)
  builder.time(high * 4294 + restMs, rest - restMs * 1e6)
}

/** Rows of a series have the same tags: what is the same as before is not spelt again. */
function textAdder(
  builder: ColumnBuilder,
  ends: DataView,
  bytes: Uint8Array,
): (row: number) => void {
  const decoder = new TextDecoder()
  let lastStart = 0
  let lastLength = -1
  return (row) => {
    const start = ends.getInt32(row * 4, true)
    const length = ends.getInt32(row * 4 + 4, true) - start
    if (length === lastLength && isSame(bytes, start, lastStart, length)) builder.again()
    else builder.text(decoder.decode(bytes.subarray(start, start + length)))
    lastStart = start
    lastLength = length
  }
}

function isSame(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
  return true
}
