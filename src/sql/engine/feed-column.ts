// The columns of a source that is fed: where the values of each come from in the rows of the store, and how wide
// they are in DuckDB's vectors.

import { textStructBytes } from './protocol.js'

/** `field`: the place of a field among those that are read. */
export type FeedColumn = { readonly name: string; readonly type: string } & (
  | { readonly kind: 'time' }
  /** `list`: the values that it may have, of which the table holds the numbers; the column's type has the list. */
  | { readonly kind: 'tag'; readonly tag: string; readonly list?: TagList }
  | { readonly kind: 'field'; readonly field: number }
)

/** Bytes of a value in a vector. */
export function widthOf(column: FeedColumn): number {
  if (column.kind === 'tag' && column.list !== undefined) return column.list.width
  if (column.type === 'VARCHAR') return textStructBytes
  return column.type === 'BOOLEAN' ? 1 : 8
}

/** A row has a value that came after the list was made. */
export class NewTagValue extends Error {}

/** The values of a tag, so that rows can hold a value's number and not its text. */
export class TagList {
  readonly values: readonly string[]
  /** Bytes of a number, as DuckDB has it. */
  readonly width: 1 | 2
  readonly #numbers: ReadonlyMap<string, number>

  constructor(values: readonly string[]) {
    this.values = values
    this.width = values.length < 256 ? 1 : 2
    this.#numbers = new Map(values.map((value, i) => [value, i]))
  }

  /** Undefined where there is no value. Throws where it is not in the list. */
  numberOf(value: string | undefined): number | undefined {
    if (value === undefined) return undefined
    const number = this.#numbers.get(value)
    if (number === undefined) throw new NewTagValue()
    return number
  }
}
