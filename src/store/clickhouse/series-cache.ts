// Series that this process has written: their numbers, and in which spans of time the index has them already. A
// series is known in ClickHouse by a number of 64 bits, a hash of its key, which holds within its measurement; the
// cache saves hashing, and writes to the index. It is bounded by forgetting everything: what is then written again
// does no harm. A new generation of a measurement is another one here: its index has to be told of everything again.

import { hash } from 'node:crypto'
import { parseSeriesKey, type Series, type SeriesKeys } from '../../column/series.js'
import type { Measurement } from './registry.js'

const entriesMax = 2_000_000
/** Spans that are remembered; late points are few. */
const spansMax = 64

export interface SeriesEntry {
  readonly number: bigint
  readonly key: Uint8Array
  readonly series: Series
}

/** What the cache knows a measurement by, in its generation. */
export function cacheKey({
  number,
  generation,
}: Pick<Measurement, 'number' | 'generation'>): number {
  return generation * 2 ** 32 + number
}

export class SeriesCache {
  #entries: SeriesEntry[] = []
  #measurements: number[] = []
  #ids = new Map<number, Map<string, number>>()
  #numbers = new Map<number, Map<bigint, number>>()
  #seen = new Map<string, Set<number>>()
  /** Numbers of keys are ours as long as this is. */
  #owner = {}

  /** The entry of a key; undefined: it is not known. */
  find(measurement: number, keys: SeriesKeys, id: number): number | undefined {
    const { resolved } = keys
    if (resolved?.owner === this.#owner && id < resolved.ids.length) {
      const entry = resolved.ids[id] - 1
      if (entry >= 0 && this.#measurements[entry] === measurement) return entry
    }
    const entry = this.#ids.get(measurement)?.get(textOf(keys.key(id)))
    if (entry !== undefined) this.#resolve(keys, id, entry)
    return entry
  }

  /** undefined: another key has its number. */
  add(measurement: number, keys: SeriesKeys, id: number): number | undefined {
    if (this.#entries.length >= entriesMax) this.forget()
    const key = Uint8Array.from(keys.key(id))
    const number = seriesNumber(key)
    const numbers = this.#numbers.get(measurement) ?? new Map<bigint, number>()
    this.#numbers.set(measurement, numbers)
    if (numbers.has(number)) return undefined
    const entry = this.#entries.length
    this.#entries.push({ number, key, series: parseSeriesKey(key) })
    this.#measurements.push(measurement)
    const ids = this.#ids.get(measurement) ?? new Map<string, number>()
    this.#ids.set(measurement, ids)
    ids.set(textOf(key), entry)
    numbers.set(number, entry)
    this.#resolve(keys, id, entry)
    return entry
  }

  at(entry: number): SeriesEntry {
    return this.#entries[entry]
  }

  isSeen(entry: number, spanClass: number, span: bigint): boolean {
    return this.#seen.get(`${spanClass}:${span}`)?.has(entry) === true
  }

  /** The index has it now. */
  saw(entry: SeriesEntry, at: number, spanClass: number, span: bigint): void {
    // Meanwhile everything may have been forgotten.
    if (this.#entries[at] !== entry) return
    const name = `${spanClass}:${span}`
    let seen = this.#seen.get(name)
    if (seen === undefined) {
      if (this.#seen.size >= spansMax) this.#seen.delete(this.#seen.keys().next().value!)
      seen = new Set()
      this.#seen.set(name, seen)
    }
    seen.add(at)
  }

  get entryCount(): number {
    return this.#entries.length
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
    this.#entries = []
    this.#measurements = []
    this.#ids = new Map()
    this.#numbers = new Map()
    this.#seen = new Map()
    this.#owner = {}
  }
}

export function seriesNumber(key: Uint8Array): bigint {
  return hash('sha1', key, 'buffer').readBigUInt64LE(0)
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}
