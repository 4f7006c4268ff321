// What the points of a bucket must be, cached by bucket while nothing of it changes: by the schemas of explicit
// buckets, and by the tables that were defined before their points.

import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { type MaybePromise, whenReady } from '../../platform/pull-stream.js'
import { VersionedCache } from '../base/versioned-cache.js'
import type { BucketTables, DefinedTables } from '../tables/defined-tables.js'
import { SchemaCheck } from './schema-check.js'
import { definedTable, explicitSchema } from './schema-rules.js'

export class SchemaChecks {
  readonly #catalog: Catalog
  readonly #tables: DefinedTables
  readonly #checks: VersionedCache<SchemaCheck>
  /** By the tables of a bucket, which are another object after each change. */
  readonly #tableChecks = new WeakMap<BucketTables, SchemaCheck>()

  constructor(catalog: Catalog, tables: DefinedTables) {
    this.#catalog = catalog
    this.#tables = tables
    this.#checks = new VersionedCache(catalog, ['buckets', 'measurement-schemas'])
  }

  /** Undefined where the points may be anything. */
  ofSchemas(bucket: Bucket): MaybePromise<SchemaCheck | undefined> {
    if (bucket.schemaType === 'implicit') return undefined
    return this.#checks.cached(bucket.id) ?? this.#read(bucket)
  }

  ofTables({ id }: Bucket): MaybePromise<SchemaCheck | undefined> {
    return whenReady(this.#tables.all(), (all) => {
      const tables = all.get(id)
      if (tables === undefined) return undefined
      const known = this.#tableChecks.get(tables)
      const check = known ?? new SchemaCheck(tables.values(), definedTable)
      if (known === undefined) this.#tableChecks.set(tables, check)
      return check
    })
  }

  #read({ id }: Bucket): Promise<SchemaCheck> {
    return this.#checks.find(id, async () => {
      const schemas = await this.#catalog.measurementSchemas.ofBucket(id)
      const known = schemas.map(({ name, body }) => ({ name, columns: body.columns }))
      return new SchemaCheck(known, explicitSchema)
    })
  }
}
