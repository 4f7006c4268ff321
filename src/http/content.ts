// The part of the control plane with the resources that users fill an organization with, as opposed to those that say
// who they are and where points go. Their paths are told from others in `base/content-paths.ts`.

import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import { jsonRoutes } from './base/bodies.js'
import type { Services } from './base/services.js'
import type { DataRouter } from './data/router.js'
import type { ControlPlane } from './server.js'
import { dashboardRoutes } from './v2/dashboards/dashboards.js'
import { sourceRoutes } from './v2/dashboards/sources.js'
import { telegrafPluginRoutes } from './v2/dashboards/telegraf-plugins.js'
import { telegrafRoutes } from './v2/dashboards/telegrafs.js'
import { variableRoutes } from './v2/dashboards/variables.js'
import { checkRoutes } from './v2/monitoring/checks.js'
import { notificationEndpointRoutes } from './v2/monitoring/notification-endpoints.js'
import { notificationRuleRoutes } from './v2/monitoring/notification-rules.js'
import { silenceRoutes } from './v2/monitoring/silences.js'
import { scriptRoutes } from './v2/tasks/scripts.js'
import { taskRoutes } from './v2/tasks/tasks.js'
import { stackRoutes } from './v2/templates/stacks.js'
import { templateRoutes } from './v2/templates/templates.js'

export function buildContent(services: Services, dataPlane: DataRouter): Promise<ControlPlane> {
  return buildApp(services, dataPlane, (app) =>
    jsonRoutes(app, (scope) => contentRoutes(scope, services)),
  )
}

function contentRoutes(app: FastifyInstance, services: Services): void {
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
