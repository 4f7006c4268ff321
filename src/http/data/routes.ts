// The endpoints of the data plane that both variants have. What only one of them has is added where
// the variant is assembled.

import type { Services } from '../base/services.js'
import { healthRoutes } from './health.js'
import { prometheusReadRoute, prometheusWriteRoute } from './prometheus.js'
import { v1QueryRoute } from './query-v1.js'
import { v3QueryRoute } from './query-v3.js'
import type { DataRoute } from './router.js'
import { v1WriteRoute } from './write-v1.js'
import { v2WriteRoute } from './write-v2.js'
import { v3WriteRoute } from './write-v3.js'

export function dataRoutes(services: Services): DataRoute[] {
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
