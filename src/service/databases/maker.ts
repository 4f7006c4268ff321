// Making, changing and dropping databases and policies: buckets, mappings, and what is kept beside
// them, each change all or nothing. The rules are InfluxDB's, the quotas those of the organization.

import type { Identity } from '../../access/authenticator.js'
import { allows } from '../../access/permissions.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import type { PolicyOptions } from '../../influxql/syntax/ast.js'
import { type DatabaseEntry, type PolicyEntry, readDirectory } from './directory.js'
import {
  changedTerms,
  detailsOf,
  isSamePolicy,
  newTerms,
  type PolicyTerms,
  requireName,
  retentionSeconds,
  termsOf,
} from './policies.js'
import {
  databaseNotFound,
  insufficientPermissions,
  policyConflict,
  policyNotFound,
} from './refusals.js'
import { extendGrants } from './users.js'

export interface DatabaseNaming {
  /** Whether mappings lead to buckets, or their names alone. */
  readonly hasMappings: boolean
  /** What a policy is called in the directory. */
  policyName(policy: string | undefined): string | undefined
  /** What the bucket of a new policy is called. */
  bucketName(inside: Catalog, orgId: string, database: string, policy: string): Promise<string>
}

/** The policy of a database that nobody gave another name. */
const defaultPolicy = 'autogen'

export class DatabaseMaker {
  readonly #catalog: Catalog
  readonly #identity: Identity
  readonly #orgId: string
  readonly #naming: DatabaseNaming

  constructor(catalog: Catalog, identity: Identity, orgId: string, naming: DatabaseNaming) {
    this.#catalog = catalog
    this.#identity = identity
    this.#orgId = orgId
    this.#naming = naming
  }

