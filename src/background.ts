// What the service does without being asked, joined: tasks and their health, late runs, notifications, and points for
// other servers. Started when the service listens, stopped before the store is closed.

import type { Alerts } from './alerts/alerts.js'
import { limits } from './config.js'
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
  start(): void
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
  const late = new LateRuns({ catalog, store: service.store, clock, log })
  return {
    start() {
      // Both read and write: no work for a process that does only one of them.
      if (config.role !== 'all') return
      void alerts.start()
      service.replications.start()
      if (config.noTasks) return
      tasks.start()
      health.start(() => tasks.tasks())
      late.start(() => tasks.tasks())
    },
    async stop() {
      await health.stop()
      await late.stop()
      await tasks.stop()
      await alerts.stop()
    },
    async finish() {
      await late.finish()
      await service.replications.stop()
    },
    metrics: () => tasks.metrics() + health.metrics() + service.replications.metrics(),
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
