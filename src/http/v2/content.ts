// The resources that users fill an organization with, as opposed to those that say who they are
// and where points go: all of their routes.

import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.js'
import { checkRoutes } from './checks.js'
import { dashboardRoutes } from './dashboards.js'
import { notificationEndpointRoutes } from './notification-endpoints.js'
import { notificationRuleRoutes } from './notification-rules.js'
import { scriptRoutes } from './scripts.js'
import { sourceRoutes } from './sources.js'
import { stackRoutes } from './stacks.js'
import { taskRoutes } from './tasks.js'
import { telegrafPluginRoutes } from './telegraf-plugins.js'
import { telegrafRoutes } from './telegrafs.js'
import { templateRoutes } from './templates.js'
import { variableRoutes } from './variables.js'

export function contentRoutes(app: FastifyInstance, services: Services): void {
  variableRoutes(app, services)
  dashboardRoutes(app, services)
  taskRoutes(app, services)
  scriptRoutes(app, services)
  checkRoutes(app, services)
  notificationEndpointRoutes(app, services)
  notificationRuleRoutes(app, services)
  telegrafRoutes(app, services)
  telegrafPluginRoutes(app, services)
  sourceRoutes(app, services)
  stackRoutes(app, services)
  templateRoutes(app, services)
}
