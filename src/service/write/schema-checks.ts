// What the points of buckets with an explicit schema must be, cached by bucket while the schemas
// are unchanged.

import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { VersionedCache } from '../base/versioned-cache.js'
import { SchemaCheck } from './schema-check.js'

export class SchemaChecks {
  readonly #catalog: Catalog
  readonly #checks: VersionedCache<SchemaCheck>

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#checks = new VersionedCache(catalog, ['buckets', 'measurement-schemas'])
  }

  /** Undefined where the points may be anything. */
  of(bucket: Bucket): MaybePromise<SchemaCheck | undefined> {
    if (bucket.schemaType === 'implicit') return undefined
    return this.#checks.cached(bucket.id) ?? this.#read(bucket)
  }

  #read({ id }: Bucket): Promise<SchemaCheck> {
    const { measurementSchemas } = this.#catalog
    return this.#checks.find(id, async () => new SchemaCheck(await measurementSchemas.ofBucket(id)))
  }
}
