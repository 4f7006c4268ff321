// `/ready`, `/metrics` and `/debug/vars`, which ask for a credential in the cluster variant only, and the figures for
// pages of the web UI. `/ping` and `/health` are of the data plane.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { formatTimestamp } from '../catalog/base/timestamps.js'
import { UnavailableError } from '../errors.js'
import { identify } from './base/credentials.js'
import { debugVars } from './base/debug-vars.js'
import type { Services } from './base/services.js'

export function readinessRoutes(app: FastifyInstance, services: Services): void {
  const guard = async (request: FastifyRequest) => {
    if (services.config.variant === 'cluster') await identify(services, request)
  }

  app.get('/ready', async (request) => {
    await guard(request)
    const { isHealthy, message } = await services.health.report()
    if (!isHealthy) throw new UnavailableError(message)
    const upNs = services.clock.now() - services.startedAt
    const started = formatTimestamp(services.startedAt)
    return { status: 'ready', started, up: durationText(upNs) }
  })

  app.get('/debug/vars', async (request) => {
    await guard(request)
    const { clock, queries, startedAt } = services
    const now = clock.now()
    return debugVars({
      modules: await queries.statistics.modules(),
      started: formatTimestamp(startedAt),
      now: formatTimestamp(now),
      uptimeSeconds: Number(now - startedAt) / 1e9,
    })
  })

  app.get('/metrics', async (request, reply) => {
    await guard(request)
    reply.header('content-type', services.metrics.contentType)
    return services.metrics.text()
  })

  // The cookie of a session is sent to paths below `/api/` and nowhere else.
  app.get('/api/v2/metrics', async (request, reply) => {
    await identify(services, request)
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
