// A batch of an answer as bytes, from an engine to the service: typed arrays as they are, each filled up to a
// multiple of 8 bytes, so that the reader makes views and copies nothing. Little endian.
//
//     0          4
//     | rowCount | columnCount | columns ...
//
//     column
//     0      4          8           12
//     | kind | hasHoles | textCount | textBytes | data | validity (a byte a row, where hasHoles is 1)
//
//       float, integer, unsigned: f64 a row; wide ones: 64 bits a row; boolean: a byte a row
//       string: u32 a row (the number of its text), u32 * (textCount + 1) (where texts begin), textBytes bytes
//       time:   base (i64), f64 a row (nanoseconds from the base)

import { type Column, isWide } from '../../column/column.js'
import { assert } from '../../errors.js'
import type { ResultBatch, ResultColumn } from '../../query/language.js'
import { padded } from './protocol.js'

export interface BatchColumns {
  readonly columns: readonly ResultColumn[]
  readonly rowCount: number
}

const kinds = {
  float: 0,
  integer: 1,
  unsigned: 2,
  boolean: 3,
  string: 4,
  time: 5,
  wideInteger: 6,
  wideUnsigned: 7,
} as const

const columnHeadBytes = 16

type Numbers = Float64Array | BigInt64Array | BigUint64Array | Uint32Array | Uint8Array

interface Parts {
  readonly head: readonly [kind: number, hasHoles: number, textCount: number, textBytes: number]
  readonly data: readonly Numbers[]
}

export function encodeBatch({ columns, rowCount }: BatchColumns): Uint8Array {
  const parts = columns.map((column) => partsOf(column))
  let size = 8
  for (const { data } of parts) {
    size += columnHeadBytes + data.reduce((sum, { byteLength }) => sum + padded(byteLength), 0)
  }
  const bytes = new Uint8Array(size)
  new Uint32Array(bytes.buffer, 0, 2).set([rowCount, columns.length])
  let at = 8
  for (const { head, data } of parts) {
    new Uint32Array(bytes.buffer, at, 4).set(head)
    at += columnHeadBytes
    for (const { buffer, byteOffset, byteLength } of data) {
      bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
      at += padded(byteLength)
    }
  }
  return bytes
}

function partsOf(column: ResultColumn): Parts {
  assert(column.type !== 'list', 'DuckDB gives no lists of ours')
  const holes = column.validity === undefined ? [] : [column.validity]
  if (column.type === 'time') {
    const { base, offsets } = column.times
    const data = [BigInt64Array.of(base), offsets, ...holes]
    return { head: [kinds.time, holes.length, 0, 0], data }
  }
  if (column.type === 'string') {
    const { offsets, bytes, count } = column.dictionary
    const end = offsets[count]
    const data = [column.values, offsets.subarray(0, count + 1), bytes.subarray(0, end), ...holes]
    return { head: [kinds.string, holes.length, count, end], data }
  }
  const wide = column.type === 'unsigned' ? kinds.wideUnsigned : kinds.wideInteger
  const kind = isWide(column) ? wide : kinds[column.type]
  return { head: [kind, holes.length, 0, 0], data: [column.values, ...holes] }
}

/** `bytes` begins at a multiple of 8 of its buffer and belongs to what is returned. */
export function decodeBatch(bytes: Uint8Array<ArrayBuffer>): BatchColumns {
  const reader = new ViewReader(bytes)
  const [rowCount, columnCount] = reader.words(2)
  const columns: ResultColumn[] = []
  for (let i = 0; i < columnCount; i++) columns.push(readColumn(reader, rowCount))
  return { columns, rowCount }
}

function readColumn(reader: ViewReader, rowCount: number): ResultColumn {
  const [kind, hasHoles, textCount, textBytes] = reader.words(4)
  const validity = () => (hasHoles === 1 ? reader.bytes(rowCount) : undefined)
  switch (kind) {
    case kinds.time: {
      const [base] = reader.take(8, (buffer, at) => new BigInt64Array(buffer, at, 1))
      const times = { base, offsets: reader.floats(rowCount) }
      return { type: 'time', times, validity: validity() }
    }
    case kinds.string: {
      const values = reader.words(rowCount)
      const offsets = reader.words(textCount + 1)
      const dictionary = { offsets, bytes: reader.bytes(textBytes), count: textCount }
      return { type: 'string', values, dictionary, validity: validity() }
    }
    case kinds.boolean:
      return { type: 'boolean', values: reader.bytes(rowCount), validity: validity() }
    case kinds.wideInteger: {
      const make = (buffer: ArrayBuffer, at: number) => new BigInt64Array(buffer, at, rowCount)
      return { type: 'integer', values: reader.take(rowCount * 8, make), validity: validity() }
    }
    case kinds.wideUnsigned: {
      const make = (buffer: ArrayBuffer, at: number) => new BigUint64Array(buffer, at, rowCount)
      return { type: 'unsigned', values: reader.take(rowCount * 8, make), validity: validity() }
    }
  }
  const type = kind === kinds.float ? 'float' : kind === kinds.integer ? 'integer' : 'unsigned'
  return { type, values: reader.floats(rowCount), validity: validity() } as Column
}

class ViewReader {
  readonly #buffer: ArrayBuffer
  #at: number

  constructor({ buffer, byteOffset }: Uint8Array<ArrayBuffer>) {
    this.#buffer = buffer
    this.#at = byteOffset
  }

  take<T>(byteCount: number, make: (buffer: ArrayBuffer, at: number) => T): T {
    const made = make(this.#buffer, this.#at)
    this.#at += padded(byteCount)
    return made
  }

  words(count: number): Uint32Array {
    return this.take(count * 4, (buffer, at) => new Uint32Array(buffer, at, count))
  }

  floats(count: number): Float64Array {
    return this.take(count * 8, (buffer, at) => new Float64Array(buffer, at, count))
  }

  bytes(count: number): Uint8Array {
    return this.take(count, (buffer, at) => new Uint8Array(buffer, at, count))
  }
}

/** As a piece of the statement's one result. */
export function resultBatch(
  columnNames: readonly string[],
  { columns, rowCount }: BatchColumns,
): ResultBatch {
  return { kind: 'batch', result: 0, name: '', tags: [], columnNames, columns, rowCount }
}
