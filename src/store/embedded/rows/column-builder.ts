// A column that grows: memtable columns, row groups being filled and merged rows are all built with
// it. Appending whole ranges is a copy of typed arrays. Gaps cost a validity array only once there
// is one; integers become wide only once one of them is no safe integer. The arrays' memory comes
// from a source, which may be shared with another thread.

import { copyBytes } from '../../../column/byte-table.js'
import { CodeMap } from '../../../column/code-map.js'
import type { Column, FieldType, StringColumn, Utf8Dictionary } from '../../../column/column.js'
import { assert } from '../../../errors.js'
import { type BufferSource, heapBuffers } from './buffer-pool.js'

type Numbers = Float64Array | BigInt64Array | Uint8Array | Uint32Array

/** In a list of rows to pick: this row has no value. */
export const noRow = 0xffffffff

const firstCapacity = 64

/** In plain memory: an array of 64 bytes lies in V8's own heap, a larger one costs some 300 bytes besides. */
const plainCapacity = 8
const plainTextBytes = 64

// Of columns without texts: a buffer costs more than the few values of a small series.
const noOffsets = new Uint32Array(0)
const noBytes = new Uint8Array(0)

export class ColumnBuilder {
  readonly type: FieldType
  length = 0
  readonly #buffers: BufferSource
  /** Its arrays are the collector's, and small ones have no buffer until somebody asks for it. */
  readonly #isPlain: boolean
  readonly #capacityMin: number
  #values: Numbers
  #validity: Uint8Array | undefined
  #dictionaryOffsets: Uint32Array
  #dictionaryBytes: Uint8Array
  #dictionaryCount = 0
  #dictionaryLength = 0
  /** The dictionary appended from last, and where its entries are here. */
  #source: Utf8Dictionary | undefined
  #codes: CodeMap | undefined

  constructor(type: FieldType, buffers: BufferSource = heapBuffers, capacity?: number) {
    this.type = type
    this.#buffers = buffers
    this.#isPlain = buffers === heapBuffers
    this.#capacityMin = this.#isPlain ? plainCapacity : firstCapacity
    this.#values = this.#makeValues(capacity ?? this.#capacityMin, false)
    const textBytes = this.#isPlain ? plainTextBytes : 256
    const isText = type === 'string'
    this.#dictionaryOffsets = isText ? this.#words(textBytes / 4) : noOffsets
    this.#dictionaryBytes = isText ? this.#bytes(textBytes) : noBytes
  }

  get byteLength(): number {
    const validity = this.#validity?.byteLength ?? 0
    const dictionary = this.#dictionaryOffsets.byteLength + this.#dictionaryBytes.byteLength
    return this.#values.byteLength + validity + dictionary
  }

