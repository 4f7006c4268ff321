// Whether the server is there: ping, health, ready, metrics. None of them asks for a credential in
// the managed variant; the cluster variant leaves only ping and health open.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { formatTimestamp } from '../catalog/base/timestamps.js'
import { identify } from './credentials.js'
import { parameter } from './parameters.js'
import type { Services } from './services.js'
import { interfaceVersion, programVersion } from './version.js'

export function healthRoutes(app: FastifyInstance, services: Services): void {
  const version = interfaceVersion(services.config.variant)

  const guard = async (request: FastifyRequest) => {
    if (services.config.variant === 'cluster') await identify(services, request)
  }

  // Both methods by themselves: the HEAD that comes with a GET tells the length of an answer that has none.
  app.route({
    method: ['GET', 'HEAD'],
    url: '/ping',
    handler: (request, reply) => {
      const verbose = parameter(request, 'verbose')
      if (verbose === undefined || verbose === '0' || verbose === 'false') {
        return reply.code(204).send()
      }
      return reply.send({ version })
    },
  })

  app.get('/health', (_request, reply) => {
    return reply.send({
      name: 'influxdb',
      message: 'ready for queries and writes',
      status: 'pass',
      checks: [],
      version,
      commit: `millrace-${programVersion}`,
    })
  })

  app.get('/ready', async (request) => {
    await guard(request)
    const upNs = services.clock.now() - services.startedAt
    const started = formatTimestamp(services.startedAt)
    return { status: 'ready', started, up: durationText(upNs) }
  })

  app.get('/metrics', async (request, reply) => {
    await guard(request)
    reply.header('content-type', services.metrics.contentType)
    return services.metrics.text()
  })
}

/** As Go prints durations: `1h2m3.5s`. */
export function durationText(ns: bigint): string {
  const ms = Number(ns / 1_000_000n)
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = `${(ms % 60_000) / 1000}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}
