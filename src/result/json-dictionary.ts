// A dictionary's entries as JSON strings, each spelt when it is first met and copied from then on, four
// bytes at a time. Worth it where entries repeat: tags do, and they make up most of a wide row.

import type { StringColumn } from '../column/column.js'
import { ByteWriter } from './byte-writer.js'
import { writeJsonBytes } from './json-string.js'

export class JsonDictionary {
  readonly #spelt = new ByteWriter()
  #column: StringColumn | undefined
  /** Where an entry's text begins in `#spelt`, plus one; 0: not spelt yet. */
  #starts = new Uint32Array(16)
  #ends = new Uint32Array(16)

  /** Whether entries repeat enough for this to be of use. */
  static suits(column: StringColumn, rowCount: number): boolean {
    return column.dictionary.count * 2 <= rowCount
  }

  use(column: StringColumn): void {
    const isSame = this.#column?.dictionary === column.dictionary
    this.#column = column
    if (isSame) return
    const { count } = column.dictionary
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
    const { offsets, bytes } = this.#column!.dictionary
    this.#starts[entry] = this.#spelt.length + 1
    writeJsonBytes(this.#spelt, bytes, offsets[entry], offsets[entry + 1])
    this.#ends[entry] = this.#spelt.length
  }
}
