// Series that this process has written: their numbers, and in which spans of time the index has them already. A
// series is known in ClickHouse by a number of 64 bits, a hash of its key, which holds within its measurement; the
// cache saves hashing, and writes to the index. It is bounded by forgetting everything: what is then written again
// does no harm. A new generation of a measurement is another one here: its index has to be told of everything again.
//
// A series costs its key and some 80 bytes, and no object: with objects a million of them were more than a gigabyte,
// and a collector that looked through it held up everything else for seconds.

import { hash } from 'node:crypto'
import { ByteTable } from '../../column/byte-table.js'
import type { SeriesKeys } from '../../column/series.js'
import type { Measurement } from './registry.js'

/** When a write begins; it may add more. */
const entriesMax = 2_000_000
/** Spans that are remembered; late points are few. */
const spansMax = 64
const numberBytes = 8

/** What the cache knows a measurement by, in its generation. */
export function cacheKey({
  number,
  generation,
}: Pick<Measurement, 'number' | 'generation'>): number {
  return generation * 2 ** 32 + number
}

/** Series of one measurement, counted from 0. */
interface Known {
  readonly keys: ByteTable
  /** Eight bytes each, in the order of the keys. */
  readonly numbers: ByteTable
  /** Their entries. */
  entries: Uint32Array
}

export class SeriesCache {
  #count = 0
  #measurements = new Map<number, Known>()
  /** By entry: of which measurement it is, and which series there. */
  #owners: Known[] = []
  #places: Uint32Array = new Uint32Array(64)
  /** By span: a bit for each entry. */
  #seen = new Map<string, Uint8Array>()
  /** Entries are what they are as long as this is. */
  #owner = {}

  get owner(): object {
    return this.#owner
  }

  /** Before a write: entries that it finds stay valid while it looks for others. */
  makeRoom(): void {
    if (this.#count >= entriesMax) this.forget()
  }

  /** The entry of a key; undefined: it is not known. */
  find(measurement: number, keys: SeriesKeys, id: number): number | undefined {
    const known = this.#measurements.get(measurement)
    if (known === undefined) return undefined
    const { resolved } = keys
    if (resolved?.owner === this.#owner && id < resolved.ids.length) {
      const entry = resolved.ids[id] - 1
      if (entry >= 0 && this.#owners[entry] === known) return entry
    }
    const key = keys.key(id)
    const place = known.keys.findBytes(key, 0, key.length)
    if (place < 0) return undefined
    const entry = known.entries[place]
    this.#resolve(keys, id, entry)
    return entry
  }

  /** undefined: another key has its number. */
  add(measurement: number, keys: SeriesKeys, id: number): number | undefined {
    const known = this.#measurements.get(measurement) ?? newlyKnown()
    this.#measurements.set(measurement, known)
    const key = keys.key(id)
    const place = known.keys.count
    if (known.numbers.intern(hashOf(key), 0, numberBytes) !== place) return undefined
    known.keys.intern(key, 0, key.length)
    const entry = this.#count++
    known.entries = withRoom(known.entries, place)
    known.entries[place] = entry
    this.#places = withRoom(this.#places, entry)
    this.#places[entry] = place
    this.#owners.push(known)
    this.#resolve(keys, id, entry)
    return entry
  }

  number(entry: number): bigint {
    return this.#owners[entry].numbers.view.getBigUint64(this.#places[entry] * numberBytes, true)
  }

  /** The two halves of its number, to where `at` says: no 64 bits in one, which would be an object for each row. */
  copyNumber(entry: number, halves: Uint32Array, at: number): void {
    const { view } = this.#owners[entry].numbers
    const from = this.#places[entry] * numberBytes
    halves[at] = view.getUint32(from, true)
    halves[at + 1] = view.getUint32(from + 4, true)
  }

  /** A copy. */
  key(entry: number): Uint8Array {
    return this.#owners[entry].keys.get(this.#places[entry]).slice()
  }

  isSeen(entry: number, spanClass: number, span: bigint): boolean {
    return hasBit(this.seenIn(spanClass, span), entry)
  }

  /** What the index has of a span now: for `hasBit`, of many entries. */
  seenIn(spanClass: number, span: bigint): Uint8Array {
    return this.#seen.get(`${spanClass}:${span}`) ?? nothing
  }

  /** The index has it now. `owner`: of when the entry was found. */
  saw(owner: object, entry: number, spanClass: number, span: bigint): void {
    // Meanwhile everything may have been forgotten.
    if (owner !== this.#owner) return
    const name = `${spanClass}:${span}`
    let seen = this.#seen.get(name)
    if (seen === undefined && this.#seen.size >= spansMax) {
      this.#seen.delete(this.#seen.keys().next().value!)
    }
    if (seen === undefined || entry >>> 3 >= seen.length) {
      const larger = new Uint8Array((this.#places.length >>> 3) + 1)
      larger.set(seen ?? [])
      seen = larger
      this.#seen.set(name, seen)
    }
    seen[entry >>> 3] |= 1 << (entry & 7)
  }

  get entryCount(): number {
    return this.#count
  }

  #resolve(keys: SeriesKeys, id: number, entry: number): void {
    let { resolved } = keys
    if (resolved?.owner !== this.#owner) {
      resolved = { owner: this.#owner, ids: new Uint32Array(keys.count) }
      keys.resolved = resolved
    }
    if (id >= resolved.ids.length) {
      const larger = new Uint32Array(Math.max(keys.count, 2 * resolved.ids.length))
      larger.set(resolved.ids)
      resolved.ids = larger
    }
    resolved.ids[id] = entry + 1
  }

  forget(): void {
    this.#count = 0
    this.#measurements = new Map()
    this.#owners = []
    this.#places = new Uint32Array(64)
    this.#seen = new Map()
    this.#owner = {}
  }
}

const nothing = new Uint8Array()

export function hasBit(bits: Uint8Array, at: number): boolean {
  return at >>> 3 < bits.length && (bits[at >>> 3] & (1 << (at & 7))) !== 0
}

function newlyKnown(): Known {
  return { keys: new ByteTable(), numbers: new ByteTable(), entries: new Uint32Array(1) }
}

function withRoom(array: Uint32Array, at: number): Uint32Array {
  if (at < array.length) return array
  const larger = new Uint32Array(2 * array.length)
  larger.set(array)
  return larger
}

function hashOf(key: Uint8Array): Buffer {
  return hash('sha1', key, 'buffer')
}

export function seriesNumber(key: Uint8Array): bigint {
  return hashOf(key).readBigUInt64LE(0)
}
