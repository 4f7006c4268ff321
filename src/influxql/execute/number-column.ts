// Numbers and booleans of one column of a group, from the batches of its runs to blocks of rows in time
// order. Integers beyond 2^53, and fields that only some batches have, go value by value.

import { type Column, type FieldType, isWide } from '../../column/column.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { BlockRows } from './block-rows.js'
import { noValues } from './no-values.js'

export class NumberColumn {
  readonly #type: FieldType
  /** By run: the column of the batch that it is in; undefined: the batch has none. */
  readonly #columns: readonly (Column | undefined)[]
  /** By run as well; undefined: values are not all of this kind. */
  readonly #numbers: readonly Float64Array[] | undefined
  readonly #booleans: readonly Uint8Array[] | undefined
  /** Undefined: there is a value in every row. */
  readonly #validities: readonly Uint8Array[] | undefined
  #values = new Float64Array(0)
  #validity = new Uint8Array(0)

  constructor(type: FieldType, columns: readonly (Column | undefined)[]) {
    this.#type = type
    this.#columns = columns
    const known = columns.filter((column) => column !== undefined)
    if (known.length < columns.length || known.some(isWide)) return
    if (type === 'boolean') this.#booleans = known.map(({ values }) => values as Uint8Array)
    else this.#numbers = known.map(({ values }) => values as Float64Array)
    if (known.some(({ validity }) => validity !== undefined)) this.#validities = validitiesOf(known)
  }

  /** Rows of the only run, over the same arrays. */
  slice(start: number, stop: number): Column {
    const [column] = this.#columns
    if (column === undefined) return noValues(this.#type, stop - start)
    const values = column.values.subarray(start, stop)
    return { ...column, values, validity: column.validity?.subarray(start, stop) } as Column
  }

  /** With `isReused` the arrays are used again by the next call. */
  inOrder(rows: BlockRows, isReused: boolean): Column {
    if (!isReused) {
      this.#values = new Float64Array(0)
      this.#validity = new Uint8Array(0)
    }
    const type = this.#type
    if (this.#booleans !== undefined) {
      const values = new Uint8Array(rows.count)
      rows.putBytes(this.#booleans, values)
      return { type, values, validity: this.#validityOf(rows) } as Column
    }
    if (this.#numbers === undefined) return this.#valueByValue(rows)
    this.#values = resized(this.#values, rows.count)
    rows.putNumbers(this.#numbers, this.#values)
    return { type, values: this.#values, validity: this.#validityOf(rows) } as Column
  }

  #validityOf(rows: BlockRows): Uint8Array | undefined {
    if (this.#validities === undefined) return undefined
    this.#validity = resized(this.#validity, rows.count)
    rows.putBytes(this.#validities, this.#validity)
    return this.#validity
  }

  #valueByValue(rows: BlockRows): Column {
    if (!this.#columns.some((column) => column !== undefined))
      return noValues(this.#type, rows.count)
    const runs = new Uint32Array(rows.count)
    const places = new Uint32Array(rows.count)
    rows.putRuns(runs)
    rows.putRows(places, true)
    const builder = new ColumnBuilder(this.#type, rows.count)
    for (let i = 0; i < rows.count; i++) {
      const column = this.#columns[runs[i]]
      if (column === undefined) builder.pushNull()
      else builder.pushFrom(column, places[i])
    }
    return builder.finish()
  }
}

/** Of batches where every row has a value: one array for all of them. */
function validitiesOf(columns: readonly Column[]): Uint8Array[] {
  const all = new Uint8Array(Math.max(...columns.map(({ values }) => values.length))).fill(1)
  return columns.map(({ validity }) => validity ?? all)
}

/** An array of this length, over the same memory where that is large enough. What was in it may still be. */
export function resized<T extends Float64Array | Uint32Array | Uint8Array>(
  array: T,
  length: number,
): T {
  if (array.length === length) return array
  if (array.length > length) return array.subarray(0, length) as T
  return new (array.constructor as new (length: number) => T)(length)
}
