// The catalog: every resource of an installation and its rules, one file per resource, joined here.
// Callers hear of changes (to set a bucket's retention, to forget tokens) after they are durable.

import { EventEmitter } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Plan } from '../config.js'
import { CorruptionError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { DatabaseTokens } from './accounts/database-tokens.js'
import { LegacyTokens } from './accounts/legacy-tokens.js'
import { Limits } from './accounts/limits.js'
import { Memberships } from './accounts/memberships.js'
import { Organizations } from './accounts/organizations.js'
import { Secrets } from './accounts/secrets.js'
import { Sessions } from './accounts/sessions.js'
import { TokenUses } from './accounts/token-uses.js'
import { Tokens } from './accounts/tokens.js'
import { UsageHours } from './accounts/usage-hours.js'
import { Users } from './accounts/users.js'
import type { Connection } from './base/connection.js'
import type { CatalogContext, CatalogEvents, ToldEvent } from './base/context.js'
import { connect } from './base/dialect.js'
import { newId } from './base/ids.js'
import { migrate } from './base/migrate.js'
import { migrations } from './base/migrations.js'
import { newTablesScript } from './base/new-tables.js'
import { type FindQueryPlaces, noQueryPlaces } from './base/query-places.js'
import { type LoadScriptTools, noScriptTools } from './base/script-tools.js'
import type { VersionRow } from './base/tables.js'
import { newVersions, raiseVersions, type VersionKind, type Versions } from './base/versions.js'
import { Dashboards } from './dashboards/dashboards.js'
import { Labels } from './dashboards/labels.js'
import { Sources } from './dashboards/sources.js'
import { Stacks } from './dashboards/stacks.js'
import { Telegrafs } from './dashboards/telegrafs.js'
import { Variables } from './dashboards/variables.js'
import { AlertStates } from './monitoring/alert-states.js'
import { Checks } from './monitoring/checks.js'
import { NotificationEndpoints } from './monitoring/notification-endpoints.js'
import { NotificationRules } from './monitoring/notification-rules.js'
import { Silences } from './monitoring/silences.js'
import { moveTables } from './moved-tables.js'
import { Remotes } from './neighbours/remotes.js'
import { Replications } from './neighbours/replications.js'
import { Scrapers } from './neighbours/scrapers.js'
import { changeOf, liveNodes, Nodes } from './nodes.js'
import { Buckets } from './storage/buckets.js'
import { Databases } from './storage/databases.js'
import { Dbrps } from './storage/dbrps.js'
import { MeasurementSchemas } from './storage/measurement-schemas.js'
import { StoreEmptied } from './storage/store-emptied.js'
import { StoreRegistry } from './storage/store-registry.js'
import { StoreReplicas } from './storage/store-replicas.js'
import { Subscriptions } from './storage/subscriptions.js'
import { TableDefinitions } from './storage/table-definitions.js'
import { type DistinctCacheBody, type LastCacheBody, ValueCaches } from './storage/value-caches.js'
import { ContinuousQueries } from './tasks/continuous-queries.js'
import { Scripts } from './tasks/scripts.js'
import { Tasks } from './tasks/tasks.js'

export interface CatalogOptions {
  /** The database file, `:memory:`, or the URL of a PostgreSQL database that several processes may share. */
  readonly path: string
  /** How this process is told apart from others that share the catalog. Absent: by chance. */
  readonly nodeId?: string | undefined
  readonly programVersion?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly plan?: Plan | undefined
  /** Whether a catalog may be opened that lacks changes which were acknowledged. */
  readonly isLossAccepted?: boolean | undefined
  /** Asked for when they are first needed. Absent: no tasks, checks and notification rules can be made. */
  readonly scriptTools?: LoadScriptTools | undefined
  /** Absent: no task in InfluxQL can wait for late points. */
  readonly queryPlaces?: FindQueryPlaces | undefined
}

interface CatalogParts {
  readonly connection: Connection
  readonly versions: Record<VersionKind, number>
  readonly events: EventEmitter
}

/** What to do, wherever a loss of the catalog is told. */
export const lossAdvice =
  'tokens that were revoked could be valid again: put the catalog back from a backup, ' +
  'or start with --accept-lost-catalog to go on with what is there (see docs/recovery.md)'

/** Tries of a transaction that others stood in the way of. */
const triesMax = 20

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
  readonly tables: TableDefinitions
  readonly lastCaches: ValueCaches<LastCacheBody>
  readonly distinctCaches: ValueCaches<DistinctCacheBody>
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
  readonly silences: Silences
  readonly alertStates: AlertStates
  readonly telegrafs: Telegrafs
  readonly sources: Sources
  readonly stacks: Stacks
  readonly legacyTokens: LegacyTokens
  readonly sessions: Sessions
  readonly secrets: Secrets
  readonly limits: Limits
  readonly usageHours: UsageHours
  readonly tokenUses: TokenUses
  readonly storeRegistry: StoreRegistry
  readonly storeEmptied: StoreEmptied
  readonly remotes: Remotes
  readonly replications: Replications
  readonly scrapers: Scrapers
  readonly storeReplicas: StoreReplicas
  readonly versions: Versions
  readonly #context: CatalogContext
  readonly #parts: CatalogParts
  #nodes: Nodes | undefined
  #confirmedChange = 0

  private constructor(context: CatalogContext, parts: CatalogParts) {
    this.#context = context
    this.#parts = parts
    this.versions = parts.versions
    this.organizations = new Organizations(context)
    this.users = new Users(context)
    this.buckets = new Buckets(context)
    this.tokens = new Tokens(context)
    this.dbrps = new Dbrps(context)
    this.databases = new Databases(context)
    this.databaseTokens = new DatabaseTokens(context)
    this.continuousQueries = new ContinuousQueries(context)
    this.subscriptions = new Subscriptions(context)
    this.tables = new TableDefinitions(context)
    this.lastCaches = new ValueCaches(context, 'last-cache')
    this.distinctCaches = new ValueCaches(context, 'distinct-cache')
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
    this.silences = new Silences(context)
    this.alertStates = new AlertStates(context)
    this.telegrafs = new Telegrafs(context)
    this.sources = new Sources(context)
    this.stacks = new Stacks(context)
    this.legacyTokens = new LegacyTokens(context)
    this.sessions = new Sessions(context)
    this.secrets = new Secrets(context)
    this.limits = new Limits(context)
    this.usageHours = new UsageHours(context)
    this.tokenUses = new TokenUses(context)
    this.storeRegistry = new StoreRegistry(context, parts.connection.shared?.untracked)
    this.storeEmptied = new StoreEmptied(context)
    this.remotes = new Remotes(context)
    this.replications = new Replications(context)
    this.scrapers = new Scrapers(context)
    this.storeReplicas = new StoreReplicas(context)
  }

  static async open(options: CatalogOptions): Promise<Catalog> {
    const connection = await connect(options.path)
    const [versions, events] = [newVersions(), new EventEmitter()]
    const { db, tracking, shared } = connection
    const { clock, random, plan = 'unlimited' } = options
    const { scriptTools = noScriptTools, queryPlaces = noQueryPlaces } = options
    const tell: CatalogContext['tell'] = (name, ...detail) => events.emit(name, ...detail)
    const tools = { scriptTools, queryPlaces }
    const context = { db, clock, random, plan, ...tools, tell, lastRunId: { value: 0n } }
    const catalog = new Catalog(context, { connection, versions, events })
    try {
      await connection.log?.look()
      if (!connection.fillNew?.(() => newTablesScript(Object.keys(migrations)))) {
        await migrate(db, shared && { others: () => liveNodes(shared, clock) })
      }
      tracking.changed = (rows) => catalog.#changed(rows)
      catalog.#mustBeWhole(await catalog.refresh(), options)
      await catalog.#join(options)
      if (connection.refuseChanges === undefined) await connection.log?.begin(db)
      await connection.refuseChanges?.()
    } catch (error) {
      await catalog.close()
      throw error
    }
    return catalog
  }

  /** Changes that were acknowledged are there, or somebody says that they need not be. */
  #mustBeWhole(changes: number, { path, isLossAccepted = false }: CatalogOptions): void {
    const { witness, log } = this.#parts.connection
    if (witness === undefined) return
    const acknowledged = Math.max(witness.number, log?.sealedChanges ?? 0)
    if (changes < acknowledged && !isLossAccepted) {
      const counts = `${acknowledged} were acknowledged and it knows of ${changes}`
      throw new CorruptionError(
        path,
        0,
        changes === 0
          ? `the catalog is empty, and was not: ${counts}; ${lossAdvice}`
          : `the catalog has lost changes: ${counts}; ${lossAdvice}`,
      )
    }
    const damage = log?.damage(changes)
    if (damage !== undefined && !isLossAccepted) {
      const message = `the catalog is damaged, or another program has changed it: ${damage}`
      throw new CorruptionError(path, 0, `${message}; ${lossAdvice}`)
    }
    if (changes < witness.number) witness.reset(changes)
    else witness.note(changes)
  }

  async #join({ nodeId, programVersion = '', clock, random }: CatalogOptions): Promise<void> {
    const { shared } = this.#parts.connection
    if (shared === undefined) return
    const nodes = new Nodes({
      shared,
      nodeId: nodeId ?? newId(random),
      programVersion,
      clock,
      random,
      refresh: () => this.refresh(),
    })
    this.#nodes = nodes
    await nodes.join()
  }

  /** The processes that share the catalog; undefined: no other can have it open. */
  get nodes(): Nodes | undefined {
    return this.#nodes
  }

  /** Copies everything into a new file, as it is at one moment. False: this database is backed up by its own tools. */
  async copyTo(path: string): Promise<boolean> {
    const { connection } = this.#parts
    await connection.copyTo?.(path)
    return connection.copyTo !== undefined
  }

  /** Copies every resource into a catalog that has none, or those of an earlier copy. */
  async moveInto(target: Catalog): Promise<void> {
    const { db } = this.#context
    await target.#context.db.transaction().execute((inside) => moveTables(db, inside))
    for (const bucket of await target.buckets.all()) target.#context.tell('bucket-saved', bucket)
  }

  /** The listener is called after the change is durable. */
  on<Name extends keyof CatalogEvents>(
    name: Name,
    listener: (...detail: CatalogEvents[Name]) => void,
  ): void {
    this.#parts.events.on(name, listener)
  }

  /** Sees and tells what other processes have changed; answers with a number that rises with every change. */
  async refresh(): Promise<number> {
    const { shared } = this.#parts.connection
    const db = shared?.untracked ?? this.#context.db
    const rows = await db.selectFrom('versions').selectAll().execute()
    const { events } = this.#parts
    const hasListeners = events.listenerCount('bucket-saved') > 0
    // Which bucket another process has saved is not known: whoever keeps their settings is told all of them.
    if (this.#raise(rows).includes('buckets') && hasListeners) {
      for (const bucket of await this.buckets.all()) events.emit('bucket-saved', bucket)
    }
    return changeOf(rows)
  }

  /** This process has changed something: the others have seen it before whoever asked for it is answered. */
  async #changed(rows: readonly VersionRow[]): Promise<void> {
    const change = changeOf(rows)
    this.#parts.connection.witness?.note(change)
    this.#raise(rows)
    if (this.#nodes === undefined || change <= this.#confirmedChange) return
    await this.#nodes.confirm(change)
    this.#confirmedChange = Math.max(change, this.#confirmedChange)
  }

  #raise(rows: readonly VersionRow[]): readonly VersionKind[] {
    const { versions, events } = this.#parts
    const kinds = raiseVersions(versions, rows)
    for (const kind of kinds) events.emit(`${kind}-changed`)
    return kinds
  }

  /**
   * All of it happens or nothing. Inside, only the catalog that is passed in may be used, and nothing outside of it
   * may be changed: where other processes change the same, the work is done again.
   */
  async inTransaction<T>(work: (inside: Catalog) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryTransaction(work)
      } catch (error) {
        if (tries === triesMax || !this.#parts.connection.isRepeatable(error)) throw error
        await setTimeout(this.#context.random.float() * 2 ** Math.min(tries, 6))
      }
    }
  }

  async #tryTransaction<T>(work: (inside: Catalog) => Promise<T>): Promise<T> {
    const events: ToldEvent[] = []
    const tell: CatalogContext['tell'] = (...event) => {
      events.push(event)
    }
    const result = await this.#context.db.transaction().execute((db) => {
      return work(new Catalog({ ...this.#context, db, tell }, this.#parts))
    })
    for (const event of events) this.#context.tell(...event)
    return result
  }

  async close(): Promise<void> {
    await this.#nodes?.leave()
    await this.#parts.connection.shared?.close()
    await this.#parts.connection.log?.close()
    await this.#context.db.destroy()
    this.#parts.connection.witness?.close()
    this.#parts.connection.discard?.()
  }

  /** It lies on a disk that is read-only: whatever would change it is refused. */
  get isReadOnly(): boolean {
    return this.#parts.connection.refuseChanges !== undefined
  }
}
