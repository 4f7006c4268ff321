// What a parser has learnt from earlier lines: series, measurements and field names. It lives across requests and is
// thrown away as a whole when it grows too large.

import { ByteTable, hashRange } from '../column/byte-table.js'
import { decodeText } from './characters.js'
import { FieldName } from './field-name.js'
import { SeriesTable } from './series-table.js'
import { noTable, type TableBuilder } from './table-builder.js'

/**
 * Rough cost of the objects for a field name or a measurement, so that many of them count against
 * the limit.
 */
const objectBytes = 512

export class Measurement {
  readonly name: string
  /** Field names with the equals sign after them, as spelt on the wire. */
  readonly spellings = new ByteTable()
  /** Length of the longest spelling without the equals sign. */
  nameBytesMax = 0
  /** The table that rows go to now. */
  table: TableBuilder = noTable
  /** The tables of the current batch that rows left for another stretch of time, by stretch; hardly ever any. */
  parked: Map<bigint, TableBuilder> | undefined
  /** Rows in the last batch: a guess at the size of the next. */
  rowsLast = 0
  readonly #fields: FieldName[] = []
  readonly #fieldsByName = new Map<string, FieldName>()

  constructor(name: string) {
    this.name = name
  }

  field(spelling: number): FieldName {
    return this.#fields[spelling]
  }

  /** Spellings that decode to the same name (broken UTF-8) share the field. */
  addField(bytes: Uint8Array, start: number, length: number, hash: number): FieldName {
    const spelling = this.spellings.add(bytes, start, length, hash)
    const name = decodeText(bytes, start, start + length - 1).replace(/\\([, =])/g, '$1')
    let field = this.#fieldsByName.get(name)
    if (field === undefined) {
      field = new FieldName(name, this.spellings.starts[spelling], length)
      this.#fieldsByName.set(name, field)
    }
    this.#fields.push(field)
    this.nameBytesMax = Math.max(this.nameBytesMax, length - 1)
    return field
  }
}

export class Vocabulary {
  series: SeriesTable
  readonly #shared: boolean
  readonly measurements: Measurement[] = []
  /** Measurements as spelt on the wire, and the position of each. */
  readonly #spellings = new ByteTable()
  readonly #spellingIndexes: number[] = []
  readonly #indexes = new Map<string, number>()
  #nameBytes = 0

  /** `shared`: another thread will look at the keys of series. */
  constructor(shared: boolean) {
    this.#shared = shared
    this.series = new SeriesTable(shared)
  }

  /** Whether a measurement was spelt like this before. */
  knows(view: DataView, start: number, end: number): boolean {
    const length = end - start
    return this.#spellings.find(view, start, length, hashRange(view, start, length)) >= 0
  }

  /** The position of the measurement spelt like this, which is added if it is new. */
  measurementIndex(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const length = end - start
    const hash = hashRange(view, start, length)
    const known = this.#spellings.find(view, start, length, hash)
    if (known >= 0) return this.#spellingIndexes[known]
    const name = decodeText(bytes, start, end).replace(/\\([, ])/g, '$1')
    let index = this.#indexes.get(name)
    if (index === undefined) {
      index = this.measurements.push(new Measurement(name)) - 1
      this.#indexes.set(name, index)
    }
    this.#spellings.add(bytes, start, length, hash)
    this.#spellingIndexes.push(index)
    this.#nameBytes += length + objectBytes
    return index
  }

  /** Bytes held, roughly. */
  get bytes(): number {
    return this.series.bytes + this.#nameBytes
  }

  /** Measurements and fields stay. Batches that were handed out keep the series that they name. */
  forgetSeries(): void {
    this.series = new SeriesTable(this.#shared)
  }

  countField(nameBytes: number): void {
    this.#nameBytes += nameBytes + objectBytes
  }
}
