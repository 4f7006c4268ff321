// Answers of the catalog, cached while the versions of the kinds of resources that they were made from are unchanged:
// no request that finds its answer here costs a statement of the catalog's database. What is not there is not cached:
// the next request may come after it was made.

import type { VersionKind } from '../../catalog/base/versions.js'
import type { Catalog } from '../../catalog/catalog.js'
import { type CacheFigures, LruCache } from '../../platform/lru-cache.js'

/** Of an answer and its key, roughly: a bucket, an organization, a list of a few databases. */
const entryBytes = 1024
const bytesMaxDefault = 10 * 1024 * 1024

export interface VersionedCacheOptions<V> {
  readonly bytesMax?: number
  /** Where answers are not all of about the same size. */
  readonly sizeOf?: (value: V, key: string) => number
}

export class VersionedCache<V> {
  readonly #catalog: Pick<Catalog, 'versions'>
  readonly #kinds: readonly VersionKind[]
  readonly #entries: LruCache<string, V>
  #version = -1

  constructor(
    catalog: Pick<Catalog, 'versions'>,
    kinds: readonly VersionKind[],
    options: VersionedCacheOptions<V> = {},
  ) {
    const { bytesMax = bytesMaxDefault, sizeOf = () => entryBytes } = options
    this.#catalog = catalog
    this.#kinds = kinds
    this.#entries = new LruCache({ bytesMax, sizeOf })
  }

  /** Without a promise; undefined where it is not cached. */
  cached(key: string): V | undefined {
    const version = this.#currentVersion()
    if (version !== this.#version) {
      this.#version = version
      this.#entries.clear()
    }
    return this.#entries.get(key)
  }

  async find(key: string, read: () => Promise<V>): Promise<V> {
    const cached = this.cached(key)
    if (cached !== undefined) return cached
    const version = this.#version
    const found = await read()
    // A change while it was read: nobody can tell which of its parts saw it.
    if (version === this.#currentVersion()) this.#entries.set(key, found)
    return found
  }

  figures(): CacheFigures {
    return this.#entries.figures()
  }

  /** Versions never fall: their sum is the same only where each is. */
  #currentVersion(): number {
    let sum = 0
    for (const kind of this.#kinds) sum += this.#catalog.versions[kind]
    return sum
  }
}
