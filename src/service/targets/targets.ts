// Which bucket or organization a request means. Answers are cached until the catalog changes, so that a write costs no
// query of the catalog's database.

import type { Identity } from '../../access/authenticator.js'
import { allows, isOperator } from '../../access/permissions.js'
import type { Organization } from '../../catalog/accounts/organizations.js'
import { parseId } from '../../catalog/base/ids.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { assert, UserError } from '../../errors.js'
import type { CacheFigures } from '../../platform/lru-cache.js'
import type { ServiceParts } from '../base/parts.js'
import { VersionedCache } from '../base/versioned-cache.js'
import { clusterDatabaseName } from './cluster-names.js'

export interface BucketQuery {
  readonly org: string | undefined
  readonly orgID: string | undefined
  readonly bucket: string | undefined
  readonly bucketID: string | undefined
}

/** A database that is missing and may be made, once there is something to write to it. */
export interface MissingDatabase {
  make(): Promise<Bucket>
}

/** Retention of a database that a write made: 3 days. */
const madeRetentionSeconds = 3 * 86_400

export class Targets {
  readonly #catalog: Catalog
  readonly #homeOrgId: string | undefined
  readonly #buckets: VersionedCache<Bucket>
  readonly #organizations: VersionedCache<Organization>
  /** Buckets deleted since the start. Ids are never used twice, so that none leaves again. */
  readonly #deleted = new Set<string>()

