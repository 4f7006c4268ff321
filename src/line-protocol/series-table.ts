// The series that a parser has met, numbered in order of appearance; it lives across requests, so
// that the store can remember what each number means. A number stands for one spelling on the wire:
// the same series with its tags in another order has another number and the same canonical key.
// Where the wire spelling is canonical (nearly always) both share their bytes.
//
// Where the parser works for another thread, the keys lie in memory that both see: what was added before a batch was
// handed over stays as it is.

import { ByteTable, type ByteTableView } from '../column/byte-table.js'
import type { ResolvedKeys, SeriesKeys } from '../column/series.js'

const seriesMin = 16

/**
 * Per series beside its bytes, in this file and the byte table; arrays are up to twice as long as
 * needed.
 */
export const seriesBytesEach = 64

export class SeriesTable implements SeriesKeys {
  resolved: ResolvedKeys | undefined = undefined
  readonly wire: ByteTable
  /** Position of the series' measurement in the vocabulary. */
  measurementOf: Uint32Array = new Uint32Array(seriesMin)
  readonly #shared: boolean
  #keyStarts: Uint32Array
  #keyLengths: Uint32Array

  /** `shared`: another thread will look at the keys. */
  constructor(shared: boolean) {
    this.#shared = shared
    this.wire = new ByteTable({ shared })
    this.#keyStarts = wordsOf(seriesMin, shared)
    this.#keyLengths = wordsOf(seriesMin, shared)
  }

  get count(): number {
    return this.wire.count
  }

  get bytes(): number {
    return this.wire.used + this.wire.count * seriesBytesEach
  }

  key(id: number): Uint8Array {
    const start = this.#keyStarts[id]
    return this.wire.arena.subarray(start, start + this.#keyLengths[id])
  }

  /** The canonical keys that there are now, for another thread. */
  shareable(): ByteTableView {
    const { wire, count } = this
    return { arena: wire.arena, starts: this.#keyStarts, lengths: this.#keyLengths, count }
  }

  /** `canonical` is undefined where the spelling on the wire is canonical already. */
  add(
    bytes: Uint8Array,
    start: number,
    length: number,
    hash: number,
    measurement: number,
    canonical: Uint8Array | undefined,
  ): number {
    const id = this.wire.add(bytes, start, length, hash)
    if (id === this.measurementOf.length) this.#grow(id * 2)
    this.measurementOf[id] = measurement
    this.#keyStarts[id] = this.wire.starts[id]
    this.#keyLengths[id] = length
    if (canonical !== undefined) {
      this.#keyStarts[id] = this.wire.append(canonical, 0, canonical.length)
      this.#keyLengths[id] = canonical.length
    }
    return id
  }

  /**
   * Forgets the series added last, while nobody has seen its number: its line turned out to be bad.
   */
  removeLast(): void {
    this.wire.removeLast()
  }

  #grow(capacity: number): void {
    this.measurementOf = grown(this.measurementOf, capacity, false)
    this.#keyStarts = grown(this.#keyStarts, capacity, this.#shared)
    this.#keyLengths = grown(this.#keyLengths, capacity, this.#shared)
  }
}

function grown(array: Uint32Array, length: number, shared: boolean): Uint32Array {
  const larger = wordsOf(length, shared)
  larger.set(array)
  return larger
}

function wordsOf(length: number, shared: boolean): Uint32Array {
  return shared ? new Uint32Array(new SharedArrayBuffer(length * 4)) : new Uint32Array(length)
}
