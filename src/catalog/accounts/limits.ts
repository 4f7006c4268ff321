// Limits of organizations. What the installation's plan says holds for every organization; what was
// set for one is kept as the difference, so that a change of plan reaches everything not set apart.
// 0 means without limit everywhere.

import { type TObject, Type } from '@sinclair/typebox'
import type { Plan } from '../../config.js'
import { UserError } from '../../errors.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import type { Given } from '../base/fields.js'

/** Beyond this, numbers of JSON are no longer exact. */
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Separated by commas. */
const kinds = Type.String()
const isOn = Type.Boolean()

/** A misspelt name would be a limit that nobody keeps: it is refused. */
const closed = { additionalProperties: false }

const sections = {
  rate: Type.Object(
    {
      readKBs: count,
      writeKBs: count,
      /** Nanoseconds. */
      queryTime: count,
      concurrentReadRequests: count,
      concurrentWriteRequests: count,
      concurrentDeleteRequests: count,
      deleteRequestsPerSecond: count,
      /** Series. */
      cardinality: count,
    },
    closed,
  ),
  /** System buckets do not count; durations are nanoseconds. */
  bucket: Type.Object({ maxBuckets: count, maxRetentionDuration: count }, closed),
  task: Type.Object({ maxTasks: count }, closed),
  dashboard: Type.Object({ maxDashboards: count }, closed),
  check: Type.Object({ maxChecks: count }, closed),
  notificationRule: Type.Object(
    { maxNotifications: count, blockedNotificationRules: kinds },
    closed,
  ),
  notificationEndpoint: Type.Object({ blockedNotificationEndpoints: kinds }, closed),
  features: Type.Object({ allowDelete: isOn }, closed),
  stack: Type.Object({ enabled: isOn }, closed),
  timeout: Type.Object(
    { queryUnconditionalTimeoutSeconds: count, queryidleWriteTimeoutSeconds: count },
    closed,
  ),
}

export type OrganizationLimits = {
  readonly [Section in keyof typeof sections]: Given<(typeof sections)[Section]>
}

const optionalSections = Object.fromEntries(
  Object.entries(sections).map(([name, section]) => [name, Type.Partial(section as TObject)]),
)

/** Any part of the limits. Whose they are is said elsewhere. */
export const limitsFields = Type.Partial(
  Type.Object({ orgID: Type.String(), ...optionalSections }, closed),
)

/** What is absent stays as it is. */
export type LimitsChange = {
  readonly [Section in keyof OrganizationLimits]?: Partial<OrganizationLimits[Section]> | undefined
}

const unlimited: OrganizationLimits = {
  rate: {
    readKBs: 0,
    writeKBs: 0,
    queryTime: 0,
    concurrentReadRequests: 0,
    concurrentWriteRequests: 0,
    concurrentDeleteRequests: 0,
    deleteRequestsPerSecond: 0,
    cardinality: 0,
  },
  bucket: { maxBuckets: 0, maxRetentionDuration: 0 },
  task: { maxTasks: 0 },
  dashboard: { maxDashboards: 0 },
  check: { maxChecks: 0 },
  notificationRule: { maxNotifications: 0, blockedNotificationRules: '' },
  notificationEndpoint: { blockedNotificationEndpoints: '' },
  features: { allowDelete: true },
  stack: { enabled: true },
  timeout: { queryUnconditionalTimeoutSeconds: 0, queryidleWriteTimeoutSeconds: 0 },
}

const nsPerSecond = 1_000_000_000

/** The quotas that InfluxDB Cloud publishes: 5 MB written and 300 MB read in five minutes, ... */
const free: OrganizationLimits = {
  ...unlimited,
  rate: {
    ...unlimited.rate,
    readKBs: 1000,
    writeKBs: 17,
    queryTime: 90 * nsPerSecond,
    deleteRequestsPerSecond: 1,
    cardinality: 10_000,
  },
  bucket: { maxBuckets: 2, maxRetentionDuration: 30 * 86_400 * nsPerSecond },
  task: { maxTasks: 5 },
  dashboard: { maxDashboards: 5 },
  check: { maxChecks: 2 },
  notificationRule: {
    maxNotifications: 2,
    blockedNotificationRules: 'http,pagerduty,telegram,smtp,teams,discord,opsgenie,alertmanager',
  },
  notificationEndpoint: {
    blockedNotificationEndpoints:
      'http,pagerduty,telegram,smtp,teams,discord,opsgenie,alertmanager',
  },
  timeout: { queryUnconditionalTimeoutSeconds: 90, queryidleWriteTimeoutSeconds: 90 },
}

const ofPlan: Readonly<Record<Plan, OrganizationLimits>> = { unlimited, free }

/** How many an organization may have, by the name that messages have for one. */
const quotas = {
  bucket: ({ bucket }: OrganizationLimits) => bucket.maxBuckets,
  task: ({ task }: OrganizationLimits) => task.maxTasks,
  dashboard: ({ dashboard }: OrganizationLimits) => dashboard.maxDashboards,
  check: ({ check }: OrganizationLimits) => check.maxChecks,
  'notification rule': ({ notificationRule }: OrganizationLimits) =>
    notificationRule.maxNotifications,
}

export class Limits {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async of(orgId: string): Promise<OrganizationLimits> {
    return merged(ofPlan[this.#context.plan], await this.#change(orgId))
  }

  /** In the transaction that makes another one: of two at the same time, the second one counts the first. */
  async requireRoom(
    orgId: string,
    noun: keyof typeof quotas,
    resources: { count(orgId: string): Promise<number> },
  ): Promise<void> {
    const max = quotas[noun](await this.of(orgId))
    if (max === 0 || (await resources.count(orgId)) < max) return
    throw new UserError('forbidden', `creating ${noun} would exceed quota`)
  }

  /** 0: for ever. */
  async requireRetention(orgId: string, retentionSeconds: number): Promise<void> {
    const maxSeconds = (await this.of(orgId)).bucket.maxRetentionDuration / nsPerSecond
    const isTooLong = retentionSeconds === 0 || retentionSeconds > maxSeconds
    if (maxSeconds === 0 || !isTooLong) return
    const text = 'provided retention exceeds orgs maximum retention duration'
    throw new UserError('forbidden', text)
  }

  /** Only the given fields change. */
  async change(orgId: string, change: LimitsChange): Promise<OrganizationLimits> {
    const body = JSON.stringify(merged((await this.#change(orgId)) ?? {}, change))
    const row = { org_id: orgId, body, updated_at: timestamp(this.#context) }
    await this.#context.db
      .insertInto('limits')
      .values(row)
      .onConflict((conflict) => conflict.column('org_id').doUpdateSet(row))
      .execute()
    return this.of(orgId)
  }

  async #change(orgId: string): Promise<LimitsChange | undefined> {
    const query = this.#context.db.selectFrom('limits').select('body')
    const row = await query.where('org_id', '=', orgId).executeTakeFirst()
    return row === undefined ? undefined : JSON.parse(row.body)
  }
}

function merged<T extends LimitsChange>(base: T, change: LimitsChange | undefined): T {
  const all: Record<string, object | undefined> = { ...base }
  for (const [section, fields] of Object.entries(change ?? {})) {
    all[section] = { ...all[section], ...fields }
  }
  return all as T
}
