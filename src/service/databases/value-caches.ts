// Caches of a database as v3 defines them: checked against the columns that the table has, named after them where no
// name is given, and kept in the catalog. Rules and defaults are those of InfluxDB 3.

import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { DistinctCacheBody, LastCacheBody } from '../../catalog/storage/value-caches.js'
import { UserError } from '../../errors.js'
import type { Store } from '../../store/store.js'
import type { ServiceParts } from '../base/parts.js'

export interface LastCacheInput {
  readonly table: string
  readonly name?: string | undefined
  readonly keyColumns?: readonly string[] | undefined
  readonly valueColumns?: readonly string[] | undefined
  readonly count?: number | undefined
  readonly ttlSeconds?: number | undefined
}

export interface DistinctCacheInput {
  readonly table: string
  readonly name?: string | undefined
  readonly columns: readonly string[]
  readonly maxCardinality?: number | undefined
  readonly maxAgeSeconds?: number | undefined
}

export interface Named<Body> {
  readonly name: string
  readonly body: Body
}

const lastCountDefault = 1
const lastTtlSecondsDefault = 4 * 3600
const distinctCardinalityDefault = 100_000
const distinctAgeSecondsDefault = 24 * 3600

export class DatabaseCaches {
  readonly #store: Store
  readonly #catalog: Catalog

  constructor({ store, catalog }: Pick<ServiceParts, 'store' | 'catalog'>) {
    this.#store = store
    this.#catalog = catalog
  }

  async createLast(bucket: Bucket, input: LastCacheInput): Promise<Named<LastCacheBody>> {
    const { table, valueColumns } = input
    const columns = await this.#columns(bucket, table)
    const keyColumns = input.keyColumns ?? namesOf(columns, 'tag')
    for (const name of requireUnique(keyColumns)) {
      const type = columns.get(name)
      if (type === undefined) throw new UserError('invalid', `invalid key column provided: ${name}`)
      if (type !== 'float' && type !== 'time') continue
      const rule = 'key columns are tags, strings, integers, unsigned integers or booleans'
      throw new UserError('invalid', `key column "${name}" has the type ${type}: ${rule}`)
    }
    for (const name of requireUnique(valueColumns ?? [])) {
      if (!columns.has(name)) {
        throw new UserError('invalid', `invalid value column provided: ${name}`)
      }
      if (keyColumns.includes(name)) {
        throw new UserError('invalid', `column "${name}" cannot be a key and a value`)
      }
    }
    const name = input.name ?? `${table}_${keyColumns.join('_')}_last_cache`
    const { count = lastCountDefault, ttlSeconds = lastTtlSecondsDefault } = input
    const values = valueColumns === undefined ? {} : { valueColumns }
    const body = { table, keyColumns, ...values, count, ttlSeconds }
    await this.#catalog.inTransaction(({ lastCaches }) => lastCaches.create(bucket, name, body))
    return { name, body }
  }

  async createDistinct(
    bucket: Bucket,
    input: DistinctCacheInput,
  ): Promise<Named<DistinctCacheBody>> {
    const { table } = input
    const known = await this.#columns(bucket, table)
    const columns = requireUnique(input.columns)
    if (columns.length === 0) {
      throw new UserError('invalid', 'no columns provided when creating distinct cache')
    }
    for (const name of columns) {
      const type = known.get(name)
      if (type === undefined) throw new UserError('invalid', `invalid column provided: ${name}`)
      if (type === 'tag' || type === 'string') continue
      const rule = 'columns of a distinct cache are tags or strings'
      throw new UserError('invalid', `column "${name}" has the type ${type}: ${rule}`)
    }
    const name = input.name ?? `${table}_${columns.join('_')}_distinct_cache`
    const { maxCardinality = distinctCardinalityDefault } = input
    const { maxAgeSeconds = distinctAgeSecondsDefault } = input
    const body = { table, columns, maxCardinality, maxAgeSeconds }
    await this.#catalog.inTransaction(({ distinctCaches }) =>
      distinctCaches.create(bucket, name, body),
    )
    return { name, body }
  }

  deleteLast({ id }: Bucket, table: string, name: string): Promise<LastCacheBody> {
    return this.#catalog.inTransaction(({ lastCaches }) => lastCaches.delete(id, table, name))
  }

  deleteDistinct({ id }: Bucket, table: string, name: string): Promise<DistinctCacheBody> {
    return this.#catalog.inTransaction(({ distinctCaches }) =>
      distinctCaches.delete(id, table, name),
    )
  }

  /** They go with their table. */
  deleteOfTable(bucketId: string, table: string): Promise<void> {
    return this.#catalog.inTransaction(async ({ lastCaches, distinctCaches }) => {
      await lastCaches.deleteOfTable(bucketId, table)
      await distinctCaches.deleteOfTable(bucketId, table)
    })
  }

  /** A name that is a tag's and a field's is the tag's, as in SQL. */
  async #columns({ id }: Bucket, table: string): Promise<ReadonlyMap<string, string>> {
    const { version, fields, tagKeys } = await this.#store.measurementSchema(id, table)
    if (version === 0) throw new UserError('not found', `table not found: ${table}`)
    const columns = new Map<string, string>(fields.map(({ name, type }) => [name, type]))
    for (const name of tagKeys) columns.set(name, 'tag')
    return columns.set('time', 'time')
  }
}

function namesOf(columns: ReadonlyMap<string, string>, type: string): string[] {
  return [...columns].flatMap((column) => (column[1] === type ? [column[0]] : [])).sort()
}

function requireUnique(names: readonly string[]): readonly string[] {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return names
  throw new UserError('invalid', `column "${twice}" is given twice`)
}
