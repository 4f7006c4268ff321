// The rows of one small table out of its chunks in a slab, in the order of arrival, and its columns when they are asked
// for. Looks at the pages only, so that another thread can do the same.

import { type Column, type FieldType, fieldTypes } from '../../../column/column.js'
import { firstNumbers } from '../../../column/first-numbers.js'
import type { ShardTable } from './memtable.js'
import {
  byteCells,
  cellOf,
  fieldsCell,
  flagBits,
  flagValidity,
  flagWide,
  offsetsCell,
  type SlabPage,
  type SlabPages,
  typeMask,
} from './slab-pages.js'

/** A place in a chunk where a field's data begins, and its flags; -1: the chunk has no such field. */
const absent = -1

export class SlabRows {
  readonly rowCount: number
  /** Of each row. */
  readonly series: Uint32Array
  readonly offsets: Float64Array
  readonly #pages: SlabPage[] = []
  /** Cells at which the chunks begin, the oldest first. */
  readonly #chunks: number[] = []
  /** Where the field looked for last was: in the next chunk it most likely is there too. */
  #hint = 0

  /** `last`: address + 1 of the table's newest chunk. */
  constructor(slab: SlabPages, last: number, rowCount: number) {
    for (let next = last; next > 0; ) {
      const page = slab.pageOf(next - 1)
      const chunk = cellOf(next - 1)
      this.#pages.push(page)
      this.#chunks.push(chunk)
      next = page.words[2 * chunk]
    }
    this.#pages.reverse()
    this.#chunks.reverse()
    this.rowCount = rowCount
    this.series = new Uint32Array(rowCount)
    this.offsets = new Float64Array(rowCount)
    this.#readRows()
  }

