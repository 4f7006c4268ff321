// A batch of points on its way to another thread: its arrays one after the other in one piece of shared memory, and
// what lies where as numbers. An object for each column would cost some microseconds on both sides, and a body of
// thousands of measurements has tens of thousands of them.
//
// Per table: name, rows, places of series, times and lines, how many fields; per field: name, type, whether it is wide,
// places of values and of validity (-1: every row has a value), and of a string the entries of its dictionary, the
// place of their offsets, the place of their bytes and how many. Names are numbers in a list. Places are in bytes.

import { type Column, fieldTypes, isWide } from '../../column/column.js'
import type { SeriesKeys } from '../../column/series.js'
import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import type { WriteSlabs } from './write-slabs.js'

export interface PackedWrite {
  /** Undefined: the memory is this batch's alone. */
  readonly slab: number | undefined
  /** Undefined: it has been told with an earlier batch. */
  readonly memory: ArrayBufferLike | undefined
  readonly pointCount: number
  readonly names: readonly string[]
  /** Of the times, by table. */
  readonly bases: BigInt64Array
  readonly layout: Float64Array
}

type Numbers = Column['values'] | Uint32Array | Uint8Array

const none = -1

export function packWrite(batch: WriteBatch, slabs: WriteSlabs): PackedWrite {
  const { number, memory, isNew } = slabs.take(bytesOf(batch))
  const packer = new Packer(memory)
  for (const table of batch.tables) packer.addTable(table)
  return {
    slab: number,
    memory: isNew ? memory : undefined,
    pointCount: batch.pointCount,
    names: packer.names,
    bases: BigInt64Array.from(batch.tables, ({ times }) => times.base),
    layout: Float64Array.from(packer.layout),
  }
}

class Packer {
  readonly names: string[] = []
  readonly layout: number[] = []
  readonly #numbers = new Map<string, number>()
  readonly #bytes: Uint8Array
  #used = 0

  constructor(memory: ArrayBufferLike) {
    this.#bytes = new Uint8Array(memory)
  }

  addTable({ measurement, rowCount, series, times, lines, fields }: WriteTable): void {
    this.layout.push(this.#name(measurement), rowCount, this.#keep(series, rowCount))
    this.layout.push(this.#keep(times.offsets, rowCount), this.#keep(lines, rowCount))
    this.layout.push(fields.length)
    for (const field of fields) this.#addField(field, rowCount)
  }

  #addField({ name, column }: WriteField, rowCount: number): void {
    const { validity } = column
    this.layout.push(this.#name(name), fieldTypes.indexOf(column.type), isWide(column) ? 1 : 0)
    this.layout.push(this.#keep(column.values, rowCount))
    this.layout.push(validity === undefined ? none : this.#keep(validity, rowCount))
    if (column.type !== 'string') return
    const { offsets, bytes, count } = column.dictionary
    const length = offsets[count]
    this.layout.push(count, this.#keep(offsets, count + 1), this.#keep(bytes, length), length)
  }

  #name(name: string): number {
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.names.push(name) - 1
      this.#numbers.set(name, number)
    }
    return number
  }

  /** Where the first `length` of them lie now. */
  #keep(array: Numbers, length: number): number {
    const at = this.#used
    const byteLength = length * array.BYTES_PER_ELEMENT
    this.#bytes.set(new Uint8Array(array.buffer, array.byteOffset, byteLength), at)
    this.#used += aligned(byteLength)
    return at
  }
}

function aligned(byteLength: number): number {
  return (byteLength + 7) & ~7
}

function bytesOf({ tables }: WriteBatch): number {
  let bytes = 0
  for (const { rowCount, fields } of tables) {
    bytes += 2 * aligned(rowCount * 4) + rowCount * 8
    for (const { column } of fields) {
      bytes += aligned(rowCount * column.values.BYTES_PER_ELEMENT)
      if (column.validity !== undefined) bytes += aligned(rowCount)
      if (column.type !== 'string') continue
      const { offsets, count } = column.dictionary
      bytes += aligned((count + 1) * 4) + aligned(offsets[count])
    }
  }
  return bytes
}

/** The batch, in the memory that it lies in. `write`: of one that comes in pieces. */
export function unpackWrite(
  packed: PackedWrite,
  memory: ArrayBufferLike,
  keys: SeriesKeys,
  write: object | undefined,
): WriteBatch {
  const unpacker = new Unpacker(packed, memory)
  const tables = Array.from(packed.bases, (base) => unpacker.table(base, keys))
  return { tables, pointCount: packed.pointCount, write }
}

class Unpacker {
  readonly #names: readonly string[]
  readonly #layout: Float64Array
  readonly #memory: ArrayBufferLike
  #at = 0

  constructor({ names, layout }: PackedWrite, memory: ArrayBufferLike) {
    this.#names = names
    this.#layout = layout
    this.#memory = memory
  }

  table(base: bigint, keys: SeriesKeys): WriteTable {
    const measurement = this.#names[this.#next()]
    const rowCount = this.#next()
    const series = this.#words(rowCount)
    const times = { base, offsets: this.#floats(rowCount) }
    const lines = this.#words(rowCount)
    const fields: WriteField[] = []
    for (let left = this.#next(); left > 0; left--) fields.push(this.#field(rowCount))
    return { measurement, rowCount, series, keys, times, fields, lines }
  }

  #field(rowCount: number): WriteField {
    const name = this.#names[this.#next()]
    const type = fieldTypes[this.#next()]
    const wide = this.#next() === 1
    return { name, column: this.#column(type, wide, rowCount) }
  }

  #column(type: Column['type'], wide: boolean, rowCount: number): Column {
    switch (type) {
      case 'float':
        return { type, values: this.#floats(rowCount), validity: this.#validity(rowCount) }
      case 'integer': {
        const at = wide ? this.#next() : 0
        const values = wide ? new BigInt64Array(this.#memory, at, rowCount) : this.#floats(rowCount)
        return { type, values, validity: this.#validity(rowCount) }
      }
      case 'unsigned': {
        const at = wide ? this.#next() : 0
        const values = wide
          ? new BigUint64Array(this.#memory, at, rowCount)
          : this.#floats(rowCount)
        return { type, values, validity: this.#validity(rowCount) }
      }
      case 'boolean':
        return { type, values: this.#bytes(rowCount), validity: this.#validity(rowCount) }
      case 'string': {
        const values = this.#words(rowCount)
        const validity = this.#validity(rowCount)
        const count = this.#next()
        const offsets = this.#words(count + 1)
        const at = this.#next()
        const bytes = new Uint8Array(this.#memory, at, this.#next())
        return { type, values, validity, dictionary: { offsets, bytes, count } }
      }
    }
  }

  #next(): number {
    return this.#layout[this.#at++]
  }

  #words(length: number): Uint32Array {
    return new Uint32Array(this.#memory, this.#next(), length)
  }

  #floats(length: number): Float64Array {
    return new Float64Array(this.#memory, this.#next(), length)
  }

  #bytes(length: number): Uint8Array {
    return new Uint8Array(this.#memory, this.#next(), length)
  }

  #validity(length: number): Uint8Array | undefined {
    const at = this.#next()
    return at === none ? undefined : new Uint8Array(this.#memory, at, length)
  }
}
