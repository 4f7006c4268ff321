// A column made of values that a script computes row by row: its type is that of the first value that
// is not null. Values of other types than columns have, and of another type than those before, are
// mistakes of the script.

import type { Cells, CellType } from '../../query/table.js'
import { FluxError } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import { constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import { cellOf, cellTypeOf } from './row-record.js'

export class ValuesBuilder {
  readonly name: string
  readonly #unsupported: (name: string, value: FluxValue) => FluxError
  #builder: CellsBuilder | undefined
  #nulls = 0

  /** `type`: what it must be, where it is known. `unsupported` words the refusal of a value that no column holds. */
  constructor(
    name: string,
    type: CellType | undefined,
    unsupported: (name: string, value: FluxValue) => FluxError,
  ) {
    this.name = name
    this.#unsupported = unsupported
    if (type !== undefined) this.#builder = new CellsBuilder(type)
  }

  /** undefined: only nulls came so far. */
  get type(): CellType | undefined {
    return this.#builder?.type
  }

  push(value: FluxValue): void {
    if (value === null) {
      if (this.#builder === undefined) this.#nulls++
      else this.#builder.push(null)
      return
    }
    const type = cellTypeOf(value)
    if (type === undefined) throw this.#unsupported(this.name, value)
    if (this.#builder === undefined) {
      this.#builder = new CellsBuilder(type)
      this.#builder.pushTimes(null, this.#nulls)
    } else if (this.#builder.type !== type) {
      const types = `column "${this.name}" is both of type ${type} and ${this.#builder.type}`
      throw new FluxError(`schema collision detected: ${types}`)
    }
    this.#builder.push(cellOf(value))
  }

  /** `otherwise`: the type of a column of nulls. */
  finish(otherwise: CellType): Cells {
    return this.#builder === undefined ? constantCells(otherwise, null) : this.#builder.finish()
  }
}
