// The control plane of the cluster variant: databases instead of buckets, no organizations on the outside; the
// management of databases and their tokens, and what the web UI asks besides.

import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import { backupRoutes } from './backups.js'
import { jsonRoutes } from './base/bodies.js'
import type { Services } from './base/services.js'
import { clusterAdminTokenRoutes } from './cluster/cluster-admin-tokens.js'
import { clusterManagementRoutes } from './cluster/cluster-management.js'
import { clusterSessionRoutes } from './cluster/cluster-session.js'
import { clusterTokenRoutes } from './cluster/cluster-tokens.js'
import type { DataRouter } from './data/router.js'
import { exportRoute } from './export.js'
import { readinessRoutes } from './health.js'
import type { ControlPlane } from './server.js'
import { answerWithUi } from './ui.js'
import { runningQueryRoutes } from './v2/running-queries.js'
import { bucketLiveRoute } from './v2/storage/bucket-live.js'
import { bucketSchemaRoute } from './v2/storage/bucket-schema.js'
import { bucketListRoute } from './v2/storage/buckets.js'
import { cacheRoutes } from './v3-caches.js'
import { clusterDatabaseRoutes } from './v3-databases.js'
import { tableRoutes } from './v3-tables.js'

export function buildCluster(services: Services, dataPlane: DataRouter): Promise<ControlPlane> {
  return buildApp(services, dataPlane, (app) => addRoutes(app, services))
}

function addRoutes(app: FastifyInstance, services: Services): void {
  readinessRoutes(app, services)
  // The page for browsers; for probes that ask for nothing in particular, that it is there.
  app.get('/', async (request, reply) => {
    const isBrowser = (request.headers.accept ?? '').includes('text/html')
    if (isBrowser && (await answerWithUi(services, request, reply))) return reply
    return { status: 'pass' }
  })
  exportRoute(app, services)
  jsonRoutes(app, (scope) => backupRoutes(scope, services))
  jsonRoutes(app, (scope) => clusterDatabaseRoutes(scope, services))
  // What the web UI asks besides.
  jsonRoutes(app, (scope) => {
    clusterSessionRoutes(scope, services)
    bucketListRoute(scope, services)
    bucketSchemaRoute(scope, services)
    bucketLiveRoute(scope, services)
    runningQueryRoutes(scope, services)
  })
  jsonRoutes(app, (scope) => clusterTokenRoutes(scope, services))
  jsonRoutes(app, (scope) => clusterAdminTokenRoutes(scope, services))
  jsonRoutes(app, (scope) => tableRoutes(scope, services))
  jsonRoutes(app, (scope) => cacheRoutes(scope, services))
  jsonRoutes(app, (scope) => clusterManagementRoutes(scope, services))
}
