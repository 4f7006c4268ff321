// A dictionary's entries as JSON strings, each spelt when it is first met and copied from then on, four
// bytes at a time. Worth it where entries repeat: tags do, and they make up most of a wide row. Columns
// that stand side by side and say the same entry in every row, as the tags of a series do, are spelt
// together, with the commas between them.

import type { StringColumn } from '../column/column.js'
import { ByteWriter } from './byte-writer.js'
import { writeJsonBytes } from './json-string.js'

export class JsonDictionary {
  readonly #spelt = new ByteWriter()
  readonly #comma: Uint8Array
  #columns: readonly StringColumn[] = []
  /** Where an entry's text begins in `#spelt`, plus one; 0: not spelt yet. */
  #starts = new Uint32Array(16)
  #ends = new Uint32Array(16)

  /** `comma`: what stands between two values. */
  constructor(comma: Uint8Array) {
    this.#comma = comma
  }

  /** Whether entries repeat enough for this to be of use. */
  static suits(column: StringColumn, rowCount: number): boolean {
    return column.dictionary.count * 2 <= rowCount
  }

  /** Whether two columns can be spelt together. */
  static areOne(a: StringColumn, b: StringColumn): boolean {
    if (a.validity !== undefined || b.validity !== undefined) return false
    const { buffer, byteOffset, length } = a.values
    return (
      buffer === b.values.buffer && byteOffset === b.values.byteOffset && length === b.values.length
    )
  }

  /** One column, or several that are one. */
  use(columns: readonly StringColumn[]): void {
    const isSame =
      columns.length === this.#columns.length &&
      columns.every(({ dictionary }, c) => dictionary === this.#columns[c].dictionary)
    this.#columns = columns
    if (isSame) return
    const { count } = columns[0].dictionary
    if (count > this.#starts.length) {
      this.#starts = new Uint32Array(count)
      this.#ends = new Uint32Array(count)
    } else this.#starts.fill(0, 0, count)
    this.#spelt.length = 0
  }

  /** Bytes that the entry takes. */
  size(entry: number): number {
    if (this.#starts[entry] === 0) this.#spell(entry)
    return this.#ends[entry] - this.#starts[entry] + 1
  }

  /** Room for `size` must have been made. */
  put(view: DataView, at: number, entry: number): number {
    const source = this.#spelt.view
    const start = this.#starts[entry] - 1
    const end = this.#ends[entry]
    const distance = at - start
    for (let i = start; i < end; i += 4) {
      view.setInt32(i + distance, source.getInt32(i, true), true)
    }
    return end + distance
  }

  #spell(entry: number): void {
    const spelt = this.#spelt
    this.#starts[entry] = spelt.length + 1
    for (let c = 0; c < this.#columns.length; c++) {
      if (c > 0) spelt.put(this.#comma)
      const { offsets, bytes } = this.#columns[c].dictionary
      writeJsonBytes(spelt, bytes, offsets[entry], offsets[entry + 1])
    }
    this.#ends[entry] = spelt.length
  }
}
