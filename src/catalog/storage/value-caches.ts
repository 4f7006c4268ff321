// Last-value and distinct-value caches of v3: what the SQL functions `last_cache` and `distinct_cache` answer. Only the
// definitions are kept, each with the bucket of its database: the rows are read from the store when they are asked for.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'

export interface LastCacheBody {
  readonly table: string
  readonly keyColumns: readonly string[]
  /** undefined: all that are no keys, whichever the table has by then. */
  readonly valueColumns?: readonly string[]
  /** Rows of each key. */
  readonly count: number
  /** Older rows are not shown. */
  readonly ttlSeconds: number
}

export interface DistinctCacheBody {
  readonly table: string
  readonly columns: readonly string[]
  /** Of more combinations, those that were seen last. */
  readonly maxCardinality: number
  readonly maxAgeSeconds: number
}

/** Of one kind in one database. */
const cachesMax = 1000

export class ValueCaches<Body extends { readonly table: string }> {
  readonly #records: Records<Body>
  readonly #noun: string

  constructor(context: CatalogContext, kind: 'last-cache' | 'distinct-cache') {
    this.#noun = kind.replace('-', ' ')
    this.#records = new Records(context, { kind, noun: this.#noun, uniqueName: exactName })
  }

  /** In a transaction. */
  async create(
    bucket: { readonly id: string; readonly orgId: string },
    name: string,
    body: Body,
  ): Promise<void> {
    const all = await this.#records.list({ parentId: bucket.id })
    if (all.some((known) => known.name === keyOf(body.table, name))) {
      throw new UserError('conflict', `${this.#noun} already exists: ${name}`, 409)
    }
    if (all.length >= cachesMax) {
      const rule = `a database has at most ${cachesMax} of its kind`
      throw new UserError('unprocessable entity', `${this.#noun} "${name}" is too many: ${rule}`)
    }
    const { id: parentId, orgId } = bucket
    await this.#records.create({ orgId, parentId, name: keyOf(body.table, name), body })
  }

  /** The one of that name; without a name the table's only one. */
  async find(bucketId: string, table: string, name: string | undefined): Promise<Body | undefined> {
    const named = name === undefined ? undefined : keyOf(table, name)
    const all = await this.#records.list({ parentId: bucketId, name: named })
    const found = all.filter(({ body }) => body.table === table)
    return found.length === 1 ? found[0].body : undefined
  }

  /** In a transaction. What it was; throws where there is none. */
  async delete(bucketId: string, table: string, name: string): Promise<Body> {
    const [found] = await this.#records.list({ parentId: bucketId, name: keyOf(table, name) })
    if (found === undefined) {
      throw new UserError('not found', `${this.#noun} not found: ${name}`)
    }
    await this.#records.delete(found.id)
    return found.body
  }

  /** In a transaction. */
  async deleteOfTable(bucketId: string, table: string): Promise<void> {
    const all: CatalogRecord<Body>[] = await this.#records.list({ parentId: bucketId })
    for (const { id, body } of all) if (body.table === table) await this.#records.delete(id)
  }
}

/** Names are unique in their table. */
function keyOf(table: string, name: string): string {
  return JSON.stringify([table, name])
}
