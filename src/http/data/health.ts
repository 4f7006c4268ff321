// `/ping` and `/health`: whether the server is
// there. Neither asks for a credential.

import { v2Errors } from '../base/errors.js'
import { parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { interfaceVersion, programVersion } from '../base/version.js'
import type { DataRoute } from './router.js'

export function healthRoutes(services: Services): DataRoute[] {
  const version = interfaceVersion(services.config.variant)
  const health = {
    name: 'influxdb',
    message: 'ready for queries and writes',
    status: 'pass',
    checks: [],
    version,
    commit: `millrace-${programVersion}`,
  }
  return [
    {
      methods: ['GET', 'HEAD'],
      path: '/ping',
      errors: v2Errors,
      // To ask for an ingester, clients send a write.
      role: 'read',
      handle(exchange) {
        const verbose = parameter(exchange, 'verbose')
        if (verbose === undefined || verbose === '0' || verbose === 'false') exchange.sendNothing()
        else exchange.sendJson({ version })
      },
    },
    {
      methods: ['GET', 'HEAD'],
      path: '/health',
      errors: v2Errors,
      handle: (exchange) => exchange.sendJson(health),
    },
  ]
}