  /** Gives the memory back; the builder and its columns must not be used again. */
  free(): void {
    this.#give(this.#values)
    if (this.#validity !== undefined) this.#give(this.#validity)
    if (this.type !== 'string') return
    this.#give(this.#dictionaryOffsets)
    this.#give(this.#dictionaryBytes)
  }

  #give(array: Numbers): void {
    if (!this.#isPlain) this.#buffers.free(array.buffer)
  }

  clear(): void {
    if (this.#values instanceof BigInt64Array)
      this.#values = this.#makeValues(this.#capacityMin, false)
    this.length = 0
    this.#validity = undefined
    this.#dictionaryCount = 0
    this.#dictionaryLength = 0
    this.#source = undefined
    this.#codes = undefined
  }

  /** Makes room for so many rows in all. */
  reserve(rowCount: number): void {
    if (rowCount > this.#values.length) this.#resize(rowCount, this.length)
  }

  /** Appends rows `start` up to `stop` of a column of the same type. */
  append(column: Column, start: number, stop: number): void {
    const count = stop - start
    const at = this.#grow(count, column)
    if (column.type === 'string') this.#copyStrings(column, start, stop, at)
    else this.#copy(column, start, stop, at)
    if (column.validity !== undefined) {
      this.#needValidity(at).set(column.validity.subarray(start, stop), at)
    } else this.#validity?.fill(1, at, at + count)
  }

  /** Appends row picks[0], picks[1], ... of a column of the same type; `noRow` appends a gap. */
  appendPicked(column: Column, picks: Uint32Array, count: number): void {
    const at = this.#grow(count, column)
    const hasGaps = column.validity !== undefined || picks.subarray(0, count).includes(noRow)
    if (hasGaps) pickPresence(column.validity, picks, count, this.#needValidity(at), at)
    else this.#validity?.fill(1, at, at + count)
    if (column.type === 'string') this.#pickStrings(column, picks, count, at)
    else if (column.values instanceof Float64Array && this.#values instanceof Float64Array) {
      pickFloats(column.values, picks, count, this.#values, at)
    } else this.#pickOthers(column, picks, count, at)
  }

  appendNulls(count: number): void {
    if (count === 0) return
    const at = this.#grow(count, undefined)
    this.#needValidity(at).fill(0, at, at + count)
  }

  /** The rows so far. The arrays are the builder's own: later appends may or may not show in them. */
  column(): Column {
    const values = this.#values
    const validity = this.#validity
    switch (this.type) {
      case 'float':
        return { type: 'float', values: values as Float64Array, validity }
      case 'integer':
        return { type: 'integer', values: values as Float64Array | BigInt64Array, validity }
      case 'unsigned':
        if (values instanceof Float64Array) return { type: 'unsigned', values, validity }
        return {
          type: 'unsigned',
          values: new BigUint64Array(values.buffer, values.byteOffset, values.length),
          validity,
        }
      case 'boolean':
        return { type: 'boolean', values: values as Uint8Array, validity }
      case 'string': {
        const dictionary = {
          offsets: this.#dictionaryOffsets,
          bytes: this.#dictionaryBytes,
          count: this.#dictionaryCount,
        }
        return { type: 'string', values: values as Uint32Array, dictionary, validity }
      }
    }
  }

  #copy(column: Column, start: number, stop: number, at: number): void {
    const source = column.values
    if (this.#values instanceof BigInt64Array) {
      const wide = this.#values
      const { validity } = column
      // A row without a value may hold anything, also what no BigInt can be made of.
      for (let i = start; i < stop; i++) {
        if (validity === undefined || validity[i] !== 0) wide[at + i - start] = BigInt(source[i])
      }
    } else {
      const numbers = this.#values as Float64Array
      numbers.set((source as Float64Array).subarray(start, stop), at)
    }
  }

  #pickOthers(column: Column, picks: Uint32Array, count: number, at: number): void {
    const source = column.values
    for (let i = 0; i < count; i++) {
      if (this.#validity !== undefined && this.#validity[at + i] === 0) continue
      const value = source[picks[i]]
      if (this.#values instanceof BigInt64Array) this.#values[at + i] = BigInt(value)
      else this.#values[at + i] = value as number
    }
  }

  #copyStrings(column: StringColumn, start: number, stop: number, at: number): void {
    const { values: codes, validity, dictionary } = column
    const known = this.#meet(dictionary, stop - start)
    const values = this.#values as Uint32Array
    for (let row = start, to = at; row < stop; row++, to++) {
      if (validity !== undefined && validity[row] === 0) continue
      const code = codes[row]
      const number = known.get(code)
      if (number >= 0) values[to] = number
      else values[to] = this.#copyEntries(dictionary, code, lastOfRun(column, row, stop), known)
    }
  }

  #pickStrings(column: StringColumn, picks: Uint32Array, count: number, at: number): void {
    const { values: codes, dictionary } = column
    const known = this.#meet(dictionary, count)
    const values = this.#values as Uint32Array
    const validity = this.#validity
    for (let i = 0; i < count; i++) {
      if (validity !== undefined && validity[at + i] === 0) continue
      const code = codes[picks[i]]
      const number = known.get(code)
      values[at + i] = number >= 0 ? number : this.#copyEntries(dictionary, code, code, known)
    }
  }

  /** Where entries of a dictionary are here, of which `rowCount` rows are to be appended. */
  #meet(dictionary: Utf8Dictionary, rowCount: number): CodeMap {
    if (dictionary !== this.#source || this.#codes === undefined) {
      this.#source = dictionary
      this.#codes = new CodeMap(dictionary.count, rowCount)
    }
    return this.#codes
  }

  /** Entries `first` to `last`, all in one piece; answers where the first is here. */
  #copyEntries(dictionary: Utf8Dictionary, first: number, last: number, known: CodeMap): number {
    const { offsets, bytes } = dictionary
    const start = offsets[first]
    const at = this.#dictionaryLength
    const added = this.#dictionaryCount
    const length = at + offsets[last + 1] - start
    const count = added + last - first + 1
    this.#dictionaryBytes = this.#room(this.#dictionaryBytes, length)
    this.#dictionaryOffsets = this.#room(this.#dictionaryOffsets, count + 1)
    copyBytes(bytes, start, offsets[last + 1], this.#dictionaryBytes, at)
    for (let code = first, to = added; code <= last; code++, to++) {
      known.set(code, to)
      this.#dictionaryOffsets[to] = at + offsets[code] - start
    }
    this.#dictionaryOffsets[count] = length
    this.#dictionaryLength = length
    this.#dictionaryCount = count
    return added
  }

  /** Makes room for `count` rows and returns the first; turns wide before a wide column is appended. */
  #grow(count: number, column: Column | undefined): number {
    assert(column === undefined || column.type === this.type, `${column?.type} in a ${this.type}`)
    const at = this.length
    this.length += count
    const wide = column?.values instanceof BigInt64Array || column?.values instanceof BigUint64Array
    if (wide && this.#values instanceof Float64Array) this.#widen(at)
    if (this.length > this.#values.length) {
      this.#resize(grownCapacity(this.#values.length, this.length, this.#capacityMin), at)
    }
    return at
  }

  #resize(capacity: number, count: number): void {
    const grown = this.#makeValues(capacity, this.#values instanceof BigInt64Array)
    copyNumbers(grown, this.#values, count)
    this.#give(this.#values)
    this.#values = grown
    if (this.#validity !== undefined) this.#validity = this.#room(this.#validity, grown.length)
  }

  #widen(count: number): void {
    const narrow = this.#values
    const wide = this.#makeValues(narrow.length, true) as BigInt64Array
    for (let i = 0; i < count; i++) {
      if (this.#validity === undefined || this.#validity[i] !== 0) wide[i] = BigInt(narrow[i])
    }
    this.#give(narrow)
    this.#values = wide
    // A buffer from a pool may be larger than asked for; growing goes by the values alone.
    if (this.#validity !== undefined) this.#validity = this.#room(this.#validity, wide.length)
  }

  #needValidity(before: number): Uint8Array {
    if (this.#validity === undefined) {
      this.#validity = this.#bytes(this.#values.length)
      this.#validity.fill(1, 0, before)
    }
    return this.#validity
  }

  #makeValues(capacity: number, wide: boolean): Numbers {
    if (this.type === 'boolean' && !wide) return this.#bytes(capacity)
    if (this.type === 'string' && !wide) return this.#words(capacity)
    if (this.#isPlain) return wide ? new BigInt64Array(capacity) : new Float64Array(capacity)
    const buffer = this.#buffers.allocate(capacity * 8)
    return wide ? new BigInt64Array(buffer) : new Float64Array(buffer)
  }

  #words(count: number): Uint32Array {
    if (this.#isPlain) return new Uint32Array(count)
    return new Uint32Array(this.#buffers.allocate(count * 4))
  }

  #bytes(count: number): Uint8Array {
    if (this.#isPlain) return new Uint8Array(count)
    return new Uint8Array(this.#buffers.allocate(count))
  }

  #room<T extends Uint8Array | Uint32Array>(array: T, needed: number): T {
    if (needed <= array.length) return array
    const capacity = grownCapacity(array.length, needed, this.#capacityMin)
    const isWords = array instanceof Uint32Array
    const grown = (isWords ? this.#words(capacity) : this.#bytes(capacity)) as T
    grown.set(array)
    this.#give(array)
    return grown
  }
}

/** The last of the entries that rows have one after the other from a row on, as where all strings differ. */
function lastOfRun({ values, validity }: StringColumn, row: number, stop: number): number {
  let last = values[row]
  for (let i = row + 1; i < stop; i++) {
    if (validity !== undefined && validity[i] === 0) continue
    if (values[i] !== last + 1) break
    last++
  }
  return last
}

/** Whether rows picks[0], picks[1], ... have a value, from `at` on. */
function pickPresence(
  source: Uint8Array | undefined,
  picks: Uint32Array,
  count: number,
  out: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = picks[i]
    out[at + i] = row === noRow ? 0 : source === undefined ? 1 : source[row]
  }
}

/** Rows picks[0], picks[1], ... of `source`, from `at` on; `noRow` gives 0. */
export function pickFloats(
  source: Float64Array,
  picks: Uint32Array,
  count: number,
  out: Float64Array,
  at: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = picks[i]
    out[at + i] = row === noRow ? 0 : source[row]
  }
}

function copyNumbers(to: Numbers, from: Numbers, count: number): void {
  ;(to as Float64Array).set((from as Float64Array).subarray(0, count))
}

export function grownCapacity(capacity: number, needed: number, least = firstCapacity): number {
  let grown = Math.max(capacity, least)
  while (grown < needed) grown *= 2
  return grown
}
