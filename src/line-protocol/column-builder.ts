// One field of one type, being filled row by row. While every row has had a value, `denseRow` is
// the row expected next and nothing more is kept; the first row without a value makes the column
// sparse, with a validity array, and `denseRow` -1 for good. So the hot loop asks one question (is
// this row `denseRow`?) for all of these: did no row lack the field, did this line not set it
// before, is the column in use at all.

import { viewOf } from '../column/byte-table.js'
import type { Column, FieldType } from '../column/column.js'
import type { ArrayPool } from './array-pool.js'
import { StringBuilder } from './string-builder.js'

export const kindFloat = 0
export const kindInteger = 1
export const kindUnsigned = 2
export const kindBoolean = 3
export const kindString = 4
/** An integer or unsigned column that met a value beyond 2^53; never a column's `type`. */
export const kindWide = 5
/** The stand-in where a field has no column yet. */
export const kindNone = 6

const kindTypes: readonly FieldType[] = ['float', 'integer', 'unsigned', 'boolean', 'string']

/** A view of so few would cost more than to copy them one by one. */
const fewRows = 32

const noNumbers: Float64Array = new Float64Array(0)
const noCodes: Uint32Array = new Uint32Array(0)
const noFlags: Uint8Array = new Uint8Array(0)

type WideValues = BigInt64Array | BigUint64Array

export class ColumnBuilder {
  denseRow: number
  /** How the values are held: the column's type, or `kindWide`. */
  kind: number
  /** One of these holds the values; the others stay empty so that all builders have one shape. */
  numbers = noNumbers
  codes = noCodes
  flags = noFlags
  strings: StringBuilder | undefined
  /** The type written by clients: one of the first five kinds. */
  type: number
  #wide: WideValues | undefined
  #validity: Uint8Array | undefined
  /** Rows covered while the column is sparse. */
  #filled = 0
  readonly #pool: ArrayPool
  #capacity = 0

  constructor(type: number, pool: ArrayPool, capacity: number) {
    this.#pool = pool
    this.type = type
    this.kind = type
    this.denseRow = -1
    this.open(type, capacity)
  }

  /** Begins a column. A builder that has finished one may begin another, so that the next batch makes no new ones. */
  open(type: number, capacity: number): void {
    const pool = this.#pool
    this.type = type
    this.kind = type
    this.denseRow = type === kindNone ? -1 : 0
    this.#capacity = capacity
    if (type <= kindUnsigned) this.numbers = pool.float64(capacity)
    else if (type === kindBoolean) this.flags = pool.uint8(capacity)
    else if (type === kindString) {
      this.codes = pool.uint32(capacity)
      this.strings = new StringBuilder(pool)
    }
  }

  /**
   * Makes `row` the row to be written now: whatever lies between it and the last one has no value.
   */
  openRow(row: number): void {
    if (this.denseRow === row) {
      this.denseRow = row + 1
      return
    }
    if (this.denseRow === row + 1) return
    this.#coverUpTo(row)
    this.#filled = row + 1
    this.#validity![row] = 1
  }

