// The control plane of the managed variant: buckets in organizations, the resource API under `/api/v2`, v1 paths
// through DBRP mappings. What users fill an organization with is in `content.ts`.

import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import { backupRoutes } from './backups.js'
import { documentRoutes } from './base/api-document.js'
import { jsonRoutes } from './base/bodies.js'
import type { Services } from './base/services.js'
import type { DataRouter } from './data/router.js'
import { exportRoute } from './export.js'
import { readinessRoutes } from './health.js'
import { movingRoutes } from './moving.js'
import type { ControlPlane } from './server.js'
import { authorizationRoutes } from './v2/accounts/authorizations.js'
import { legacyAuthorizationRoutes } from './v2/accounts/legacy-authorizations.js'
import { limitRoutes } from './v2/accounts/limits.js'
import { meRoutes } from './v2/accounts/me.js'
import { organizationRoutes } from './v2/accounts/organizations.js'
import { secretRoutes } from './v2/accounts/secrets.js'
import { sessionRoutes } from './v2/accounts/session.js'
import { setupRoutes } from './v2/accounts/setup.js'
import { usageRoute } from './v2/accounts/usage.js'
import { userRoutes } from './v2/accounts/users.js'
import { influxBackupRoutes } from './v2/backup/backup.js'
import { influxRestoreRoutes } from './v2/backup/restore.js'
import { labelsRoutes } from './v2/dashboards/labels.js'
import { importRoutes } from './v2/imports/imports.js'
import { routesRoutes } from './v2/routes.js'
import { runningQueryRoutes } from './v2/running-queries.js'
import { bucketLiveRoute } from './v2/storage/bucket-live.js'
import { bucketSchemaRoute } from './v2/storage/bucket-schema.js'
import { bucketRoutes } from './v2/storage/buckets.js'
import { dbrpRoutes } from './v2/storage/dbrps.js'
import { deleteRoute } from './v2/storage/delete.js'
import { measurementSchemaRoutes } from './v2/storage/measurement-schemas.js'
import { remoteRoutes } from './v2/storage/remotes.js'
import { replicationRoutes } from './v2/storage/replications.js'
import { scraperRoutes } from './v2/storage/scrapers.js'
import { queryToolRoutes } from './v2/tasks/query-tools.js'
import { cacheRoutes } from './v3-caches.js'
import { managedDatabaseRoutes } from './v3-databases.js'
import { tableRoutes } from './v3-tables.js'
import { managedTokenRoutes } from './v3-tokens.js'

export function buildManaged(services: Services, dataPlane: DataRouter): Promise<ControlPlane> {
  return buildApp(services, dataPlane, (app) => addRoutes(app, services))
}

function addRoutes(app: FastifyInstance, services: Services): void {
  readinessRoutes(app, services)
  documentRoutes(app, services.document)
  exportRoute(app, services)
  jsonRoutes(app, (scope) => backupRoutes(scope, services))
  jsonRoutes(app, (scope) => movingRoutes(scope, services))
  influxBackupRoutes(app, services)
  influxRestoreRoutes(app, services)
  jsonRoutes(app, (scope) => {
    setupRoutes(scope, services)
    sessionRoutes(scope, services)
    meRoutes(scope, services)
    userRoutes(scope, services)
    organizationRoutes(scope, services)
    secretRoutes(scope, services)
    limitRoutes(scope, services)
    usageRoute(scope, services)
    authorizationRoutes(scope, services)
    legacyAuthorizationRoutes(scope, services)
    dbrpRoutes(scope, services)
    bucketRoutes(scope, services)
    bucketSchemaRoute(scope, services)
    bucketLiveRoute(scope, services)
    measurementSchemaRoutes(scope, services)
    deleteRoute(scope, services)
    remoteRoutes(scope, services)
    replicationRoutes(scope, services)
    scraperRoutes(scope, services)
    importRoutes(scope, services)
    labelsRoutes(scope, services)
    queryToolRoutes(scope, services)
    runningQueryRoutes(scope, services)
    routesRoutes(scope, services)
    managedDatabaseRoutes(scope, services)
    tableRoutes(scope, services)
    cacheRoutes(scope, services)
  })
  jsonRoutes(app, (scope) => managedTokenRoutes(scope, services))
}
