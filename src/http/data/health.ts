// `/ping` and `/health`: whether the server is
// there. Neither asks for a credential.

import type { Random } from '../../platform/random.js'
import { v2Errors } from '../base/errors.js'
import { booleanOf, parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { interfaceVersion, programVersion, toldVersion } from '../base/version.js'
import type { Exchange } from './exchange.js'
import type { DataRoute } from './router.js'

/** As InfluxDB has it: anything that does not say no. */
function isVerbose(exchange: Exchange): boolean {
  const verbose = parameter(exchange, 'verbose')
  return verbose !== undefined && booleanOf(verbose) !== false
}

/** The contract's answer has no body: InfluxDB 3's goes to who asks for it by name, or by the method of v3 alone. */
function wantsJson({ request }: Exchange): boolean {
  return request.method === 'POST' || /\bapplication\/json\b/.test(request.headers.accept ?? '')
}

export function healthRoutes(services: Services): DataRoute[] {
  const { variant } = services.config
  const version = interfaceVersion(variant)
  const health = {
    name: 'influxdb',
    version: toldVersion(variant),
    commit: `millrace-${programVersion}`,
  }
  const processId = uuidOf(services.random)
  return [
    {
      methods: variant === 'cluster' ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'],
      path: '/ping',
      errors: v2Errors,
      // To ask for an ingester, clients send a write.
      role: 'read',
      handle(exchange) {
        const head = exchange.head(version)
        if (variant === 'managed') {
          if (isVerbose(exchange)) exchange.sendJson({ version }, head)
          else exchange.sendNothing([], head)
        } else if (isVerbose(exchange) || wantsJson(exchange)) {
          exchange.sendJson(
            {
              product_name: 'Millrace',
              version,
              revision: `millrace-${programVersion}`,
              process_id: processId,
            },
            head,
          )
        } else exchange.sendNothing([], head)
      },
    },
    {
      methods: ['GET', 'HEAD'],
      path: '/health',
      errors: v2Errors,
      async handle(exchange) {
        const { isHealthy, message, checks } = await services.health.report()
        const status = isHealthy ? 'pass' : 'fail'
        exchange.sendJson(
          { ...health, message, status, checks },
          exchange.head(),
          isHealthy ? 200 : 503,
        )
      },
    },
  ]
}

/** A random one, in the spelling that clients of v3 read. */
function uuidOf(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
