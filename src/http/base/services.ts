// What HTTP's routes work with: the service, and what the transport itself needs. Routes get this and nothing else: no
// route opens, configures or closes a part of the program.

import type { Alerts } from '../../alerts/alerts.js'
import { limits } from '../../config.js'
import type { Service } from '../../service/service.js'
import { ApiDocument } from './api-document.js'
import { BodyReader } from './body.js'
import { BodyPool } from './body-pool.js'
import { ServerMetrics } from './metrics.js'
import { addHttpStatistics } from './statistics.js'
import type { UiFiles } from './ui-files.js'

export interface Services extends Service {
  readonly alerts: Alerts
  readonly bodies: BodyReader
  readonly queryBodies: BodyReader
  readonly metrics: ServerMetrics
  /** What the routes are, collected as they are registered. */
  readonly document: ApiDocument
  readonly startedAt: bigint
  /** Absent: no pages are served. */
  readonly ui: UiFiles | undefined
  /** `isOpen` is false as soon as the server is about to be closed: connections end with their next answer. */
  readonly state: { isOpen: boolean }
}

export function httpServices(service: Service, alerts: Alerts, ui?: UiFiles): Services {
  const { config, clock } = service
  const pool = new BodyPool(limits.bodyPoolBytes)
  const metrics = new ServerMetrics(service, alerts)
  const { host, port } = config.httpAddress
  addHttpStatistics(service.queries.statistics, metrics, `${host}:${port}`)
  return {
    ...service,
    alerts,
    bodies: new BodyReader(pool, config.maxBodyBytes),
    queryBodies: new BodyReader(pool, limits.queryBodyBytes),
    metrics,
    document: new ApiDocument(),
    ui,
    startedAt: clock.now(),
    state: { isOpen: true },
  }
}
