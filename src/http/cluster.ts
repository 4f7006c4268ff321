// The cluster variant: databases instead of buckets, no organizations on the outside; writes, queries,
// and the management of databases and their tokens.

import { type App, buildApp } from './app.js'
import { jsonRoutes } from './base/bodies.js'
import type { Services } from './base/services.js'
import { clusterDatabaseRoutes } from './cluster/cluster-databases.js'
import { clusterTokenRoutes } from './cluster/cluster-tokens.js'
import { healthRoutes } from './data/health.js'
import { v1QueryRoute } from './data/query-v1.js'
import { v3QueryRoute } from './data/query-v3.js'
import { v1WriteRoute } from './data/write-v1.js'
import { v2WriteRoute } from './data/write-v2.js'
import { v3WriteRoute } from './data/write-v3.js'
import { exportRoute } from './export.js'
import { readinessRoutes } from './health.js'

export function buildCluster(services: Services): App {
  const app = buildApp(services, [
    ...healthRoutes(services),
    v1WriteRoute(services),
    v2WriteRoute(services),
    v3WriteRoute(services),
    v1QueryRoute(services),
    v3QueryRoute('sql'),
    v3QueryRoute('influxql'),
  ])
  readinessRoutes(app, services)
  exportRoute(app, services)
  jsonRoutes(app, (scope) => clusterDatabaseRoutes(scope, services))
  jsonRoutes(app, (scope) => clusterTokenRoutes(scope, services))
  return app
}
