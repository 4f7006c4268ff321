// The one cache of this program: bounded in bytes, and what was used least recently goes first. Entries
// form a list from the oldest to the newest; a `get` of the newest one, which is the usual case where the
// same is asked again and again, changes nothing.

/** For monitoring. */
export interface CacheFigures {
  readonly entries: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
}

interface Entry<K, V> {
  readonly key: K
  value: V
  bytes: number
  older: Entry<K, V> | undefined
  newer: Entry<K, V> | undefined
}

export interface CacheOptions<K, V> {
  readonly bytesMax: number
  /** Of the value and its key, roughly. Asked once, when the entry is set. */
  sizeOf(value: V, key: K): number
  /** Told of each value that is no longer in the cache, whatever the reason. */
  onRemoved?: ((value: V, key: K) => void) | undefined
}

export class LruCache<K, V> {
  readonly #options: CacheOptions<K, V>
  readonly #entries = new Map<K, Entry<K, V>>()
  #oldest: Entry<K, V> | undefined
  #newest: Entry<K, V> | undefined
  #bytes = 0
  #hits = 0
  #misses = 0

  constructor(options: CacheOptions<K, V>) {
    this.#options = options
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.#misses++
      return undefined
    }
    this.#hits++
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#append(entry)
    }
    return entry.value
  }

  /** What is larger than the whole cache is not taken. */
  set(key: K, value: V): void {
    this.delete(key)
    const bytes = this.#options.sizeOf(value, key)
    if (bytes > this.#options.bytesMax) {
      this.#options.onRemoved?.(value, key)
      return
    }
    const entry: Entry<K, V> = { key, value, bytes, older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#append(entry)
    this.#bytes += bytes
    while (this.#bytes > this.#options.bytesMax) this.#remove(this.#oldest!)
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#remove(entry)
    return true
  }

  clear(): void {
    while (this.#oldest !== undefined) this.#remove(this.#oldest)
  }

  figures(): CacheFigures {
    const { size: entries } = this.#entries
    return { entries, bytes: this.#bytes, hits: this.#hits, misses: this.#misses }
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key)
    this.#unlink(entry)
    this.#bytes -= entry.bytes
    this.#options.onRemoved?.(entry.value, entry.key)
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
  }
}
