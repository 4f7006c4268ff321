// What the interface says about itself: `GET /api/v2` (its top-level routes), `/resources` (types
// that permissions can name), `/flags` and, for operators, `/config`.

import type { FastifyInstance } from 'fastify'
import { isOperator, resourceTypes } from '../../access/permissions.js'
import { type Config, options } from '../../config.js'
import { UserError } from '../../errors.js'
import { identify } from '../credentials.js'
import type { Services } from '../services.js'

const named = [
  'authorizations',
  'buckets',
  'checks',
  'config',
  'dashboards',
  'dbrps',
  'delete',
  'flags',
  'labels',
  'me',
  'notificationEndpoints',
  'notificationRules',
  'orgs',
  'resources',
  'scripts',
  'setup',
  'signin',
  'signout',
  'stacks',
  'tasks',
  'telegrafs',
  'users',
  'variables',
  'write',
] as const

const query = '/api/v2/query'

const topLevelRoutes = {
  ...Object.fromEntries(named.map((name) => [name, `/api/v2/${name}`])),
  query: {
    self: query,
    analyze: `${query}/analyze`,
    ast: `${query}/ast`,
    suggestions: `${query}/suggestions`,
  },
  system: { health: '/health', metrics: '/metrics', ready: '/ready' },
}

export function routesRoutes(app: FastifyInstance, services: Services): void {
  app.get('/api/v2', async (request) => {
    await identify(services, request)
    return topLevelRoutes
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
