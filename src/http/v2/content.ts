// The resources that users fill an organization with, as opposed to those that say who they are
// and where points go: all of their routes.

import type { FastifyInstance } from 'fastify'
import type { Services } from '../base/services.js'
import { dashboardRoutes } from './dashboards/dashboards.js'
import { sourceRoutes } from './dashboards/sources.js'
import { telegrafPluginRoutes } from './dashboards/telegraf-plugins.js'
import { telegrafRoutes } from './dashboards/telegrafs.js'
import { variableRoutes } from './dashboards/variables.js'
import { checkRoutes } from './monitoring/checks.js'
import { notificationEndpointRoutes } from './monitoring/notification-endpoints.js'
import { notificationRuleRoutes } from './monitoring/notification-rules.js'
import { silenceRoutes } from './monitoring/silences.js'
import { scriptRoutes } from './tasks/scripts.js'
import { taskRoutes } from './tasks/tasks.js'
import { stackRoutes } from './templates/stacks.js'
import { templateRoutes } from './templates/templates.js'

export function contentRoutes(app: FastifyInstance, services: Services): void {
  variableRoutes(app, services)
  dashboardRoutes(app, services)
  taskRoutes(app, services)
  scriptRoutes(app, services)
  checkRoutes(app, services)
  notificationEndpointRoutes(app, services)
  notificationRuleRoutes(app, services)
  silenceRoutes(app, services)
  telegrafRoutes(app, services)
  telegrafPluginRoutes(app, services)
  sourceRoutes(app, services)
  stackRoutes(app, services)
  templateRoutes(app, services)
}