  #readRows(): void {
    let at = 0
    for (let c = 0; c < this.#chunks.length; c++) {
      const { words, numbers } = this.#pages[c]
      const chunk = this.#chunks[c]
      const count = words[2 * chunk + 1]
      const seriesAt = 2 * chunk + 4
      const offsetsAt = offsetsCell(chunk, count)
      for (let row = 0; row < count; row++) {
        this.series[at + row] = words[seriesAt + row]
        this.offsets[at + row] = numbers[offsetsAt + row]
      }
      at += count
    }
  }

  /** Every field that a row has, by number, with its type. */
  fields(): Map<number, FieldType> {
    const found = new Map<number, FieldType>()
    for (let c = 0; c < this.#chunks.length; c++) {
      const { words } = this.#pages[c]
      const chunk = this.#chunks[c]
      const listAt = 2 * fieldsCell(chunk, words[2 * chunk + 1])
      const stop = listAt + 2 * words[2 * chunk + 2]
      for (let i = listAt; i < stop; i += 2) {
        if (!found.has(words[i])) found.set(words[i], fieldTypes[words[i + 1] & typeMask])
      }
    }
    return found
  }

  /** All of it, as it could have come in one write. */
  table(measurementId: number): ShardTable {
    const { rowCount, series, offsets } = this
    const fields = Array.from(this.fields(), ([fieldId, type]) => ({
      fieldId,
      column: this.column(fieldId, type)!,
    }))
    return { measurementId, rowCount, series, offsets, fields }
  }

  /** Undefined: no row has the field. */
  column(fieldId: number, type: FieldType): Column | undefined {
    const places = this.#chunks.map((_, c) => this.#place(c, fieldId))
    if (places.every((place) => place === absent)) return undefined
    const validity = this.#validity(places)
    switch (type) {
      case 'string':
        return this.#strings(places, validity)
      case 'boolean':
        return { type, values: this.#booleans(places), validity }
      case 'float':
        return { type, values: this.#numbers(places), validity }
      default: {
        if (!places.some((place) => place !== absent && (place & flagWide) !== 0)) {
          return { type, values: this.#numbers(places), validity }
        }
        const wide = this.#wide(places, validity)
        if (type === 'integer') return { type, values: wide, validity }
        return { type, values: new BigUint64Array(wide.buffer), validity }
      }
    }
  }

  #place(c: number, fieldId: number): number {
    const { words } = this.#pages[c]
    const chunk = this.#chunks[c]
    const listAt = 2 * fieldsCell(chunk, words[2 * chunk + 1])
    const count = words[2 * chunk + 2]
    if (this.#hint < count && words[listAt + 2 * this.#hint] === fieldId) {
      return words[listAt + 2 * this.#hint + 1]
    }
    for (let f = 0; f < count; f++) {
      if (words[listAt + 2 * f] !== fieldId) continue
      this.#hint = f
      return words[listAt + 2 * f + 1]
    }
    return absent
  }

  #count(c: number): number {
    return this.#pages[c].words[2 * this.#chunks[c] + 1]
  }

  /** The cell of a chunk's values. */
  #valuesAt(c: number, place: number): number {
    const at = this.#chunks[c] + (place >>> flagBits)
    return (place & flagValidity) === 0 ? at : at + byteCells(this.#count(c))
  }

  #validity(places: readonly number[]): Uint8Array | undefined {
    if (!places.some((place) => place === absent || (place & flagValidity) !== 0)) return undefined
    const validity = new Uint8Array(this.rowCount)
    for (let c = 0, at = 0; c < places.length; at += this.#count(c++)) {
      if (places[c] === absent) continue
      const count = this.#count(c)
      if ((places[c] & flagValidity) === 0) validity.fill(1, at, at + count)
      else {
        const from = 8 * (this.#chunks[c] + (places[c] >>> flagBits))
        for (let row = 0; row < count; row++) validity[at + row] = this.#pages[c].bytes[from + row]
      }
    }
    return validity
  }

  #numbers(places: readonly number[]): Float64Array {
    const values = new Float64Array(this.rowCount)
    for (let c = 0, at = 0; c < places.length; at += this.#count(c++)) {
      if (places[c] === absent) continue
      const { numbers } = this.#pages[c]
      const from = this.#valuesAt(c, places[c])
      const count = this.#count(c)
      for (let row = 0; row < count; row++) values[at + row] = numbers[from + row]
    }
    return values
  }

  #wide(places: readonly number[], validity: Uint8Array | undefined): BigInt64Array<ArrayBuffer> {
    const values = new BigInt64Array(this.rowCount)
    for (let c = 0, at = 0; c < places.length; at += this.#count(c++)) {
      if (places[c] === absent) continue
      const { words, numbers } = this.#pages[c]
      const from = this.#valuesAt(c, places[c])
      const count = this.#count(c)
      if ((places[c] & flagWide) !== 0) {
        new Uint32Array(values.buffer, 8 * at).set(words.subarray(2 * from, 2 * (from + count)))
        continue
      }
      for (let row = 0; row < count; row++) {
        // A row without a value may hold anything, also what no BigInt can be made of.
        if (validity !== undefined && validity[at + row] === 0) continue
        values[at + row] = BigInt(numbers[from + row])
      }
    }
    return values
  }

  #booleans(places: readonly number[]): Uint8Array {
    const values = new Uint8Array(this.rowCount)
    for (let c = 0, at = 0; c < places.length; at += this.#count(c++)) {
      if (places[c] === absent) continue
      const from = 8 * this.#valuesAt(c, places[c])
      const { bytes } = this.#pages[c]
      for (let row = 0; row < this.#count(c); row++) values[at + row] = bytes[from + row]
    }
    return values
  }

  /** A dictionary entry per row; those who encode or send texts look for equal ones themselves. */
  #strings(places: readonly number[], validity: Uint8Array | undefined): Column {
    const { rowCount } = this
    const offsets = new Uint32Array(rowCount + 1)
    const values = firstNumbers(rowCount)
    for (let c = 0, at = 0; c < places.length; at += this.#count(c++)) {
      const ends = places[c] === absent ? 0 : 2 * this.#valuesAt(c, places[c])
      for (let row = 0; row < this.#count(c); row++) {
        const end = places[c] === absent ? 0 : this.#pages[c].words[ends + row + 1]
        const start = places[c] === absent ? 0 : this.#pages[c].words[ends + row]
        offsets[at + row + 1] = offsets[at + row] + end - start
      }
    }
    const bytes = new Uint8Array(offsets[rowCount])
    for (let c = 0, at = 0; c < places.length; at += this.#count(c++)) {
      if (places[c] === absent) continue
      const count = this.#count(c)
      const from = 8 * (this.#valuesAt(c, places[c]) + ((count + 2) >> 1))
      const length = offsets[at + count] - offsets[at]
      bytes.set(this.#pages[c].bytes.subarray(from, from + length), offsets[at])
    }
    return { type: 'string', values, dictionary: { offsets, bytes, count: rowCount }, validity }
  }
}