  /** A database that is there already is made again only in name. */
  async create(
    database: string,
    policy: (PolicyOptions & { readonly name?: string }) | undefined,
  ): Promise<void> {
    requireName(database)
    if (policy?.name !== undefined) requireName(policy.name)
    const name = policy?.name ?? defaultPolicy
    const terms = newTerms(policy ?? {})
    await this.#catalog.inTransaction(async (inside) => {
      const known = await this.#find(inside, database)
      if (known !== undefined && known.policies.length > 0) {
        if (policy !== undefined && !isDefaultPolicy(known, name, policy)) throw policyConflict()
        return
      }
      if (known !== undefined && policy === undefined) return
      this.#require(undefined)
      if (this.#naming.hasMappings) await inside.databases.keep(this.#orgId, database)
      await this.#makePolicy(inside, database, name, terms, true)
    })
  }

  async drop(database: string): Promise<void> {
    await this.#catalog.inTransaction(async (inside) => {
      const known = await this.#find(inside, database)
      if (known === undefined) return
      if (known.policies.length === 0) this.#require(undefined)
      for (const policy of known.policies) await this.#dropPolicy(inside, policy)
      await inside.databases.forget(this.#orgId, database)
      await inside.continuousQueries.deleteOfDatabase(this.#orgId, database)
      await inside.subscriptions.deleteOfDatabase(this.#orgId, database)
    })
  }

  async createPolicy(
    database: string,
    given: string,
    options: PolicyOptions,
    isDefault: boolean,
  ): Promise<void> {
    requireName(given)
    const name = this.#naming.policyName(given) ?? given
    const terms = newTerms(options)
    await this.#catalog.inTransaction(async (inside) => {
      const entry = await this.#requireDatabase(inside, database)
      const known = entry.policies.find((policy) => policy.name === name)
      if (known !== undefined) {
        if (!isSamePolicy(termsOf(known), terms)) {
          throw new UserError('conflict', 'retention policy already exists')
        }
        if (isDefault && !known.isDefault) throw policyConflict()
        return
      }
      this.#require(undefined)
      await this.#nameMappings(inside, entry)
      const bucket = await this.#makePolicy(inside, database, name, terms, isDefault)
      // The first mapping of a database is its default, the first policy only if it says so.
      if (this.#naming.hasMappings && !isDefault && entry.policies.length === 0) {
        await inside.dbrps.clearDefault(this.#orgId, database)
      }
      await extendGrants(inside, this.#orgId, entry, bucket.id)
    })
  }

  async alterPolicy(
    database: string,
    given: string,
    options: PolicyOptions,
    isDefault: boolean,
  ): Promise<void> {
    const name = this.#naming.policyName(given) ?? given
    await this.#catalog.inTransaction(async (inside) => {
      const entry = await this.#requireDatabase(inside, database)
      const policy = entry.policies.find((candidate) => candidate.name === name)
      if (policy === undefined) throw policyNotFound(given)
      this.#require(policy.bucket)
      const terms = changedTerms(termsOf(policy), options)
      await this.#keepTerms(inside, policy.bucket, terms)
      if (isDefault && !policy.isDefault) await this.#makeDefault(inside, entry, name)
    })
  }

  async dropPolicy(database: string, given: string): Promise<void> {
    const name = this.#naming.policyName(given)
    await this.#catalog.inTransaction(async (inside) => {
      const entry = await this.#find(inside, database)
      const policy = entry?.policies.find((candidate) => candidate.name === name)
      if (entry === undefined || policy === undefined) return
      // The database stays without it.
      if (this.#naming.hasMappings) await inside.databases.keep(this.#orgId, database)
      // No other policy takes its place: points would go where nobody sent them.
      if (policy.isDefault) await inside.dbrps.clearDefault(this.#orgId, database)
      await this.#dropPolicy(inside, policy)
      await inside.subscriptions.deleteOfDatabase(this.#orgId, database, policy.name)
    })
  }

  /** Its points go as well, unless another database leads to the same bucket. */
  async #dropPolicy(inside: Catalog, { bucket, mapping }: PolicyEntry): Promise<void> {
    this.#require(bucket)
    const others = await inside.dbrps.list(this.#orgId, { bucketId: bucket.id })
    if (others.some(({ database }) => database !== mapping.database)) {
      await inside.dbrps.delete(mapping)
      return
    }
    if (bucket.type === 'system') {
      throw new UserError('invalid', 'system buckets cannot be deleted')
    }
    await inside.buckets.delete(bucket.id)
  }

  async #makePolicy(
    inside: Catalog,
    database: string,
    policy: string,
    terms: PolicyTerms,
    isDefault: boolean,
  ): Promise<Bucket> {
    const orgId = this.#orgId
    if (!this.#naming.hasMappings && isDefault && policy !== defaultPolicy) throw fixedDefault()
    await inside.limits.requireRoom(orgId, 'bucket', inside.buckets)
    const seconds = retentionSeconds(terms.durationNs)
    await inside.limits.requireRetention(orgId, seconds)
    const name = await this.#naming.bucketName(inside, orgId, database, policy)
    const bucket = await inside.buckets.create({ orgId, name, retentionSeconds: seconds })
    await inside.databases.describe(orgId, bucket.id, detailsOf(terms))
    if (this.#naming.hasMappings) {
      const input = { orgId, bucketId: bucket.id, database, retentionPolicy: policy, isDefault }
      await inside.dbrps.create(input)
    }
    return bucket
  }

  async #keepTerms(inside: Catalog, bucket: Bucket, terms: PolicyTerms): Promise<void> {
    const seconds = retentionSeconds(terms.durationNs)
    if (seconds !== bucket.retentionSeconds) {
      await inside.limits.requireRetention(this.#orgId, seconds)
      await inside.buckets.update(bucket.id, { retentionSeconds: seconds })
    }
    await inside.databases.describe(this.#orgId, bucket.id, detailsOf(terms))
  }

  /**
   * The first mapping that somebody makes would become the default: those that follow from the
   * names of buckets are made too, so that everything stays as it is.
   */
  async #nameMappings(inside: Catalog, entry: DatabaseEntry): Promise<void> {
    if (!this.#naming.hasMappings) return
    const byDefault = [...entry.policies].sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
    for (const { mapping, isDefault } of byDefault) {
      if (mapping.isVirtual) await inside.dbrps.create({ ...mapping, isDefault })
    }
  }

  async #makeDefault(inside: Catalog, entry: DatabaseEntry, name: string): Promise<void> {
    if (!this.#naming.hasMappings) throw fixedDefault()
    await this.#nameMappings(inside, entry)
    const filter = { database: entry.name, retentionPolicy: name }
    const [mapping] = await inside.dbrps.list(this.#orgId, filter)
    if (mapping !== undefined) await inside.dbrps.update(mapping, { isDefault: true })
  }

  async #requireDatabase(inside: Catalog, database: string): Promise<DatabaseEntry> {
    const found = await this.#find(inside, database)
    if (found === undefined) throw databaseNotFound(database)
    return found
  }

  async #find(inside: Catalog, database: string): Promise<DatabaseEntry | undefined> {
    return (await readDirectory(inside, this.#orgId)).get(database)
  }

  /** To write a bucket, or to make one. */
  #require(bucket: Bucket | undefined): void {
    const demand = { action: 'write', type: 'buckets', orgID: this.#orgId } as const
    const { permissions } = this.#identity
    if (allows(permissions, bucket === undefined ? demand : { ...demand, id: bucket.id })) return
    throw insufficientPermissions()
  }
}

function fixedDefault(): UserError {
  const text = `the default policy of a database is always ${defaultPolicy}`
  return new UserError('not implemented', text)
}

/** Whether the database was made, or could have been, by the same statement. */
function isDefaultPolicy(entry: DatabaseEntry, name: string, asked: PolicyOptions): boolean {
  const policy = entry.policies.find((candidate) => candidate.name === name)
  if (policy === undefined || !policy.isDefault) return false
  const terms = termsOf(policy)
  const { durationNs = terms.durationNs, replication = terms.replication } = asked
  const { futureLimitNs = terms.futureLimitNs, pastLimitNs = terms.pastLimitNs } = asked
  const { shardDurationNs } = newTerms({ ...asked, durationNs: terms.durationNs, replication })
  const same = { durationNs, replication, shardDurationNs, futureLimitNs, pastLimitNs }
  return isSamePolicy(terms, same)
}
