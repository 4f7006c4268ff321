// Checks, rules and notifications as the rest of the program sees them: what runs of them do, the delivery of messages
// in the background, and trying an endpoint out.

import { formatTimestamp, parseTimestamp } from '../catalog/base/timestamps.js'
import type { Check } from '../catalog/monitoring/check-fields.js'
import type { NotificationEndpoint } from '../catalog/monitoring/notification-endpoints.js'
import type { Task } from '../catalog/tasks/tasks.js'
import { limits } from '../config.js'
import type { OutgoingMail } from '../platform/outgoing-mail.js'
import { VersionedCache } from '../service/base/versioned-cache.js'
import type { Service } from '../service/service.js'
import { type CheckTest, type CheckTestRequest, testCheck } from './checks/check-test.js'
import { writeMissing } from './checks/missing-statuses.js'
import { type DeliveryFigures, Outbox } from './delivery/outbox.js'
import { RuleRunner } from './rules/rule-runner.js'
import type { AlertMessage } from './status/message.js'

export interface AlertsOptions {
  readonly service: Service
  readonly mail: OutgoingMail
  /** Whether no other process uses the catalog. */
  readonly isAlone: boolean
}

/** A run of a check's or a rule's task. */
export interface AlertWork {
  readonly task: Task
  /** The moment that it is for. */
  readonly now: bigint
  readonly signal: AbortSignal
  log(message: string): void
}

export interface TestDelivery {
  readonly isSent: boolean
  /** Why not. */
  readonly error: string | undefined
}

export class Alerts {
  readonly #service: Service
  readonly #outbox: Outbox
  readonly #rules: RuleRunner
  /** Checks by id, with their scripts: putting one together costs more than most runs of it. */
  readonly #checks: VersionedCache<{ readonly check: Check; readonly flux: string }>

  constructor({ service, mail, isAlone }: AlertsOptions) {
    this.#service = service
    const { catalog, clock, random, writes, log, outgoing } = service
    this.#outbox = new Outbox({
      catalog,
      clock,
      random,
      writes,
      log,
      isAlone,
      retryMs: limits.notificationRetryMs,
      sender: {
        outgoing,
        mail,
        timeoutNs: BigInt(limits.notificationTimeoutSeconds) * 1_000_000_000n,
        nowMs: () => Number(clock.now() / 1_000_000n),
      },
    })
    this.#rules = new RuleRunner(service, this.#outbox)
    this.#checks = new VersionedCache(catalog, ['checks'], {
      sizeOf: ({ flux }, id) => 4 * (flux.length + id.length),
    })
  }

  /** Runs its script and, unlike other tasks, one that may differ from what readers are shown. */
  async runCheck<Work extends AlertWork, Figures>(
    work: Work,
    runScript: (work: Work) => Promise<Figures>,
  ): Promise<Figures> {
    const { task } = work
    const { check, flux } = await this.#checks.find(task.parentId, async () => {
      const { checks } = this.#service.catalog
      const found = await checks.records.require(task.parentId)
      return { check: found, flux: await checks.executedScript(found) }
    })
    const script = { ...work, task: { ...task, body: { ...task.body, flux } } }
    const { noDataLevel, errorLevel } = check.body.fields
    const missing = (error?: string) => writeMissing(this.#service, { ...work, check, error })
    try {
      const figures = await runScript(script)
      if (noDataLevel !== undefined) await missing()
      return figures
    } catch (error) {
      // What is given up is executed again, or was not wanted.
      if (errorLevel !== undefined && !work.signal.aborted) await missing((error as Error).message)
      throw error
    }
  }

  /** The statuses that a check would have given in a span of time. */
  testCheck(request: CheckTestRequest): Promise<CheckTest> {
    return testCheck(this.#service, request)
  }

  async runRule(work: AlertWork): Promise<{ rowsRead: number; rowsWritten: number }> {
    const { task, now, signal } = work
    const { catalog, taskIdentities } = this.#service
    const rule = await catalog.notificationRules.records.require(task.parentId)
    const figures = await this.#rules.run({
      rule,
      identity: await taskIdentities.of(task),
      org: await catalog.organizations.require(task.orgId),
      now,
      activeSince: parseTimestamp(task.body.activeSince),
      signal,
      log: (message) => work.log(message),
    })
    return { rowsRead: figures.statusCount, rowsWritten: figures.messageCount }
  }

  get figures(): DeliveryFigures {
    return this.#outbox.figures
  }

  async start(): Promise<void> {
    await this.#outbox.start()
  }

  async stop(): Promise<void> {
    await this.#outbox.stop()
  }

  /** One try, which nothing remembers. `to`: for mails, where the endpoint names nobody. */
  async sendTest(
    endpoint: NotificationEndpoint,
    given: { readonly message?: string | undefined; readonly to?: string | undefined },
  ): Promise<TestDelivery> {
    const message = testMessage(endpoint, this.#service.clock.now(), given)
    const failure = await this.#outbox.deliver(endpoint, message, new AbortController().signal)
    return { isSent: failure === undefined, error: failure?.message }
  }
}

function testMessage(
  endpoint: NotificationEndpoint,
  time: bigint,
  { message, to }: { readonly message?: string | undefined; readonly to?: string | undefined },
): AlertMessage {
  const text = message ?? `This is a test of the notification endpoint ${endpoint.name}.`
  const { contentTemplate } = endpoint.body.fields
  return {
    rule: { id: endpoint.id, name: 'Test' },
    endpoint: { id: endpoint.id, name: endpoint.name },
    time,
    statuses: [
      {
        time,
        level: 'info',
        tags: { _check_id: endpoint.id, _check_name: 'Test', _level: 'info', _type: 'test' },
        fields: { _message: text, _source_timestamp: time },
      },
    ],
    level: 'info',
    isResolved: false,
    key: `test-${endpoint.id}-${formatTimestamp(time)}`,
    // Templates speak of statuses, and there is none.
    texts: {
      text,
      to,
      parseMode: 'HTML',
      content: contentTemplate?.includes('${') ? undefined : contentTemplate,
    },
  }
}
