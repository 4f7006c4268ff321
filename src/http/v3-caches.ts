// `/api/v3/configure/last_cache` and `/api/v3/configure/distinct_cache`: what SQL's `last_cache` and `distinct_cache`
// answer, defined and deleted by whoever may write to the database. Paths, names in bodies and statuses are those of
// InfluxDB 3.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Bucket } from '../catalog/storage/buckets.js'
import type { DistinctCacheBody, LastCacheBody } from '../catalog/storage/value-caches.js'
import { UserError } from '../errors.js'
import { DatabaseCaches } from '../service/databases/value-caches.js'
import { databaseBucket } from '../service/targets/database-bucket.js'
import { identify } from './base/credentials.js'
import { guardedRoutes } from './base/guarded-routes.js'
import { parameter } from './base/parameters.js'
import type { Services } from './base/services.js'

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Columns = Type.Array(Type.String(), { maxItems: 100 })
/** Up to what 64 bits hold in nanoseconds. */
const Seconds = Type.Integer({ minimum: 1, maximum: 9_223_372_036 })
const place = { db: Type.String(), table: Type.String(), name: Type.Optional(Name) }

const LastCacheCreate = Type.Object({
  ...place,
  key_columns: Type.Optional(Columns),
  value_columns: Type.Optional(Columns),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  ttl: Type.Optional(Seconds),
})

const DistinctCacheCreate = Type.Object({
  ...place,
  columns: Columns,
  max_cardinality: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  max_age: Type.Optional(Seconds),
})

export function cacheRoutes(app: FastifyInstance, services: Services): void {
  const caches = new DatabaseCaches(services)
  const bucketOf = async (request: FastifyRequest, db: string) =>
    databaseBucket(services, await identify(services, request), db, 'write')
  guardedRoutes(app, services, (scope) => {
    lastCacheRoutes(scope, caches, bucketOf)
    distinctCacheRoutes(scope, caches, bucketOf)
  })
}

type BucketOf = (request: FastifyRequest, db: string) => Promise<Bucket>

function lastCacheRoutes(app: FastifyInstance, caches: DatabaseCaches, bucketOf: BucketOf): void {
  const path = '/api/v3/configure/last_cache'

  app.post<{ Body: Static<typeof LastCacheCreate> }>(
    path,
    { schema: { body: LastCacheCreate } },
    async (request, reply) => {
      const { db, table, name, key_columns, value_columns, count, ttl } = request.body
      const made = await caches.createLast(await bucketOf(request, db), {
        table,
        name,
        keyColumns: key_columns,
        valueColumns: value_columns,
        count,
        ttlSeconds: ttl,
      })
      return reply.code(201).send(lastCacheJson(made.name, made.body))
    },
  )

  app.delete(path, async (request) => {
    const { db, table, name } = cacheToDelete(request)
    return lastCacheJson(name, await caches.deleteLast(await bucketOf(request, db), table, name))
  })
}

function distinctCacheRoutes(
  app: FastifyInstance,
  caches: DatabaseCaches,
  bucketOf: BucketOf,
): void {
  const path = '/api/v3/configure/distinct_cache'

  app.post<{ Body: Static<typeof DistinctCacheCreate> }>(
    path,
    { schema: { body: DistinctCacheCreate } },
    async (request, reply) => {
      const { db, table, name, columns, max_cardinality, max_age } = request.body
      const made = await caches.createDistinct(await bucketOf(request, db), {
        table,
        name,
        columns,
        maxCardinality: max_cardinality,
        maxAgeSeconds: max_age,
      })
      return reply.code(201).send(distinctCacheJson(made.name, made.body))
    },
  )

  app.delete(path, async (request) => {
    const { db, table, name } = cacheToDelete(request)
    const bucket = await bucketOf(request, db)
    return distinctCacheJson(name, await caches.deleteDistinct(bucket, table, name))
  })
}

/** By the query string, or by a body in JSON. */
function cacheToDelete(request: FastifyRequest) {
  const body = (request.body ?? {}) as Readonly<Record<string, unknown>>
  const require = (name: string): string => {
    const value = parameter(request, name) ?? body[name]
    if (typeof value !== 'string') throw new UserError('invalid', `${name} is required`)
    return value
  }
  return { db: require('db'), table: require('table'), name: require('name') }
}

function lastCacheJson(name: string, body: LastCacheBody): object {
  const { table, keyColumns, valueColumns, count, ttlSeconds } = body
  return {
    table,
    name,
    key_columns: keyColumns,
    /** null: all that are no keys. */
    value_columns: valueColumns ?? null,
    count,
    ttl: ttlSeconds,
  }
}

function distinctCacheJson(name: string, body: DistinctCacheBody): object {
  const { table, columns, maxCardinality, maxAgeSeconds } = body
  return {
    table_name: table,
    cache_name: name,
    columns,
    max_cardinality: maxCardinality,
    max_age_seconds: maxAgeSeconds,
  }
}
