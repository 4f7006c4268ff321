// One tag of one measurement, over all its series: which value each series has, and which series
// have each value.
//
// Values are numbered; the numbers lie in one array by series position (0: the series lacks the
// tag). Postings are made from it by a counting sort when first asked for, and again when enough
// series came in behind them; what came since is looked through. So a tag costs 8 bytes a series,
// and adding a series costs nothing but its number.

import { ByteTable } from '../../../column/byte-table.js'
import { firstNumbers, LazyOrder } from './lazy-order.js'

/** Series behind the postings are scanned: rebuilding waits until that would cost more than it saves. */
const scanMin = 1024

/** The texts of so many values are cached once they were asked for: what dashboards offer to choose from. */
const cachedTextsMax = 10_000

/** Where there are many measurements most of them have few series. */
const codesMin = 8

const nothing = new Uint32Array(0)

export class TagColumn {
  readonly key: string
  readonly keyBytes: Uint8Array
  readonly values = new ByteTable()
  /** By series position: value number + 1, or 0. May be shorter than the number of series. */
  #codes = new Uint32Array(codesMin)
  #length = 0
  /** Positions of the series with code c are members[starts[c]] up to members[starts[c + 1]]. */
  #starts = nothing
  #members = nothing
  #indexed = 0
  /** Made when it is first asked for. */
  #order: LazyOrder | undefined
  /** By code - 1; those that were asked for. */
  #texts: (string | undefined)[] | undefined

  constructor(key: string) {
    this.key = key
    this.keyBytes = Buffer.from(key)
  }

  get byteLength(): number {
    return (
      this.values.byteLength +
      this.#codes.byteLength +
      this.#starts.byteLength +
      this.#members.byteLength
    )
  }

  set(position: number, bytes: Uint8Array, start: number, stop: number): void {
    if (position >= this.#codes.length) {
      const grown = new Uint32Array(Math.max(this.#codes.length * 2, position + 1))
      grown.set(this.#codes)
      this.#codes = grown
    }
    this.#codes[position] = this.values.intern(bytes, start, stop) + 1
    this.#length = position + 1
  }

  /** 0 where the series lacks the tag. */
  codeAt(position: number): number {
    return position < this.#length ? this.#codes[position] : 0
  }

  codeOf(value: string): number {
    const bytes = Buffer.from(value)
    return this.values.findBytes(bytes, 0, bytes.length) + 1
  }

  /** All values, by their numbers (a code less one), in the order of their bytes. */
  order(): LazyOrder {
    const { count } = this.values
    // Values are only ever added.
    if (this.#order === undefined || this.#order.count < count) {
      this.#order = new LazyOrder(firstNumbers(count), this.values.shareable())
    }
    return this.#order
  }

  textOf(code: number): string {
    if (this.values.count > cachedTextsMax) return this.values.text(code - 1)
    this.#texts ??= []
    const known = this.#texts[code - 1]
    if (known !== undefined) return known
    const text = this.values.text(code - 1)
    this.#texts[code - 1] = text
    return text
  }

  /** Positions of the series that have this code (not 0), ascending. */
  positionsOf(code: number): Uint32Array {
    if (this.#length - this.#indexed > Math.max(scanMin, this.#indexed >>> 2)) this.#index()
    const start = code + 1 < this.#starts.length ? this.#starts[code] : 0
    const stop = code + 1 < this.#starts.length ? this.#starts[code + 1] : 0
    const recent: number[] = []
    for (let i = this.#indexed; i < this.#length; i++) if (this.#codes[i] === code) recent.push(i)
    if (recent.length === 0) return this.#members.subarray(start, stop)
    const all = new Uint32Array(stop - start + recent.length)
    all.set(this.#members.subarray(start, stop))
    all.set(recent, stop - start)
    return all
  }

  /** Positions below `count` of the series whose code `accepts` marks with 1, ascending. */
  positionsWhere(accepts: Uint8Array, count: number): Uint32Array {
    const found = new Uint32Array(count)
    let length = 0
    for (let i = 0; i < count; i++) {
      if (accepts[i < this.#length ? this.#codes[i] : 0] === 1) found[length++] = i
    }
    return found.subarray(0, length)
  }

  #index(): void {
    const starts = new Uint32Array(this.values.count + 2)
    for (let i = 0; i < this.#length; i++) starts[this.#codes[i] + 1]++
    for (let c = 1; c < starts.length; c++) starts[c] += starts[c - 1]
    const next = starts.slice()
    const members = new Uint32Array(this.#length)
    for (let i = 0; i < this.#length; i++) members[next[this.#codes[i]]++] = i
    this.#starts = starts
    this.#members = members
    this.#indexed = this.#length
  }
}
