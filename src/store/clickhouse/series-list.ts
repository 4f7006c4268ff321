// Series that the index has told of, in key order: their numbers and the bytes of their keys as they came, and two
// places for each. A million of them as objects were half a gigabyte, and kept the collector busy; a key is parsed when
// somebody asks for it.

import { parseSeriesKey, type Series } from '../../column/series.js'

/** As a server tells it: row i has the bytes from offsets[i] to offsets[i + 1]. */
export interface KeyBlock {
  readonly numbers: BigUint64Array
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

export class SeriesList {
  readonly #blocks: KeyBlock[] = []
  /** By place in the list: which block, and which row of it. */
  #places = new Uint32Array(16)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** What it keeps, be it of series that were not meant. */
  get byteLength(): number {
    return this.#blocks.reduce(
      (sum, { numbers, offsets, bytes }) =>
        sum + numbers.byteLength + offsets.byteLength + bytes.buffer.byteLength,
      this.#places.byteLength,
    )
  }

  /** Rows of the block that `isMeant`, behind those that are there. */
  add(block: KeyBlock, isMeant?: (series: Series) => boolean): void {
    const { length } = block.numbers
    this.#makeRoom(length)
    const at = this.#blocks.push(block) - 1
    for (let row = 0; row < length; row++) {
      if (isMeant !== undefined && !isMeant(parseSeriesKey(keyIn(block, row)))) continue
      this.#places[2 * this.#length] = at
      this.#places[2 * this.#length + 1] = row
      this.#length++
    }
  }

  #makeRoom(more: number): void {
    const needed = 2 * (this.#length + more)
    if (needed <= this.#places.length) return
    const larger = new Uint32Array(Math.max(needed, 2 * this.#places.length))
    larger.set(this.#places.subarray(0, 2 * this.#length))
    this.#places = larger
  }

  /** By the bytes of the keys; blocks of several servers come one after the other. */
  sort(): void {
    const order = Uint32Array.from({ length: this.#length }, (_, i) => i).sort((a, b) => {
      return Buffer.compare(this.#key(a), this.#key(b))
    })
    const sorted = new Uint32Array(2 * this.#length)
    order.forEach((from, to) => {
      sorted[2 * to] = this.#places[2 * from]
      sorted[2 * to + 1] = this.#places[2 * from + 1]
    })
    this.#places = sorted
  }

  number(at: number): bigint {
    return this.#block(at).numbers[this.#places[2 * at + 1]]
  }

  series(at: number): Series {
    return parseSeriesKey(this.#key(at))
  }

  *all(): Generator<Series, void, void> {
    for (let at = 0; at < this.#length; at++) yield this.series(at)
  }

  /** A number stands for one key of its measurement. */
  isSameAs(other: SeriesList): boolean {
    if (this.#length !== other.#length) return false
    for (let at = 0; at < this.#length; at++) {
      if (this.number(at) !== other.number(at)) return false
    }
    return true
  }

  /** These and no others, in whatever order. */
  hasExactly(numbers: ReadonlySet<bigint>): boolean {
    if (numbers.size !== this.#length) return false
    for (let at = 0; at < this.#length; at++) if (!numbers.has(this.number(at))) return false
    return true
  }

  #block(at: number): KeyBlock {
    return this.#blocks[this.#places[2 * at]]
  }

  #key(at: number): Uint8Array {
    return keyIn(this.#block(at), this.#places[2 * at + 1])
  }
}

function keyIn({ offsets, bytes }: KeyBlock, row: number): Uint8Array {
  return bytes.subarray(offsets[row], offsets[row + 1])
}