  setInteger(row: number, value: bigint): void {
    if (this.#wide === undefined) this.#widen()
    this.#wide![row] = value
  }

  setNumber(row: number, value: number): void {
    if (this.#wide === undefined) this.numbers[row] = value
    else this.#wide[row] = BigInt(value)
  }

  /**
   * `count` values from `at` on for rows from `row` on, which follow what there is; `marks`: 1 for those that are
   * there, absent: all are.
   */
  putRows(
    row: number,
    values: Float64Array | BigInt64Array,
    at: number,
    count: number,
    marks: Uint8Array | undefined,
  ): void {
    // Of the same kind as those that are held.
    copyRows(values as Float64Array, at, count, this.#values() as Float64Array, row)
    this.#markRows(row, count, marks)
  }

  /**
   * The same of texts: each is two words, the place and the length of its bytes. The highest bit of the length is set
   * where there are backslashes among them.
   */
  putTexts(
    row: number,
    bytes: Uint8Array,
    words: Uint32Array,
    at: number,
    count: number,
    marks: Uint8Array | undefined,
  ): void {
    const strings = this.strings!
    const view = viewOf(bytes)
    for (let i = 0; i < count; i++) {
      const start = words[at + 2 * i]
      const length = words[at + 2 * i + 1]
      const end = start + (length & 0x7fffffff)
      const isThere = marks === undefined || marks[i] === 1
      this.codes[row + i] = isThere ? strings.put(bytes, view, start, end, length > 0x7fffffff) : 0
    }
    this.#markRows(row, count, marks)
  }

  #markRows(row: number, count: number, marks: Uint8Array | undefined): void {
    if (marks === undefined && this.denseRow === row) {
      this.denseRow = row + count
      return
    }
    this.#coverUpTo(row)
    if (marks === undefined) this.#validity!.fill(1, row, row + count)
    else this.#validity!.set(marks, row)
    this.#filled = row + count
  }

  hasRow(row: number): boolean {
    if (this.denseRow >= 0) return this.denseRow === row + 1
    return this.#filled === row + 1 && this.#validity![row] === 1
  }

  /** Rows with a value among the first `rowCount`. */
  valueCount(rowCount: number): number {
    if (this.denseRow >= 0) return Math.min(this.denseRow, rowCount)
    let count = 0
    for (let i = 0; i < this.#filled && i < rowCount; i++) count += this.#validity![i]
    return count
  }

  /** Takes the value of the row back: the same line set the field again, with another type. */
  withdrawRow(row: number): void {
    this.#coverUpTo(row)
    this.#validity![row] = 0
    this.#filled = row + 1
  }

  /** Forgets `row` and nothing before it: its line turned out to be bad. */
  rollBack(row: number): void {
    if (this.denseRow === row + 1) this.denseRow = row
    if (this.#filled === row + 1) this.#filled = row
  }

  /** More room, or less where the rows so far need no more. */
  resize(capacity: number): void {
    const pool = this.#pool
    if (this.#wide !== undefined) {
      const wide = wideArray(this.type, capacity)
      wide.set(this.#wide.subarray(0, capacity) as BigInt64Array & BigUint64Array)
      this.#wide = wide
    } else if (this.type <= kindUnsigned) {
      const numbers = pool.float64(capacity)
      numbers.set(this.numbers.subarray(0, capacity))
      pool.give(this.numbers)
      this.numbers = numbers
    } else if (this.type === kindBoolean) this.flags = this.#resizedBytes(this.flags, capacity)
    else {
      const codes = pool.uint32(capacity)
      codes.set(this.codes.subarray(0, capacity))
      pool.give(this.codes)
      this.codes = codes
    }
    if (this.#validity) this.#validity = this.#resizedBytes(this.#validity, capacity)
    this.#capacity = capacity
  }

  /** The column with its first `rowCount` rows, or undefined if no row has a value. */
  finish(rowCount: number): Column | undefined {
    if (this.denseRow !== rowCount) {
      this.#coverUpTo(rowCount)
      if (!this.#validity!.subarray(0, rowCount).includes(1)) {
        this.#giveBack()
        return undefined
      }
    }
    const column = this.#column()
    this.#clear()
    return column
  }

  #column(): Column {
    const type = kindTypes[this.type]
    const values = this.#values()
    const validity = this.#validity
    if (this.strings === undefined) return { type, values, validity } as Column
    return { type, values, validity, dictionary: this.strings.finish() } as Column
  }

  /** The arrays are somebody else's now. */
  #clear(): void {
    this.numbers = noNumbers
    this.codes = noCodes
    this.flags = noFlags
    this.strings = undefined
    this.#wide = undefined
    this.#validity = undefined
    this.#filled = 0
  }

  /**
   * Makes the column sparse, with every row before `row` either valid or an explicit gap of zeros.
   */
  #coverUpTo(row: number): void {
    if (this.#validity === undefined) {
      const filled = this.denseRow
      this.denseRow = -1
      this.#validity = this.#pool.uint8(this.#capacity)
      this.#validity.fill(1, 0, Math.min(filled, row))
      this.#filled = filled
    }
    const from = this.#filled
    if (from >= row) return
    this.#validity.fill(0, from, row)
    if (this.#wide !== undefined) this.#wide.fill(0n, from, row)
    else if (this.type <= kindUnsigned) this.numbers.fill(0, from, row)
    else if (this.type === kindBoolean) this.flags.fill(0, from, row)
    else this.codes.fill(0, from, row)
    this.#filled = row
  }

  /**
   * Rows covered so far are exact as numbers; beyond them the array holds leftovers that must not
   * be converted.
   */
  #widen(): void {
    const covered = this.denseRow >= 0 ? this.denseRow : this.#filled
    const wide = wideArray(this.type, this.#capacity)
    // The last covered row may be the one being written, whose number is not set yet.
    for (let i = 0; i < covered - 1; i++) wide[i] = BigInt(this.numbers[i])
    this.#pool.give(this.numbers)
    this.numbers = noNumbers
    this.#wide = wide
    this.kind = kindWide
  }

  #values(): Column['values'] {
    if (this.#wide !== undefined) return this.#wide
    if (this.type <= kindUnsigned) return this.numbers
    return this.type === kindBoolean ? this.flags : this.codes
  }

  #resizedBytes(bytes: Uint8Array, capacity: number): Uint8Array {
    const resized = this.#pool.uint8(capacity)
    resized.set(bytes.subarray(0, capacity))
    this.#pool.give(bytes)
    return resized
  }

  #giveBack(): void {
    this.#pool.give(this.numbers)
    this.#pool.give(this.codes)
    this.#pool.give(this.flags)
    if (this.#validity) this.#pool.give(this.#validity)
    this.strings?.giveBack()
    this.#clear()
  }
}

/** `count` values from `at` on, to places from `row` on. */
export function copyRows<T extends Float64Array | Uint32Array>(
  from: T,
  at: number,
  count: number,
  to: T,
  row: number,
): void {
  if (count > fewRows) to.set(from.subarray(at, at + count), row)
  else for (let i = 0; i < count; i++) to[row + i] = from[at + i]
}

function wideArray(type: number, capacity: number): WideValues {
  return type === kindInteger ? new BigInt64Array(capacity) : new BigUint64Array(capacity)
}
