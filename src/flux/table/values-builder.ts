// A column made of values that a script computes row by row: its type is that of the first value that
// is not null. Values of other types than columns have, and of another type than those before, are
// mistakes of the script. A single value is told as a constant: of many small tables no arrays are made.

import type { Cell, Cells, CellType } from '../../query/table.js'
import { FluxError } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import { constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import { cellOf, cellTypeOf } from './row-record.js'

export class ValuesBuilder {
  readonly name: string
  readonly #unsupported: (name: string, value: FluxValue) => FluxError
  #type: CellType | undefined
  /** Absent as long as there is one value at most. */
  #builder: CellsBuilder | undefined
  #only: Cell | null = null
  #count = 0
  #hasNulls = false

  /** `type`: what it must be, where it is known. `unsupported` words the refusal of a value that no column holds. */
  constructor(
    name: string,
    type: CellType | undefined,
    unsupported: (name: string, value: FluxValue) => FluxError,
  ) {
    this.name = name
    this.#unsupported = unsupported
    this.#type = type
  }

  /** undefined: only nulls came so far. */
  get type(): CellType | undefined {
    return this.#type
  }

  get hasNulls(): boolean {
    return this.#hasNulls
  }

  push(value: FluxValue): void {
    if (value === null) this.#hasNulls = true
    else this.#learn(value)
    const cell = cellOf(value)
    if (this.#builder !== undefined) this.#builder.push(cell)
    else if (this.#count === 0) this.#only = cell
    else if (cell !== null || this.#only !== null) this.#begin(cell)
    this.#count++
  }

  #learn(value: FluxValue): void {
    const type = cellTypeOf(value)
    if (type === undefined) throw this.#unsupported(this.name, value)
    this.#type ??= type
    if (this.#type === type) return
    const types = `column "${this.name}" is both of type ${type} and ${this.#type}`
    throw new FluxError(`schema collision detected: ${types}`)
  }

  /** What came so far is one value, or nothing but nulls. */
  #begin(cell: Cell | null): void {
    this.#builder = new CellsBuilder(this.#type!)
    this.#builder.pushTimes(this.#only, this.#count)
    this.#builder.push(cell)
  }

  /** `otherwise`: the type of a column of nulls. */
  finish(otherwise: CellType): Cells {
    return this.#builder?.finish() ?? constantCells(this.#type ?? otherwise, this.#only)
  }
}
