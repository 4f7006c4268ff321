// A field name of a measurement as the parser remembers it: its spelling, and where the current batch keeps its
// values.

import { ArrayPool } from './array-pool.js'
import { ColumnBuilder, kindNone } from './column-builder.js'

/** Every field has this column until a line of the batch sets it; nothing is ever written to it. */
export const noColumn = new ColumnBuilder(kindNone, new ArrayPool(0), 0)

export class FieldName {
  readonly name: string
  /** Where `name=`, as spelt on the wire, lies in the measurement's spellings. */
  readonly start: number
  readonly length: number
  /** The column that the current batch wrote last for this field. */
  current = noColumn
  /** Columns of the current table by type. */
  readonly columns: (ColumnBuilder | undefined)[] = [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]

  constructor(name: string, start: number, length: number) {
    this.name = name
    this.start = start
    this.length = length
  }
}
