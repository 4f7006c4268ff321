// `/ping` and `/health`: whether the server is
// there. Neither asks for a credential.

import { v2Errors } from '../base/errors.js'
import { booleanOf, parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { interfaceVersion, programVersion, toldVersion } from '../base/version.js'
import type { DataRoute } from './router.js'

export function healthRoutes(services: Services): DataRoute[] {
  const { variant } = services.config
  const version = interfaceVersion(variant)
  const health = {
    name: 'influxdb',
    message: 'ready for queries and writes',
    status: 'pass',
    checks: [],
    version: toldVersion(variant),
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
        // As InfluxDB has it: anything that does not say no.
        const head = exchange.head(version)
        const isPlain = verbose === undefined || booleanOf(verbose) === false
        if (isPlain) exchange.sendNothing([], head)
        else exchange.sendJson({ version }, head)
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
