// The managed variant: buckets in organizations, the resource API under `/api/v2`, v1 paths through
// DBRP mappings.

import { documentRoutes } from './api-document.js'
import { type App, buildApp } from './app.js'
import { jsonRoutes, rawRoutes } from './bodies.js'
import { exportRoute } from './export.js'
import { healthRoutes } from './health.js'
import type { RateLimits } from './rate-limits.js'
import type { Services } from './services.js'
import { queryRoutes } from './v1/query.js'
import { managedQueries } from './v1/query-variants.js'
import { findManagedDatabase, v1WriteRoute } from './v1/write.js'
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
import { contentRoutes } from './v2/content.js'
import { labelsRoutes } from './v2/dashboards/labels.js'
import { queryV2Route } from './v2/query/query.js'
import { queryToolRoutes } from './v2/query/query-tools.js'
import { routesRoutes } from './v2/routes.js'
import { bucketRoutes } from './v2/storage/buckets.js'
import { dbrpRoutes } from './v2/storage/dbrps.js'
import { deleteRoute } from './v2/storage/delete.js'
import { measurementSchemaRoutes } from './v2/storage/measurement-schemas.js'
import { findManagedBucket, v2WriteRoute } from './v2/storage/write.js'
import { scriptInvocationRoute } from './v2/tasks/script-invocation.js'
import { v3QueryRoutes } from './v3/query.js'
import { v3WriteRoute } from './v3/write.js'

export function buildManaged(services: Services, rates: RateLimits): App {
  const app = buildApp(services)
  healthRoutes(app, services)
  documentRoutes(app, services)
  exportRoute(app, services, findManagedBucket)
  rawRoutes(app, (scope) => {
    v2WriteRoute(scope, services, findManagedBucket, rates)
    v1WriteRoute(scope, services, findManagedDatabase, rates)
    queryRoutes(scope, services, managedQueries(services, rates))
    v3WriteRoute(scope, services, rates)
    v3QueryRoutes(scope, services, managedQueries(services, rates))
    queryV2Route(scope, services, rates)
    scriptInvocationRoute(scope, services, rates)
  })
  jsonRoutes(app, (scope) => {
    setupRoutes(scope, services)
    sessionRoutes(scope, services)
    meRoutes(scope, services)
    userRoutes(scope, services)
    organizationRoutes(scope, services)
    secretRoutes(scope, services)
    limitRoutes(scope, services)
    usageRoute(scope, services, rates.usage)
    authorizationRoutes(scope, services)
    legacyAuthorizationRoutes(scope, services)
    dbrpRoutes(scope, services)
    bucketRoutes(scope, services)
    measurementSchemaRoutes(scope, services)
    deleteRoute(scope, services, rates)
    labelsRoutes(scope, services)
    queryToolRoutes(scope, services)
    routesRoutes(scope, services)
    contentRoutes(scope, services)
  })
  return app
}
