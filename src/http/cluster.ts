// The cluster variant: databases instead of buckets, no organizations on the outside; writes, queries,
// and the management of databases and their tokens.

import { type App, buildApp } from './app.js'
import { jsonRoutes, rawRoutes } from './bodies.js'
import { clusterDatabaseRoutes } from './cluster-databases.js'
import { guardRole } from './cluster-role.js'
import { clusterTokenRoutes } from './cluster-tokens.js'
import { exportRoute } from './export.js'
import { healthRoutes } from './health.js'
import type { Services } from './services.js'
import { queryRoutes } from './v1/query.js'
import { clusterQueries } from './v1/query-variants.js'
import { findOrMakeClusterDatabase, v1WriteRoute } from './v1/write.js'
import { findClusterBucket, v2WriteRoute } from './v2/storage/write.js'
import { v3QueryRoutes } from './v3/query.js'
import { v3WriteRoute } from './v3/write.js'

export function buildCluster(services: Services): App {
  const app = buildApp(services)
  guardRole(app, services.config)
  healthRoutes(app, services)
  exportRoute(app, services, findClusterBucket)
  rawRoutes(app, (scope) => {
    v2WriteRoute(scope, services, findClusterBucket)
    v1WriteRoute(scope, services, findOrMakeClusterDatabase)
    queryRoutes(scope, services, clusterQueries(services))
    v3WriteRoute(scope, services)
    v3QueryRoutes(scope, services, clusterQueries(services))
  })
  jsonRoutes(app, (scope) => clusterDatabaseRoutes(scope, services))
  jsonRoutes(app, (scope) => clusterTokenRoutes(scope, services))
  return app
}
