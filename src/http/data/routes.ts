// The endpoints of the data plane: those that both variants have, and what only the managed one has
// besides.

import type { Services } from '../base/services.js'
import { healthRoutes } from './health.js'
import { importDataRoute } from './import-data.js'
import { prometheusReadRoute, prometheusWriteRoute } from './prometheus.js'
import { v1QueryRoute } from './query-v1.js'
import { v2QueryRoute } from './query-v2.js'
import { v3QueryRoute } from './query-v3.js'
import type { DataRoute } from './router.js'
import { scriptInvocationRoute } from './script-invocation.js'
import { v1WriteRoute } from './write-v1.js'
import { v2WriteRoute } from './write-v2.js'
import { v3WriteRoute } from './write-v3.js'

export function clusterDataRoutes(services: Services): DataRoute[] {
  return [
    ...healthRoutes(services),
    v1WriteRoute(services),
    v2WriteRoute(services),
    v3WriteRoute(),
    prometheusWriteRoute(services),
    prometheusReadRoute(services),
    v1QueryRoute(),
    v3QueryRoute('sql'),
    v3QueryRoute('influxql'),
  ]
}

export function managedDataRoutes(services: Services): DataRoute[] {
  return [
    ...clusterDataRoutes(services),
    v2QueryRoute(services),
    scriptInvocationRoute(services),
    importDataRoute(),
  ]
}
