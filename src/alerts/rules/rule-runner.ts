// Carries out notification rules: statuses that came since the last run → which of them are told → messages that wait
// for delivery. What the rule remembers and its messages change together, in one transaction, which fails where another
// process has carried out the same rule meanwhile.

import type { Identity } from '../../access/authenticator.js'
import type { Organization } from '../../catalog/accounts/organizations.js'
import { ruleItself } from '../../catalog/monitoring/alert-states.js'
import type { Check } from '../../catalog/monitoring/check-fields.js'
import { fieldNs } from '../../catalog/monitoring/monitoring.js'
import type { NotificationEndpoint } from '../../catalog/monitoring/notification-endpoints.js'
import type { NotificationRule } from '../../catalog/monitoring/rule-fields.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { nsPerSecond, nsPerWeek } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { requirePermission } from '../../service/base/identities.js'
import type { Service } from '../../service/service.js'
import { monitoringBucket } from '../../service/tasks/monitoring-bucket.js'
import type { Outbox } from '../delivery/outbox.js'
import { type AlertMessage, messageText } from '../status/message.js'
import { readStatuses } from '../status/statuses.js'
import { evaluate, type Holds, seriesKeyOf } from './evaluate.js'
import { inhibitionTest, parentStatuses } from './inhibition.js'
import { messagesOf, rowsOf } from './messages.js'
import { type Remembered, RuleMemory } from './rule-memory.js'
import { type RulePlan, rulePlan, silenceTest, type TagTest } from './rule-plan.js'
import { checkStateText, type RuleState, ruleStateText } from './rule-state.js'
import { fillTexts } from './texts.js'

export interface RuleRun {
  readonly rule: NotificationRule
  readonly identity: Identity
  readonly org: Organization
  readonly now: bigint
  /** Statuses before it are not told. */
  readonly activeSince: bigint
  readonly signal: AbortSignal
  log(message: string): void
}

export interface RuleFigures {
  readonly statusCount: number
  readonly messageCount: number
}

/** How late a status may be written and is still seen. Rules wait for checks, but not for scripts of tasks. */
const lateNs = 60n * nsPerSecond
const lateAfterStartNs = 3600n * nsPerSecond
/** Statuses before a rule's first run are looked for so far back: as long as they are kept. */
const lookBackNs = nsPerWeek
/** Of one organization: no receiver takes more by and by, and nobody reads them. */
const waitingMax = 10_000

export class RuleRunner {
  readonly #service: Service
  readonly #outbox: Outbox
  readonly #memory: RuleMemory

  constructor(service: Service, outbox: Outbox) {
    this.#service = service
    this.#outbox = outbox
    this.#memory = new RuleMemory(service.catalog)
  }

  async run(run: RuleRun): Promise<RuleFigures> {
    const { catalog } = this.#service
    const { rule, org } = run
    const bucket = await catalog.buckets.findByName(org.id, monitoringBucket)
    if (bucket === undefined) throw new UserError('not found', 'bucket "_monitoring" not found')
    const { id, orgId: orgID } = bucket
    requirePermission(run.identity, { action: 'read', type: 'buckets', id, orgID })
    const endpoint = await this.#endpoint(rule)
    const plan = rulePlan(rule)
    const memory = await this.#memory.load(rule.id)
    try {
      return await this.#evaluate(run, bucket, endpoint, plan, memory)
    } catch (error) {
      this.#memory.forget(rule.id)
      throw error
    }
  }

