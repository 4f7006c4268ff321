// Arrow's stream of record batches, read as it comes: numbers and moments without their texts, so that a million rows
// take a fraction of what they do as JSON. Lists, structures and unions are left to JSON: `Unreadable` says so before
// the first row.
//
// A stream is a sequence of messages: four bytes of ones, the length of its description, the description (a flat
// buffer, whose slots are those of Arrow's Message.fbs and Schema.fbs), and the bytes that it describes.

import { FlatTable } from './flat-table.js'
import { ColumnBuilder, type ColumnKind, type Table } from './result.js'

/** A type that this reader does not know. */
export class Unreadable extends Error {}

const prefixBytes = 8
const headers = { schema: 1, recordBatch: 3 } as const
/** Numbers of Arrow's union of types. */
const types = { integer: 2, float: 3, text: 5, boolean: 6, timestamp: 10 } as const

interface Field {
  readonly builder: ColumnBuilder
  readonly type: number
  /** Of integers; 0: none. */
  readonly bits: number
  readonly isSigned: boolean
}

export class ArrowStream {
  rowCount = 0
  #waiting = new Uint8Array(0)
  #fields: readonly Field[] | undefined

  add(bytes: Uint8Array): void {
    const joined = new Uint8Array(this.#waiting.length + bytes.length)
    joined.set(this.#waiting)
    joined.set(bytes, this.#waiting.length)
    let at = 0
    for (;;) {
      const length = this.#message(joined, at)
      if (length === 0) break
      at += length
    }
    this.#waiting = joined.slice(at)
  }

  finish(): Table[] {
    const fields = this.#fields ?? []
    const columns = fields.map(({ builder }) => builder.finish())
    return columns.length === 0 ? [] : [{ name: '', tags: {}, columns, rowCount: this.rowCount }]
  }

  /** How long the message there is; 0: it has not come as a whole. */
  #message(bytes: Uint8Array, at: number): number {
    if (at + prefixBytes > bytes.length) return 0
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at)
    const described = view.getInt32(4, true)
    if (described === 0) return prefixBytes
    if (prefixBytes + described > view.byteLength) return 0
    const message = FlatTable.root(view, prefixBytes)
    const total = prefixBytes + described + message.long(3)
    if (total > view.byteLength) return 0
    const header = message.table(2)
    if (message.byte(1) === headers.schema) this.#fields = header?.tables(1).map(fieldOf)
    else if (message.byte(1) === headers.recordBatch && header !== undefined) {
      this.#batch(header, bytes, at + prefixBytes + described)
    }
    return total
  }

  #batch(header: FlatTable, bytes: Uint8Array, body: number): void {
    const rowCount = header.long(0)
    const nodes = header.pairs(1)
    const places = header.pairs(2)
    let next = 0
    for (const [i, field] of (this.#fields ?? []).entries()) {
      const buffers = places.slice(next, next + (field.type === types.text ? 3 : 2))
      next += buffers.length
      const cut = buffers.map(([start, length]) =>
        bytes.subarray(body + start, body + start + length),
      )
      const hasNulls = nodes[i][1] > 0
      readColumn(field, rowCount, hasNulls ? cut[0] : undefined, cut.slice(1))
    }
    this.rowCount += rowCount
  }
}

function fieldOf(field: FlatTable): Field {
  const type = field.byte(2)
  const details = field.table(3)
  const bits = type === types.integer ? (details?.int(0) ?? 0) : 0
  const isKnown = Object.values<number>(types).includes(type)
  const isDouble = type !== types.float || details?.short(0) === 2
  const isNanos = type !== types.timestamp || details?.short(0) === 3
  if (!isKnown || !isDouble || !isNanos || field.table(4) !== undefined) {
    throw new Unreadable(`column ${field.text(0)} has a type that is not read from Arrow`)
  }
  const builder = new ColumnBuilder(field.text(0), kindOf(type))
  return { builder, type, bits, isSigned: details?.byte(1) === 1 }
}

function kindOf(type: number): ColumnKind | undefined {
  if (type === types.timestamp) return 'time'
  if (type === types.text) return 'text'
  return type === types.boolean ? undefined : 'number'
}

/** `validity`: a bit for each row that has a value; undefined: all have. */
function readColumn(
  { builder, type, bits, isSigned }: Field,
  rowCount: number,
  validity: Uint8Array | undefined,
  buffers: readonly Uint8Array[],
): void {
  const add = adderOf(builder, type, bits, isSigned, buffers)
  for (let row = 0; row < rowCount; row++) {
    const isThere = validity === undefined || ((validity[row >>> 3] >>> (row & 7)) & 1) === 1
    if (isThere) add(row)
    else builder.nothing()
  }
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
