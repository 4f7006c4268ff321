// The managed variant: buckets in organizations, the resource API under `/api/v2`, v1 paths through
// DBRP mappings.

import { type App, buildApp } from './app.js'
import { jsonRoutes, rawRoutes } from './bodies.js'
import { exportRoute } from './export.js'
import { healthRoutes } from './health.js'
import type { Services } from './services.js'
import { findManagedDatabase, v1WriteRoute } from './v1/write.js'
import { dbrpRoutes } from './v2/dbrps.js'
import { setupRoutes } from './v2/setup.js'
import { findManagedBucket, v2WriteRoute } from './v2/write.js'

export function buildManaged(services: Services): App {
  const app = buildApp(services)
  healthRoutes(app, services)
  exportRoute(app, services, findManagedBucket)
  rawRoutes(app, (scope) => {
    v2WriteRoute(scope, services, findManagedBucket)
    v1WriteRoute(scope, services, findManagedDatabase)
  })
  jsonRoutes(app, (scope) => {
    setupRoutes(scope, services)
    dbrpRoutes(scope, services)
  })
  return app
}
