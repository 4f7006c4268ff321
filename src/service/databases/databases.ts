// Databases as InfluxQL sees them, on the catalog. In the managed variant databases and policies are
// buckets through DBRP mappings of the caller's organization; in the cluster variant they are the
// names of buckets, `db` and `db/policy`. Everything checks here what the caller may do.

import type { Identity } from '../../access/authenticator.js'
import { allows, isOperator } from '../../access/permissions.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { assert, UserError } from '../../errors.js'
import type {
  BucketAction,
  ContinuousQuery,
  Databases,
  DatabaseUser,
  Grant,
  RetentionPolicy,
  Subscription,
} from '../../influxql/scope/scope.js'
import type { PolicyOptions, Privilege } from '../../influxql/syntax/ast.js'
import type { ServiceParts } from '../base/parts.js'
import { requireRole } from '../base/role.js'
import type { OrganizationLimits } from '../limits/organization-limits.js'
import { writeFailure } from '../write/write-failure.js'
import type { Writes } from '../write/writes.js'
import type {
  DatabaseDirectories,
  DatabaseDirectory,
  DatabaseEntry,
  PolicyEntry,
} from './directory.js'
import { DatabaseMaker, type DatabaseNaming } from './maker.js'
import { clusterNaming, managedNaming } from './naming.js'
import { policyOf } from './policies.js'
import {
  databaseNotFound,
  insufficientPermissions,
  noDefaultPolicy,
  policyNotFound,
} from './refusals.js'
import { DatabaseUsers } from './users.js'

export type DatabaseParts = Pick<
  ServiceParts,
  'config' | 'catalog' | 'random' | 'passwords' | 'homeOrgId'
> & {
  readonly directories: DatabaseDirectories
  readonly writes: Writes
  /** Those of organizations, or none for what the service does by itself. */
  readonly limits: OrganizationLimits
}

export class CatalogDatabases implements Databases {
  readonly #parts: DatabaseParts
  readonly #identity: Identity
  readonly #naming: DatabaseNaming
  #hasDeleted = false

  constructor(parts: DatabaseParts, identity: Identity) {
    this.#parts = parts
    this.#identity = identity
    this.#naming = parts.config.variant === 'cluster' ? clusterNaming : managedNaming
  }

  /** Where points of SELECT … INTO go: the same way as those of a write from outside. */
  async writePoints(database: string, policy: string | undefined, lines: Uint8Array) {
    const { writes, limits } = this.#parts
    const bucket = await this.bucketOf(database, policy, 'write')
    const failure = writeFailure(await writes.write(bucket, lines, limits), 'v1')
    if (failure !== undefined) throw failure
  }

