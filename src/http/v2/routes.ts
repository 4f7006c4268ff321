// What the interface says about itself: `GET /api/v2` (its top-level routes), `/resources` (types
// that permissions can name), `/flags` and, for operators, `/config`.

import type { FastifyInstance } from 'fastify'
import { isOperator, resourceTypes } from '../../access/permissions.js'
import { type Config, options } from '../../config.js'
import { UserError } from '../../errors.js'
import { identify } from '../base/credentials.js'
import type { Services } from '../base/services.js'

/** Top-level paths by their names, as far as they are served. */
function topLevelRoutes(paths: readonly string[]): object {
  const routes: Record<string, string | Record<string, string>> = {}
  const query: Record<string, string> = {}
  const system: Record<string, string> = {}
  for (const path of paths) {
    const [, name] = /^\/api\/v2\/(\w+)(?:\.json)?$/.exec(path) ?? []
    if (name === 'query') query.self = path
    else if (name !== undefined) routes[name] = path
    const [, ofQuery] = /^\/api\/v2\/query\/(\w+)$/.exec(path) ?? []
    if (ofQuery !== undefined) query[ofQuery] = path
    const [, ofSystem] = /^\/(health|metrics|ready)$/.exec(path) ?? []
    if (ofSystem !== undefined) system[ofSystem] = path
  }
  return { ...routes, ...(query.self === undefined ? {} : { query }), system }
}

export function routesRoutes(app: FastifyInstance, services: Services): void {
  app.get('/api/v2', async (request) => {
    await identify(services, request)
    await services.document.whole()
    return topLevelRoutes(services.document.paths())
  })

  app.get('/api/v2/resources', async (request) => {
    await identify(services, request)
    return resourceTypes
  })

  // No part of the service is switched on for some users only.
  app.get('/api/v2/flags', async (request) => {
    await identify(services, request)
    return {}
  })

  // For the tiles of a map service, of which an installation of one's own has none.
  app.get('/api/v2/maps/mapToken', async (request) => {
    await identify(services, request)
    return { token: '' }
  })

  app.get('/api/v2/config', async (request) => {
    const { permissions } = await identify(services, request)
    if (!isOperator(permissions)) {
      const text = 'access to /api/v2/config requires operator permissions'
      throw new UserError('unauthorized', text)
    }
    return { config: shownConfig(services.config) }
  })
}

/** By the options' own names, without the one that is a secret. */
function shownConfig(config: Config): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const { key, flag } of options) {
    if (key !== 'adminToken') shown[flag] = config[key]
  }
  const { host, port } = config.httpAddress
  return { ...shown, 'http-address': `${host.includes(':') ? `[${host}]` : host}:${port}` }
}
