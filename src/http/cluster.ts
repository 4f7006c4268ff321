// The cluster variant: databases instead of buckets, no organizations on the outside, writes and v1
// queries only.

import { type App, buildApp } from './app.js'
import { rawRoutes } from './bodies.js'
import { exportRoute } from './export.js'
import { healthRoutes } from './health.js'
import type { Services } from './services.js'
import { queryRoutes } from './v1/query.js'
import { clusterQueries } from './v1/query-variants.js'
import { findOrMakeClusterDatabase, v1WriteRoute } from './v1/write.js'
import { findClusterBucket, v2WriteRoute } from './v2/write.js'

export function buildCluster(services: Services): App {
  const app = buildApp(services)
  healthRoutes(app, services)
  exportRoute(app, services, findClusterBucket)
  rawRoutes(app, (scope) => {
    v2WriteRoute(scope, services, findClusterBucket)
    v1WriteRoute(scope, services, findOrMakeClusterDatabase)
    queryRoutes(scope, services, clusterQueries(services))
  })
  return app
}