  async requireOperator(): Promise<void> {
    if (!isOperator(this.#identity.permissions)) throw insufficientPermissions()
  }

  bucket(
    database: string,
    policy: string | undefined,
    action: BucketAction,
  ): string | Promise<string> {
    const known = action === 'read' ? this.#known(database, policy) : undefined
    if (known === undefined) return this.#bucketId(database, policy, action)
    requireRole(this.#parts.config, 'read')
    this.#mustAllow(known, 'read')
    return known.id
  }

  async #bucketId(
    database: string,
    policy: string | undefined,
    action: BucketAction,
  ): Promise<string> {
    return (await this.bucketOf(database, policy, action)).id
  }

  /** The same, as the catalog has it. */
  async bucketOf(
    database: string,
    policy: string | undefined,
    action: BucketAction,
  ): Promise<Bucket> {
    const needed = action === 'read' ? 'read' : 'write'
    requireRole(this.#parts.config, needed)
    const bucket = this.#known(database, policy) ?? (await this.#find(database, policy))
    this.#mustAllow(bucket, needed)
    if (action === 'delete') await this.#requireDelete(bucket.orgId)
    return bucket
  }

  #mustAllow({ id, orgId }: Bucket, action: 'read' | 'write'): void {
    const demand = { action, type: 'buckets', id, orgID: orgId } as const
    if (!allows(this.#identity.permissions, demand)) throw insufficientPermissions()
  }

  async #requireDelete(orgId: string): Promise<void> {
    const { features } = await this.#parts.catalog.limits.of(orgId)
    if (!features.allowDelete) {
      throw new UserError('forbidden', 'the organization may not delete points')
    }
    // A request counts as one delete, however many buckets its database has.
    if (!this.#hasDeleted) await this.#parts.limits.delete(orgId, async () => {})
    this.#hasDeleted = true
  }

  /** What nearly every query names, without waiting; undefined where `#find` has to look. */
  #known(database: string, policy: string | undefined): Bucket | undefined {
    const { homeOrgId, directories } = this.#parts
    const orgId = this.#naming.hasMappings ? this.#identity.orgId : homeOrgId
    const directory = orgId === undefined ? undefined : directories.cached(orgId)
    const entry = directory?.get(database)
    if (entry === undefined) return undefined
    return choose(entry, this.#naming.policyName(policy))?.bucket
  }

  async #find(database: string, policy: string | undefined): Promise<Bucket> {
    const entry = namedEntry(await this.#directory(), database)
    const wanted = this.#naming.policyName(policy)
    const found = entry === undefined ? undefined : choose(entry, wanted)
    if (found !== undefined) return found.bucket
    const other = await this.#findOtherwise(database, policy)
    if (other !== undefined) return other
    if (entry === undefined) throw databaseNotFound(database)
    throw wanted === undefined ? noDefaultPolicy(database) : policyNotFound(wanted)
  }

  /** Writes also find a bucket by its name although it is mapped elsewhere. */
  async #findOtherwise(database: string, policy: string | undefined) {
    if (!this.#naming.hasMappings) return undefined
    const { dbrps, buckets } = this.#parts.catalog
    const resolution = await dbrps.resolve(await this.#requireOrgId(), database, policy)
    return resolution.kind === 'found' ? buckets.findById(resolution.bucketId) : undefined
  }

  async list(): Promise<string[]> {
    return Array.from(await this.#visible(), ({ name }) => name)
  }

  async #visible(): Promise<DatabaseEntry[]> {
    const orgId = await this.#orgId()
    if (orgId === undefined) return []
    const all = (await this.#directory()).values()
    return Array.from(all).filter((entry) => this.#maySee(entry, orgId))
  }

  /** Who may read or write something in it. */
  #maySee({ policies }: DatabaseEntry, orgId: string): boolean {
    if (policies.length === 0) return this.#mayUse(undefined, orgId)
    return policies.some(({ bucket }) => this.#mayUse(bucket.id, orgId))
  }

  #mayUse(id: string | undefined, orgID: string): boolean {
    const demand = { type: 'buckets', orgID, ...(id === undefined ? {} : { id }) } as const
    const { permissions } = this.#identity
    return (
      allows(permissions, { ...demand, action: 'read' }) ||
      allows(permissions, { ...demand, action: 'write' })
    )
  }

  async policies(database: string): Promise<readonly RetentionPolicy[]> {
    const entry = namedEntry(await this.#directory(), database)
    if (entry === undefined) throw databaseNotFound(database)
    if (!this.#maySee(entry, await this.#requireOrgId())) throw insufficientPermissions()
    return entry.policies.map(policyOf)
  }

  async create(
    database: string,
    policy: (PolicyOptions & { readonly name?: string }) | undefined,
  ): Promise<void> {
    return (await this.#maker()).create(database, policy)
  }

  async drop(database: string): Promise<void> {
    return (await this.#maker()).drop(database)
  }

  async createPolicy(database: string, name: string, options: PolicyOptions, isDefault: boolean) {
    return (await this.#maker()).createPolicy(database, name, options, isDefault)
  }

  async alterPolicy(database: string, name: string, options: PolicyOptions, isDefault: boolean) {
    return (await this.#maker()).alterPolicy(database, name, options, isDefault)
  }

  async dropPolicy(database: string, name: string): Promise<void> {
    return (await this.#maker()).dropPolicy(database, name)
  }

  async users(): Promise<readonly DatabaseUser[]> {
    return (await this.#users()).list()
  }

  async createUser(name: string, password: string, isAdmin: boolean): Promise<void> {
    return (await this.#users()).create(name, password, isAdmin)
  }

  async dropUser(name: string): Promise<void> {
    return (await this.#users()).drop(name)
  }

  async setPassword(name: string, password: string): Promise<void> {
    return (await this.#users()).setPassword(name, password)
  }

  async grants(user: string): Promise<readonly Grant[]> {
    return (await this.#users()).grants(user)
  }

  async grant(user: string, database: string, privilege: Privilege): Promise<void> {
    return (await this.#users()).grant(user, database, privilege)
  }

  async revoke(user: string, database: string, privilege: Privilege): Promise<void> {
    return (await this.#users()).revoke(user, database, privilege)
  }

  async setAdmin(user: string, isAdmin: boolean): Promise<void> {
    return (await this.#users()).setAdmin(user, isAdmin)
  }

  async continuousQueries(): Promise<readonly ContinuousQuery[]> {
    const orgId = await this.#orgId()
    if (orgId === undefined) return []
    const visible = new Set(await this.list())
    const all = await this.#parts.catalog.continuousQueries.list(orgId)
    return all.map(({ body }) => body).filter(({ database }) => visible.has(database))
  }

  /** Whether the caller may read and write what it does is judged by whoever knows the statement. */
  async createContinuousQuery(query: ContinuousQuery): Promise<void> {
    const orgId = await this.#requireOrgId()
    await this.policies(query.database)
    await this.#parts.catalog.inTransaction(async ({ continuousQueries, limits }) => {
      const known = await continuousQueries.find(orgId, query.database, query.name)
      if (known === undefined) {
        // They are tasks to whoever pays for the work.
        const { maxTasks } = (await limits.of(orgId)).task
        if (maxTasks > 0 && (await continuousQueries.list(orgId)).length >= maxTasks) {
          throw new UserError('forbidden', 'creating continuous query would exceed quota')
        }
        await continuousQueries.create(orgId, this.#identity.userId, query)
      } else if (known.body.text.toLowerCase() !== query.text.toLowerCase()) {
        throw new UserError('conflict', 'continuous query already exists')
      }
    })
  }

  async dropContinuousQuery(database: string, name: string): Promise<void> {
    const directory = await this.#directory()
    const orgId = await this.#requireOrgId()
    const { continuousQueries } = this.#parts.catalog
    const known = await continuousQueries.find(orgId, database, name)
    if (known === undefined || !directory.has(database)) return
    await this.#requireWrite(database)
    await continuousQueries.delete(known.id)
  }

  async subscriptions(): Promise<readonly Subscription[]> {
    const orgId = await this.#orgId()
    if (orgId === undefined) return []
    const visible = new Set(await this.list())
    const all = await this.#parts.catalog.subscriptions.list(orgId)
    return all.map(({ body }) => body).filter(({ database }) => visible.has(database))
  }

  async createSubscription(subscription: Subscription): Promise<void> {
    await this.#requirePolicy(subscription.database, subscription.policy)
    const orgId = await this.#requireOrgId()
    await this.#parts.catalog.inTransaction(async ({ subscriptions }) => {
      if ((await subscriptions.find(orgId, subscription)) !== undefined) {
        throw new UserError('conflict', 'subscription already exists')
      }
      await subscriptions.create(orgId, subscription)
    })
  }

  async dropSubscription(database: string, policy: string, name: string): Promise<void> {
    await this.#requirePolicy(database, policy)
    const orgId = await this.#requireOrgId()
    const { subscriptions } = this.#parts.catalog
    const known = await subscriptions.find(orgId, { database, policy, name })
    if (known === undefined) throw new UserError('not found', 'subscription not found')
    await subscriptions.delete(known.id)
  }

  async #requirePolicy(database: string, policy: string): Promise<void> {
    const entry = (await this.#directory()).get(database)
    if (entry === undefined) throw databaseNotFound(database)
    if (choose(entry, policy) === undefined) throw policyNotFound(policy)
    await this.bucket(database, policy, 'write')
  }

  /** Of every bucket of a database. */
  async #requireWrite(database: string): Promise<void> {
    for (const { name } of await this.policies(database)) {
      await this.bucket(database, name, 'write')
    }
  }

  async #users(): Promise<DatabaseUsers> {
    if (!this.#naming.hasMappings) {
      throw new UserError('not implemented', 'users are not implemented: use database tokens')
    }
    return new DatabaseUsers(this.#parts, this.#identity, await this.#requireOrgId())
  }

  async #maker(): Promise<DatabaseMaker> {
    const orgId = await this.#requireOrgId()
    return new DatabaseMaker(this.#parts.catalog, this.#identity, orgId, this.#naming)
  }

  async #directory(): Promise<DatabaseDirectory> {
    const orgId = await this.#orgId()
    if (orgId === undefined) return new Map()
    return this.#parts.directories.of(orgId)
  }

  async #requireOrgId(): Promise<string> {
    const orgId = await this.#orgId()
    if (orgId === undefined) throw new UserError('not found', 'organization not found')
    return orgId
  }

  /** Undefined before anybody has set the installation up. */
  async #orgId(): Promise<string | undefined> {
    const { homeOrgId, directories } = this.#parts
    if (!this.#naming.hasMappings) {
      assert(homeOrgId !== undefined, 'the cluster variant has a home organization')
      return homeOrgId
    }
    return this.#identity.orgId ?? directories.firstOrganization()
  }
}

function choose({ policies }: DatabaseEntry, policy: string | undefined): PolicyEntry | undefined {
  return policies.find(({ name, isDefault }) =>
    policy === undefined ? isDefault : name === policy,
  )
}

/** A database may also be written `database.policy`: it then has this policy alone. */
function namedEntry(directory: DatabaseDirectory, text: string): DatabaseEntry | undefined {
  const whole = directory.get(text)
  const dot = text.lastIndexOf('.')
  if (whole !== undefined || dot <= 0) return whole
  const policy = directory.get(text.slice(0, dot))?.policies.find(({ name }) => {
    return name === text.slice(dot + 1)
  })
  if (policy === undefined) return undefined
  return { name: text, policies: [{ ...policy, isDefault: true }] }
}
