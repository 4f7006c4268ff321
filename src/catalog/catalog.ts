// The catalog: every resource of an installation and its rules, one file per resource, joined here.
// Callers hear of changes (to set a bucket's retention, to forget tokens) after they are durable.

import type { Kysely } from 'kysely'
import type { Plan } from '../config.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { Buckets } from './buckets.js'
import { Checks } from './checks.js'
import type { CatalogContext, Change } from './context.js'
import { ContinuousQueries } from './continuous-queries.js'
import { Dashboards } from './dashboards.js'
import { DatabaseTokens } from './database-tokens.js'
import { Databases } from './databases.js'
import { Dbrps } from './dbrps.js'
import { connect } from './dialect.js'
import { Labels } from './labels.js'
import { LegacyTokens } from './legacy-tokens.js'
import { Limits } from './limits.js'
import { MeasurementSchemas } from './measurement-schemas.js'
import { Memberships } from './memberships.js'
import { migrate } from './migrations.js'
import { NotificationEndpoints } from './notification-endpoints.js'
import { NotificationRules } from './notification-rules.js'
import { Organizations } from './organizations.js'
import { Scripts } from './scripts.js'
import { Secrets } from './secrets.js'
import { Sessions } from './sessions.js'
import { Sources } from './sources.js'
import { Stacks } from './stacks.js'
import { Subscriptions } from './subscriptions.js'
import type { CatalogTables } from './tables.js'
import { Tasks } from './tasks.js'
import { Telegrafs } from './telegrafs.js'
import { Tokens } from './tokens.js'
import { Users } from './users.js'
import { Variables } from './variables.js'

export interface CatalogOptions {
  /** The database file, or `:memory:`. */
  readonly path: string
  readonly clock: Clock
  readonly random: Random
  readonly plan?: Plan | undefined
}

export class Catalog {
  readonly organizations: Organizations
  readonly users: Users
  readonly buckets: Buckets
  readonly tokens: Tokens
  readonly dbrps: Dbrps
  readonly databases: Databases
  readonly databaseTokens: DatabaseTokens
  readonly continuousQueries: ContinuousQueries
  readonly subscriptions: Subscriptions
  readonly labels: Labels
  readonly measurementSchemas: MeasurementSchemas
  readonly memberships: Memberships
  readonly variables: Variables
  readonly dashboards: Dashboards
  readonly tasks: Tasks
  readonly scripts: Scripts
  readonly checks: Checks
  readonly notificationEndpoints: NotificationEndpoints
  readonly notificationRules: NotificationRules
  readonly telegrafs: Telegrafs
  readonly sources: Sources
  readonly stacks: Stacks
  readonly legacyTokens: LegacyTokens
  readonly sessions: Sessions
  readonly secrets: Secrets
  readonly limits: Limits
  /** Grows whenever something may have changed: while it stays the same, so does every answer. */
  readonly changeCount: () => number
  readonly #context: CatalogContext
  readonly #listeners: Set<(change: Change) => void>

  private constructor(
    context: CatalogContext,
    listeners: Set<(change: Change) => void>,
    changeCount: () => number,
  ) {
    this.#context = context
    this.#listeners = listeners
    this.changeCount = changeCount
    this.organizations = new Organizations(context)
    this.users = new Users(context)
    this.buckets = new Buckets(context)
    this.tokens = new Tokens(context)
    this.dbrps = new Dbrps(context)
    this.databases = new Databases(context)
    this.databaseTokens = new DatabaseTokens(context)
    this.continuousQueries = new ContinuousQueries(context)
    this.subscriptions = new Subscriptions(context)
    this.labels = new Labels(context)
    this.measurementSchemas = new MeasurementSchemas(context)
    this.memberships = new Memberships(context)
    this.variables = new Variables(context)
    this.dashboards = new Dashboards(context)
    this.tasks = new Tasks(context)
    this.scripts = new Scripts(context)
    this.checks = new Checks(context)
    this.notificationEndpoints = new NotificationEndpoints(context)
    this.notificationRules = new NotificationRules(context)
    this.telegrafs = new Telegrafs(context)
    this.sources = new Sources(context)
    this.stacks = new Stacks(context)
    this.legacyTokens = new LegacyTokens(context)
    this.sessions = new Sessions(context)
    this.secrets = new Secrets(context)
    this.limits = new Limits(context)
  }

  static async open(options: CatalogOptions): Promise<Catalog> {
    const { db, changeCount } = connect(options.path)
    try {
      await migrate(db)
    } catch (error) {
      await db.destroy()
      throw error
    }
    const listeners = new Set<(change: Change) => void>()
    const changed = (change: Change) => {
      for (const listener of listeners) listener(change)
    }
    const { clock, random, plan = 'unlimited' } = options
    return new Catalog({ db, clock, random, plan, changed }, listeners, changeCount)
  }

  onChange(listener: (change: Change) => void): void {
    this.#listeners.add(listener)
  }

  /** All of it happens or nothing. Inside, only the catalog that is passed in may be used. */
  async inTransaction<T>(work: (inside: Catalog) => Promise<T>): Promise<T> {
    const changes: Change[] = []
    const changed = (change: Change) => {
      changes.push(change)
    }
    const result = await this.#context.db.transaction().execute((db: Kysely<CatalogTables>) => {
      return work(new Catalog({ ...this.#context, db, changed }, new Set(), this.changeCount))
    })
    for (const change of changes) this.#context.changed(change)
    return result
  }

  async close(): Promise<void> {
    await this.#context.db.destroy()
  }
}