  async #endpoint({ orgId, body }: NotificationRule): Promise<NotificationEndpoint> {
    const { records } = this.#service.catalog.notificationEndpoints
    const endpoint = await records.findById(body.endpointId)
    if (endpoint !== undefined && endpoint.orgId === orgId) return endpoint
    throw new UserError('not found', 'notification endpoint not found')
  }

  async #evaluate(
    run: RuleRun,
    bucket: Bucket,
    endpoint: NotificationEndpoint,
    plan: RulePlan,
    memory: Remembered,
  ): Promise<RuleFigures> {
    const { rule, now, activeSince, org } = run
    const { catalog } = this.#service
    const before = memory.rule ?? (await this.#seed(run, bucket, plan, memory))
    const statuses = await this.#statuses(run, bucket, plan, memory, before)
    const nowMs = Number(now / 1_000_000n)
    const silences = await catalog.silences.at(org.id, nowMs)
    const isOff = endpoint.body.status === 'inactive'
    const checks = await this.#checks(statuses.map(({ tags }) => tags._check_id ?? ''))
    const isSilenced = silenceTest(silences.map(({ body }) => body))
    const isInhibited = await this.#inhibition(run, bucket, checks)
    const result = evaluate({
      plan,
      now,
      tellsSince: activeSince,
      rule: before,
      checks: memory.checks,
      statuses,
      isSilenced: (tags) => isOff || isSilenced(tags) || isInhibited(tags),
      holdsOf: holdsOf(checks),
    })
    if (result.heldBackCount > 0) {
      run.log(
        `Held back by silences, parent checks, mute times, sleep or limit: ${result.heldBackCount}`,
      )
    }
    const parts = { rule, endpoint, plan, now, checks: memory.checks }
    const rows = rowsOf(parts, result.told)
    const templates = await catalog.notificationRules.texts(rule, endpoint)
    const { queries } = this.#service
    const filled = await fillTexts({ ...run, queries }, templates, rows)
    const messages = messagesOf(parts, result.told, filled)
    await this.#keep(run, memory, result.rule, result.touchedChecks, messages)
    if (messages.length > 0) run.log(`Notifications to deliver: ${messages.length}`)
    return { statusCount: statuses.length, messageCount: messages.length }
  }

  /** A rule that never ran knows what held before it: a change needs the status before it, however old. */
  async #seed(
    { now, activeSince, signal }: RuleRun,
    bucket: Bucket,
    plan: RulePlan,
    { checks }: Remembered,
  ): Promise<RuleState> {
    const range = { start: activeSince - lookBackNs, stop: activeSince }
    const wantedSince = (tags: Readonly<Record<string, string>>) =>
      plan.isConcerned(tags) ? range.start : undefined
    const request = { bucket: bucket.id, range, lastOnly: true, wantedSince }
    for (const { time, level, tags } of await readStatuses(this.#service.store, request, signal)) {
      const checkId = tags._check_id ?? ''
      const check = checks.get(checkId) ?? new Map()
      checks.set(checkId, check)
      check.set(seriesKeyOf(tags), { time, level })
    }
    const until = activeSince < now ? activeSince : now
    return { until, sent: [], revision: 0 }
  }

  async #statuses(
    { now, signal }: RuleRun,
    bucket: Bucket,
    plan: RulePlan,
    { checks, isFresh }: Remembered,
    { until }: RuleState,
  ) {
    const late = isFresh ? lateAfterStartNs : lateNs > plan.everyNs ? lateNs : plan.everyNs
    // A status of the rule's own moment counts: the checks of that moment have ended.
    const range = { start: until - late, stop: now + 1n }
    const wantedSince = (tags: Readonly<Record<string, string>>) => {
      if (!plan.isConcerned(tags)) return undefined
      return checks.get(tags._check_id ?? '')?.get(seriesKeyOf(tags))?.time ?? range.start - 1n
    }
    const request = { bucket: bucket.id, range, wantedSince }
    return readStatuses(this.#service.store, request, signal)
  }

  async #checks(ids: readonly string[]): Promise<Map<string, Check>> {
    const { records } = this.#service.catalog.checks
    const found = new Map<string, Check>()
    for (const id of new Set(ids)) {
      const check = await records.findById(id)
      if (check !== undefined) found.set(id, check)
    }
    return found
  }

  async #inhibition(
    { now, signal }: RuleRun,
    bucket: Bucket,
    checks: ReadonlyMap<string, Check>,
  ): Promise<TagTest> {
    const { catalog, store } = this.#service
    const findCheck = (id: string) => catalog.checks.records.findById(id)
    const request = { bucket: bucket.id, now, checks, findCheck }
    return inhibitionTest(checks, await parentStatuses(store, request, signal))
  }

  async #keep(
    { rule, org }: RuleRun,
    memory: Remembered,
    after: RuleState,
    touched: ReadonlySet<string>,
    messages: readonly AlertMessage[],
  ): Promise<void> {
    const { catalog } = this.#service
    const isFirst = memory.rule === undefined
    const checkIds = isFirst ? [...memory.checks.keys()] : [...touched]
    const states = checkIds.map((checkId) => ({
      checkId,
      body: checkStateText(memory.checks.get(checkId) ?? new Map()),
    }))
    const own = ruleStateText(after)
    const waiting = messages.map((message) => ({
      orgId: org.id,
      ruleId: rule.id,
      endpointId: message.endpoint.id,
      orderKey: message.key,
      body: messageText(message),
    }))
    let room = 0
    await catalog.inTransaction(async ({ alertStates }) => {
      const [stored] = await alertStates.load(rule.id, [ruleItself])
      if (stored?.body !== memory.body) {
        throw new UserError('unavailable', 'the rule was carried out by another process meanwhile')
      }
      await alertStates.save(rule.id, [{ checkId: ruleItself, body: own }, ...states])
      if (waiting.length === 0) return
      room = Math.max(0, waitingMax - (await alertStates.waitingCount(org.id)))
      await alertStates.enqueue(waiting.slice(0, room))
    })
    this.#memory.keep(rule.id, { body: own, rule: after, checks: memory.checks })
    if (messages.length === 0) return
    for (const message of messages.slice(room)) await this.#outbox.record(org.id, message, false)
    this.#outbox.wake()
  }
}

function holdsOf(checks: ReadonlyMap<string, Check>): (checkId: string) => Holds {
  return (checkId) => {
    const fields = checks.get(checkId)?.body.fields
    return { forNs: fieldNs(fields?.for) ?? 0n, keepForNs: fieldNs(fields?.keepFor) ?? 0n }
  }
}
