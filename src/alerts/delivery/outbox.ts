// Delivers the messages that wait in the catalog, each until its receiver has taken it or five tries were in vain, and
// writes down what became of it. A message leaves the catalog only after that: a process that dies in between delivers
// it once more. Messages about the same thing go one after the other; others do not wait for them. Several processes
// may deliver from one catalog: each message is leased to one, and goes to another when that one is not heard of.

import { newId } from '../../catalog/base/ids.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { WaitingMessage } from '../../catalog/monitoring/alert-states.js'
import type { NotificationEndpoint } from '../../catalog/monitoring/notification-endpoints.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Log } from '../../service/base/log.js'
import { writeMonitoring } from '../../service/tasks/monitoring-bucket.js'
import type { Writes } from '../../service/write/writes.js'
import { type AlertMessage, parseMessage } from '../status/message.js'
import { notificationLines } from '../status/statuses.js'
import { deliveries } from './deliveries.js'
import { DeliveryFailure, type Secrets, Sender, type SenderParts } from './target.js'

export interface OutboxParts {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly random: Random
  readonly writes: Writes
  readonly log: Log
  readonly sender: SenderParts
  /** Milliseconds before the second try, the third, and so on; after the last there is none. */
  readonly retryMs: readonly number[]
  /** Whether nobody else uses the catalog: then what a process of before was at is taken over at once. */
  readonly isAlone: boolean
}

export interface DeliveryFigures {
  sent: number
  retried: number
  failed: number
}

/** Several receivers may be slow at once. */
const deliveriesMax = 8
/** Whoever was not heard of for so long has lost its messages to others. */
export const messageLeaseNs = 30_000_000_000n
const renewNs = messageLeaseNs / 3n
const tickMs = 1000
const retryAfterMsMax = 3_600_000

