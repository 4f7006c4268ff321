// `/api/v3/configure/table`: a table, which is a measurement, is dropped with all of its points. Tables come with the
// first points that are written to them: one without points cannot be made.

import type { FastifyInstance } from 'fastify'
import { allTime } from '../column/time.js'
import { UserError } from '../errors.js'
import { DatabaseCaches } from '../service/databases/value-caches.js'
import { databaseBucket } from '../service/targets/database-bucket.js'
import { identify } from './base/credentials.js'
import { parameter } from './base/parameters.js'
import type { Services } from './base/services.js'
import { guardedRoutes } from './v2/resources/resource-access.js'

const path = '/api/v3/configure/table'

export function tableRoutes(app: FastifyInstance, services: Services): void {
  const { catalog, limits, store } = services
  const caches = new DatabaseCaches(services)
  guardedRoutes(app, services, (scope) => {
    scope.post(path, async () => {
      const reason = 'a table is made by the first points that are written to it'
      throw new UserError('not implemented', reason)
    })

    scope.delete(path, async (request) => {
      const identity = await identify(services, request)
      const [db, table] = [parameter(request, 'db'), parameter(request, 'table')]
      if (db === undefined) throw new UserError('invalid', 'db is required')
      if (table === undefined) throw new UserError('invalid', 'table is required')
      const { id: bucket, orgId } = await databaseBucket(services, identity, db, 'write')
      const { features } = await catalog.limits.of(orgId)
      if (!features.allowDelete) {
        throw new UserError('forbidden', 'the organization may not delete points')
      }
      const { version } = await store.measurementSchema(bucket, table)
      if (version === 0) throw new UserError('not found', `table not found: ${table}`)
      await limits.delete(orgId, () => store.delete({ bucket, range: allTime, measurement: table }))
      await caches.deleteOfTable(bucket, table)
      return { 'iox::database': db, 'iox::table': table }
    })
  })
}