  constructor({ catalog, homeOrgId }: Pick<ServiceParts, 'catalog' | 'homeOrgId'>) {
    this.#catalog = catalog
    this.#homeOrgId = homeOrgId
    this.#buckets = new VersionedCache(catalog, ['buckets', 'dbrps', 'organizations'])
    this.#organizations = new VersionedCache(catalog, ['organizations'])
    catalog.on('bucket-deleted', (bucketId) => this.#deleted.add(bucketId))
  }

  figures(): CacheFigures {
    return this.#buckets.figures()
  }

  /** For requests that found their bucket before it went. */
  isDeleted(bucketId: string): boolean {
    return this.#deleted.has(bucketId)
  }

  /**
   * Managed, v2: `bucket` or `bucketID` in `org` or `orgID`; without these, in the token's
   * organization. `find` says what an unknown organization means.
   */
  async managedBucket(
    identity: Identity,
    query: BucketQuery,
    find: 'organization' | 'organizationOfPoints' = 'organizationOfPoints',
  ): Promise<Bucket> {
    const { org, orgID, bucket, bucketID } = query
    const key = JSON.stringify(['v2', find, identity.orgId, org, orgID, bucket, bucketID])
    return this.#buckets.find(key, async () => {
      const organization = await this[find](identity, query)
      const name = bucketID === undefined ? bucket : parseId(bucketID)
      if (name === undefined) throw new UserError('not found', 'bucket not found')
      const found = await this.#catalog.buckets.find(organization.id, name)
      if (found === undefined) throw new UserError('not found', `bucket "${name}" not found`)
      return found
    })
  }

  /** Managed, v1: through the DBRP mappings of the token's organization. */
  async managedDatabase(
    identity: Identity,
    database: string,
    policy: string | undefined,
  ): Promise<Bucket> {
    const key = JSON.stringify(['v1', identity.orgId, database, policy])
    return this.#buckets.find(key, async () => {
      const orgId = identity.orgId ?? (await this.#catalog.organizations.findFirst())?.id
      const missing = new UserError('not found', `database not found: "${database}"`)
      if (orgId === undefined) throw missing
      const resolution = await this.#catalog.dbrps.resolve(orgId, database, policy)
      if (resolution.kind === 'no-policy') {
        throw new UserError('not found', `retention policy not found: ${policy ?? 'default'}`)
      }
      if (resolution.kind === 'no-database') throw missing
      const bucket = await this.#catalog.buckets.findById(resolution.bucketId)
      if (bucket === undefined) throw missing
      return bucket
    })
  }

  /** Cluster: a database by name or id; undefined where there is none. */
  async clusterDatabase(nameOrId: string): Promise<Bucket | undefined> {
    const missing = new UserError('not found', `database not found: "${nameOrId}"`)
    const key = JSON.stringify(['cluster', nameOrId])
    try {
      return await this.#buckets.find(key, async () => {
        const found = await this.#catalog.buckets.find(this.#homeOrganization(), nameOrId)
        if (found === undefined) throw missing
        return found
      })
    } catch (error) {
      if (error === missing) return undefined
      throw error
    }
  }

  /**
   * v1 and v3 writes: the bucket of a database. In the cluster variant a missing one can be made, where the caller may.
   */
  async databaseToWrite(
    identity: Identity,
    database: string,
    policy: string | undefined,
  ): Promise<Bucket | MissingDatabase> {
    if (this.#homeOrgId === undefined) return this.managedDatabase(identity, database, policy)
    const name = clusterDatabaseName(database, policy)
    const found = await this.clusterDatabase(name)
    if (found !== undefined) return found
    const orgID = this.#homeOrganization()
    if (!allows(identity.permissions, { action: 'write', type: 'buckets', orgID })) {
      throw notAuthorizedToWrite(database)
    }
    return { make: () => this.#makeDatabase(orgID, name) }
  }

  /** The same for whoever reads: a missing one is not made. */
  async databaseToRead(
    identity: Identity,
    database: string,
    policy: string | undefined,
  ): Promise<Bucket> {
    if (this.#homeOrgId === undefined) return this.managedDatabase(identity, database, policy)
    const found = await this.clusterDatabase(clusterDatabaseName(database, policy))
    if (found !== undefined) return found
    throw new UserError('not found', `database not found: "${database}"`)
  }

  #makeDatabase(orgId: string, name: string): Promise<Bucket> {
    return this.#catalog.inTransaction(async (inside) => {
      // Another write may have made it in the meantime.
      const made = await inside.buckets.findByName(orgId, name)
      return made ?? inside.buckets.create({ orgId, name, retentionSeconds: madeRetentionSeconds })
    })
  }

  #homeOrganization(): string {
    assert(this.#homeOrgId !== undefined, 'the cluster variant has a home organization')
    return this.#homeOrgId
  }

  /**
   * The organization that a request names, which must be the token's own where the token has one.
   */
  async organization(
    identity: Identity,
    query: { readonly org: string | undefined; readonly orgID: string | undefined },
  ): Promise<Organization> {
    const { org, orgID } = query
    const named = orgID === undefined ? org : parseId(orgID)
    const key = JSON.stringify([identity.orgId, named])
    return this.#organizations.find(key, async () => {
      const found = await this.#findOrganization(named, identity.orgId)
      if (found === undefined) throw organizationMissing(org, orgID)
      if (identity.orgId !== undefined && identity.orgId !== found.id) {
        throw new UserError('invalid', `organization "${named}" does not own the token`)
      }
      return found
    })
  }

  /**
   * The same for whoever writes or queries: a name that no organization bears is passed over where the token says which
   * one is meant. Clients of v3 send `default`, whatever the organization is called.
   */
  async organizationOfPoints(
    identity: Identity,
    query: { readonly org: string | undefined; readonly orgID: string | undefined },
  ): Promise<Organization> {
    const { org, orgID } = query
    const isKnown =
      identity.orgId === undefined ||
      orgID !== undefined ||
      org === undefined ||
      (await this.findOrganization(org)) !== undefined
    return this.organization(identity, isKnown ? query : { org: undefined, orgID })
  }

  /** By name or id, whoever asks. */
  async findOrganization(nameOrId: string | undefined): Promise<Organization | undefined> {
    try {
      return await this.organization(anybody, { org: nameOrId, orgID: undefined })
    } catch (error) {
      if (error instanceof UserError && error.code === 'not found') return undefined
      throw error
    }
  }

  #findOrganization(
    named: string | undefined,
    ownId: string | undefined,
  ): Promise<Organization | undefined> {
    const { organizations } = this.#catalog
    if (named !== undefined) return organizations.find(named)
    return ownId === undefined ? organizations.findFirst() : organizations.findById(ownId)
  }

  /**
   * The same for whoever manages resources and not points: an operator's token reaches every
   * organization, whichever it is bound to.
   */
  async organizationToManage(
    identity: Identity,
    query: { readonly org: string | undefined; readonly orgID: string | undefined },
  ): Promise<Organization> {
    const isNamed = query.org !== undefined || query.orgID !== undefined
    const reachesAll = isNamed && isOperator(identity.permissions)
    return this.organization(reachesAll ? { ...identity, orgId: undefined } : identity, query)
  }
}

/** Bound to no organization. */
const anybody: Identity = {
  tokenId: undefined,
  orgId: undefined,
  userId: undefined,
  permissions: [],
}

function organizationMissing(org: string | undefined, orgID: string | undefined): UserError {
  const name = orgID === undefined && org !== undefined ? ` name "${org}"` : ''
  return new UserError('not found', `organization${name} not found`)
}

export function notAuthorizedToWrite(database: string): UserError {
  const message = `user is not authorized to write to database "${database}"`
  return new UserError('unauthorized', message)
}