export class Outbox {
  readonly figures: DeliveryFigures = { sent: 0, retried: 0, failed: 0 }
  readonly #parts: OutboxParts
  readonly #stop = new AbortController()
  readonly #holder: string
  readonly #underWay = new Map<string, Promise<void>>()
  #renewedAt = 0n
  #timer: NodeJS.Timeout | undefined
  #claiming: Promise<void> | undefined
  #isRunning = false

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#holder = newId(parts.random)
  }

  async start(): Promise<void> {
    const { catalog, isAlone } = this.#parts
    this.#isRunning = true
    if (isAlone) await catalog.alertStates.release()
    this.wake()
  }

  /** There may be something to deliver. */
  wake(): void {
    if (!this.#isRunning || this.#stop.signal.aborted) return
    clearTimeout(this.#timer)
    this.#claiming ??= this.#fill().finally(() => {
      this.#claiming = undefined
      if (this.#stop.signal.aborted) return
      this.#timer = setTimeout(() => this.wake(), tickMs).unref()
    })
  }

  /** Tries under way are given up, and made again after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the service is being stopped'))
    clearTimeout(this.#timer)
    await this.#claiming
    await Promise.all(this.#underWay.values())
    if (!this.#isRunning) return
    const { catalog, log } = this.#parts
    await catalog.alertStates.release(this.#holder).catch((error: unknown) => {
      log('warn', 'messages are delivered by others only when their lease is over', { error })
    })
  }

  async #fill(): Promise<void> {
    const { catalog, clock, log } = this.#parts
    try {
      await this.#keepLeases()
      while (!this.#stop.signal.aborted && this.#underWay.size < deliveriesMax) {
        if (this.#underWay.size === 0) this.#renewedAt = clock.now()
        const claimed = await catalog.alertStates.claim({
          holder: this.#holder,
          limit: deliveriesMax - this.#underWay.size,
          leaseNs: messageLeaseNs,
          underWay: [...this.#underWay.keys()],
        })
        if (claimed.length === 0) return
        for (const waiting of claimed) this.#begin(waiting)
      }
    } catch (error) {
      log('error', 'notifications cannot be delivered', { error: (error as Error).message })
    }
  }

  /** A try may take longer than a lease lasts. */
  async #keepLeases(): Promise<void> {
    const { catalog, clock } = this.#parts
    if (this.#underWay.size === 0 || clock.now() < this.#renewedAt + renewNs) return
    await catalog.alertStates.renew(this.#holder, messageLeaseNs)
    this.#renewedAt = clock.now()
  }

  #begin(waiting: WaitingMessage): void {
    const { log } = this.#parts
    const work = this.#deliver(waiting)
      .catch((error: Error) => {
        log('error', 'a notification could not be dealt with', { error: error.message })
      })
      .finally(() => {
        this.#underWay.delete(waiting.id)
        this.wake()
      })
    this.#underWay.set(waiting.id, work)
  }

  async #deliver(waiting: WaitingMessage): Promise<void> {
    const { catalog, clock, retryMs } = this.#parts
    const message = parseMessage(waiting.body)
    const failure = await this.#try(waiting, message)
    if (this.#stop.signal.aborted && failure !== undefined) return
    if (failure === undefined) {
      this.figures.sent++
      return this.#end(waiting, message, true)
    }
    // Whoever has it now makes tries of its own.
    if (!(await catalog.alertStates.isHeld(waiting.id, this.#holder))) return
    const wait = retryMs[waiting.attempts]
    if (failure.isFinal || wait === undefined) {
      this.figures.failed++
      this.#report('a notification was given up', waiting, message, failure)
      return this.#end(waiting, message, false)
    }
    this.figures.retried++
    this.#report('a notification is tried again', waiting, message, failure)
    const askedMs = Math.min(failure.retryAfterMs ?? 0, retryAfterMsMax)
    const waitNs = BigInt(Math.max(wait, askedMs)) * 1_000_000n
    await catalog.alertStates.postpone(waiting.id, this.#holder, clock.now() + waitNs)
  }

  async #try(waiting: WaitingMessage, message: AlertMessage): Promise<DeliveryFailure | undefined> {
    const { records } = this.#parts.catalog.notificationEndpoints
    const endpoint = await records.findById(waiting.endpointId)
    if (endpoint === undefined || endpoint.orgId !== waiting.orgId) {
      return new DeliveryFailure('the notification endpoint is gone', true)
    }
    return this.deliver(endpoint, message, this.#stop.signal)
  }

  /** One try; undefined: the receiver has taken it. */
  async deliver(
    endpoint: NotificationEndpoint,
    message: AlertMessage,
    signal: AbortSignal,
  ): Promise<DeliveryFailure | undefined> {
    const secrets = await this.#secretsOf(endpoint)
    const sender = new Sender(this.#parts.sender, secrets, signal)
    const target = { fields: endpoint.body.fields, secrets }
    try {
      await deliveries[endpoint.body.type](sender, target, message)
      return undefined
    } catch (error) {
      if (error instanceof DeliveryFailure) return error
      return sender.failure((error as Error).message, false)
    }
  }

  async #secretsOf({ orgId, body }: NotificationEndpoint): Promise<Secrets> {
    const secrets: Record<string, string> = {}
    for (const [field, key] of Object.entries(body.secretKeys)) {
      const value = await this.#parts.catalog.secrets.get(orgId, key)
      if (value !== undefined) secrets[field] = value
    }
    return secrets
  }

  async #end(waiting: WaitingMessage, message: AlertMessage, isSent: boolean): Promise<void> {
    await this.record(waiting.orgId, message, isSent)
    await this.#parts.catalog.alertStates.done(waiting.id)
  }

  /** Where it cannot be written down, the log has it: nobody is told twice for that. */
  async record(orgId: string, message: AlertMessage, isSent: boolean): Promise<void> {
    const { log } = this.#parts
    try {
      const lines = Buffer.from(notificationLines(message, isSent))
      await writeMonitoring(this.#parts, orgId, lines)
    } catch (error) {
      const { rule } = message
      const fields = { rule: rule.name, isSent, error: (error as Error).message }
      log('error', 'a notification could not be written down', fields)
    }
  }

  #report(
    text: string,
    waiting: WaitingMessage,
    { rule, endpoint }: AlertMessage,
    failure: DeliveryFailure,
  ): void {
    this.#parts.log('warn', text, {
      rule: rule.name,
      ruleId: rule.id,
      endpoint: endpoint.name,
      endpointId: endpoint.id,
      attempt: waiting.attempts + 1,
      error: failure.message,
    })
  }
}
