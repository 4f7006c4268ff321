// What the service does without being asked, joined: tasks and their health, late runs, notifications, points for
// other servers, and points that come by UDP or are scraped. Started when the service listens, stopped before the
// store is closed.

import type { Alerts } from './alerts/alerts.js'
import { limits } from './config.js'
import { ScraperRuns } from './intake/scraper-runs.js'
import { UdpIntake } from './intake/udp.js'
import type { Service } from './service/service.js'
import { lastTaskLevels, writeMonitoring } from './service/tasks/monitoring-bucket.js'
import { keepRuns } from './service/tasks/run-history.js'
import { ContinuousQueryExecutor } from './tasks/continuous-queries.js'
import { LateRuns } from './tasks/late-runs.js'
import { ScriptExecutor } from './tasks/script-executor.js'
import { TaskHealth } from './tasks/task-health.js'
import { TaskRunner } from './tasks/task-runner.js'

/** What the service does without being asked. */
export interface Background {
  /** Throws where something cannot listen. */
  start(): Promise<void>
  stop(): Promise<void>
  /** When no request can come any more, and before the store is closed. */
  finish(): Promise<void>
  metrics(): string
}

export function backgroundWork(service: Service, alerts: Alerts): Background {
  const { catalog, clock, log, config } = service
  const write = (orgId: string, lines: readonly string[]) =>
    writeMonitoring(service, orgId, Buffer.from(lines.join('\n')))
  const lastLevels = (orgId: string) => lastTaskLevels(service, orgId)
  const health = new TaskHealth({ catalog, clock, write, lastLevels, log })
  const tasks = taskRunner(service, alerts, health)
  const scrapers = new ScraperRuns(service)
  const udp = config.udpAddress && new UdpIntake(service, config.udpAddress)
  service.queries.statistics.add(async () => [tasks.statistics()])
  const sharing = sharedLimits(service)
  const late = new LateRuns({ catalog, store: service.store, clock, log })
  return {
    async start() {
      // All of it writes, and would only be refused.
      if (catalog.isReadOnly) return
      service.usage.start()
      service.lastUses.start()
      sharing.start()
      await udp?.start()
      // Both read and write: no work for a process that does only one of them.
      if (config.role !== 'all') return
      void alerts.start()
      service.replications.start()
      scrapers.start()
      if (config.noTasks) return
      tasks.start()
      health.start(() => tasks.tasks())
      late.start(() => tasks.tasks())
    },
    async stop() {
      await udp?.stop()
      await scrapers.stop()
      await health.stop()
      await late.stop()
      await tasks.stop()
      await alerts.stop()
    },
    async finish() {
      await late.finish()
      sharing.stop()
      await service.usage.stop()
      await service.lastUses.stop()
      await service.replications.stop()
    },
    metrics: () =>
      tasks.metrics() +
      health.metrics() +
      service.replications.metrics() +
      scrapers.metrics() +
      (udp?.metrics() ?? ''),
  }
}

const shareMs = 1000

/** Where there are others to share limits with. */
function sharedLimits({ catalog, limits: rates }: Service) {
  let timer: NodeJS.Timeout | undefined
  let isUnderWay = false
  const share = async () => {
    if (isUnderWay) return
    isUnderWay = true
    // Out of reach: what was charged is told later.
    await rates.share().catch(() => undefined)
    isUnderWay = false
  }
  return {
    start() {
      if (catalog.nodes !== undefined) timer = setInterval(share, shareMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}

function taskRunner(service: Service, alerts: Alerts, health: TaskHealth): TaskRunner {
  const { catalog, clock, log, config } = service
  const scripts = new ScriptExecutor(service)
  return new TaskRunner({
    catalog,
    clock,
    executors: {
      task: scripts,
      check: { run: (work) => alerts.runCheck(work, (script) => scripts.run(script)) },
      rule: { run: (work) => alerts.runRule(work) },
      'continuous-query': new ContinuousQueryExecutor({
        run: (...query) => service.queries.runContinuous(...query),
        log,
      }),
    },
    keep: async (runs) => {
      await keepRuns(service, runs)
      await health.ended(runs)
    },
    concurrentMax: config.tasksConcurrentMax,
    timeoutSeconds: config.taskTimeoutSeconds,
    catchUpMax: limits.taskCatchUpMax,
    // Then the folder is locked: no other process is at its catalog.
    isAlone: catalog.nodes === undefined,
    giveWay: () => service.turns.next(),
    log,
  })
}
