// The first of many values in the order of their bytes, kept while values are added: who opens a list of a million
// sees its first page without a look at each of them. One comparison with the last that is kept tells of most values
// that they come behind; what comes before waits until there are twice as many, and then the later half is dropped.

import type { ByteTable } from '../../../column/byte-table.js'
import { firstNumbers } from '../../../column/first-numbers.js'
import { LazyOrder } from './lazy-order.js'

/** Two pages of a list. */
const keptMax = 1024

export class FirstValues {
  readonly #values: ByteTable
  /** Numbers of values; those before `#sorted` in order. */
  #kept: Uint32Array<ArrayBuffer>
  #count: number
  #sorted = 0
  /** The last that is kept: what comes behind it is none of the first. Undefined: there are fewer. */
  #last: Uint8Array | undefined

  /** Of all values that are there. */
  constructor(values: ByteTable) {
    this.#values = values
    this.#kept = firstNumbers(values.count)
    this.#count = values.count
    this.#sort()
  }

  /** A value that is new, with its bytes. */
  add(number: number, bytes: Uint8Array, start: number, stop: number): void {
    if (this.#last !== undefined && !isBefore(bytes, start, stop, this.#last)) return
    if (this.#count === this.#kept.length) this.#sort()
    this.#kept[this.#count++] = number
  }

  /** In their order: at least `keptMax`, or all. A copy. */
  numbers(): Uint32Array {
    if (this.#sorted < this.#count) this.#sort()
    return this.#kept.slice(0, this.#sorted)
  }

  #sort(): void {
    const ids = this.#kept.slice(0, this.#count)
    new LazyOrder(ids, this.#values.shareable()).sortNow(keptMax)
    this.#sorted = Math.min(keptMax, ids.length)
    this.#kept = new Uint32Array(2 * keptMax)
    this.#kept.set(ids.subarray(0, this.#sorted))
    this.#count = this.#sorted
    if (this.#sorted < keptMax) return
    const { arena, starts, lengths } = this.#values.shareable()
    const last = ids[keptMax - 1]
    this.#last = arena.slice(starts[last], starts[last] + lengths[last])
  }
}

function isBefore(bytes: Uint8Array, start: number, stop: number, other: Uint8Array): boolean {
  const length = Math.min(stop - start, other.length)
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i] - other[i]
    if (difference !== 0) return difference < 0
  }
  return stop - start < other.length
}
