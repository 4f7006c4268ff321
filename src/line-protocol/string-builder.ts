// The dictionary of a string column under construction: UTF-8 bytes one after another, escapes
// removed. A value that was seen lately gets its old entry again: a small table, indexed by a cheap
// hash of the value, remembers one entry per slot. Status words and the like end up once in the
// dictionary, unique texts cost one failed comparison.
// The first few are compared one by one: most columns of a write with many have no more.

import { equalRange, viewOf } from '../column/byte-table.js'
import type { Utf8Dictionary } from '../column/column.js'
import { type ArrayPool, roundUpLength } from './array-pool.js'
import { backslash, quote } from './characters.js'

/** Small: a write may have as many columns as values. */
const entriesMin = 4
const bytesMin = 32
const recentCount = 256
/** Entries from which on they are looked up: the table for it is as large as a hundred small texts. */
const recentFrom = 8
const noRecent = new Uint32Array(0)

export class StringBuilder {
  readonly #pool: ArrayPool
  #offsets: Uint32Array
  #bytes: Uint8Array
  #view: DataView
  #count = 0
  /** Entry number plus one; 0 is free. */
  #recent = noRecent

  constructor(pool: ArrayPool) {
    this.#pool = pool
    this.#offsets = pool.uint32(entriesMin)
    this.#offsets[0] = 0
    this.#bytes = pool.uint8(bytesMin)
    this.#view = viewOf(this.#bytes)
  }

  /**
   * The entry for the text between `start` and `end`, which still has its escapes if `isEscaped`.
   */
  put(bytes: Uint8Array, view: DataView, start: number, end: number, isEscaped: boolean): number {
    const length = end - start
    const slot = recentSlot(bytes, start, length)
    const entry = this.#count
    if (entry < recentFrom) {
      for (let i = 0; i < entry && !isEscaped; i++) if (this.#isAt(i, view, start, length)) return i
    } else if (!isEscaped) {
      const known = this.#recent[slot] - 1
      if (known >= 0 && this.#isAt(known, view, start, length)) return known
    }
    const at = this.#offsets[entry]
    this.#reserve(entry + 2, at + length)
    const written = isEscaped ? this.#copyUnescaped(bytes, start, end, at) : length
    if (!isEscaped) this.#bytes.set(bytes.subarray(start, end), at)
    this.#offsets[entry + 1] = at + written
    this.#count = entry + 1
    if (this.#count === recentFrom) this.#recent = new Uint32Array(recentCount)
    this.#recent[slot] = entry + 1
    return entry
  }

  #isAt(entry: number, view: DataView, start: number, length: number): boolean {
    const at = this.#offsets[entry]
    return (
      this.#offsets[entry + 1] - at === length && equalRange(view, start, this.#view, at, length)
    )
  }

  finish(): Utf8Dictionary {
    return { offsets: this.#offsets, bytes: this.#bytes, count: this.#count }
  }

  giveBack(): void {
    this.#pool.give(this.#offsets)
    this.#pool.give(this.#bytes)
  }

  /** Only a quote and a backslash can be escaped; any other backslash is itself. */
  #copyUnescaped(bytes: Uint8Array, start: number, end: number, at: number): number {
    const target = this.#bytes
    let j = at
    for (let i = start; i < end; i++) {
      if (bytes[i] === backslash && (bytes[i + 1] === backslash || bytes[i + 1] === quote)) i++
      target[j++] = bytes[i]
    }
    return j - at
  }

  #reserve(entries: number, byteCount: number): void {
    if (entries > this.#offsets.length) {
      const offsets = this.#pool.uint32(roundUpLength(entries))
      offsets.set(this.#offsets)
      this.#pool.give(this.#offsets)
      this.#offsets = offsets
    }
    if (byteCount > this.#bytes.length) {
      const bytes = this.#pool.uint8(roundUpLength(byteCount))
      bytes.set(this.#bytes)
      this.#pool.give(this.#bytes)
      this.#bytes = bytes
      this.#view = viewOf(bytes)
    }
  }
}

/** Length, the ends and the middle: enough to keep the few values of an enumeration apart. */
function recentSlot(bytes: Uint8Array, start: number, length: number): number {
  if (length === 0) return 0
  const last = start + length - 1
  let h = Math.imul(length, 31) ^ bytes[start]
  h = Math.imul(h, 31) ^ bytes[last]
  h = Math.imul(h, 31) ^ bytes[start + (length >> 1)]
  return (h ^ (h >>> 8)) & (recentCount - 1)
}
