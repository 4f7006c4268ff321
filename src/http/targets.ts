// Which bucket or organization a request means. Answers are remembered until the catalog changes, so
// that a write costs no query of the catalog's database; misses are not, because the next request
// may come after the bucket was made.

import type { Identity } from '../access/authenticator.js'
import { isOperator } from '../access/permissions.js'
import type { Organization } from '../catalog/accounts/organizations.js'
import { parseId } from '../catalog/base/ids.js'
import type { Catalog } from '../catalog/catalog.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import { UserError } from '../errors.js'
import { SchemaCheck } from './schema-check.js'

export interface BucketQuery {
  readonly org: string | undefined
  readonly orgID: string | undefined
  readonly bucket: string | undefined
  readonly bucketID: string | undefined
}

const rememberedMax = 10_000

export class Targets {
  readonly #catalog: Catalog
  readonly #buckets = new Map<string, Bucket>()
  readonly #organizations = new Map<string, Organization>()
  readonly #schemaChecks = new Map<string, SchemaCheck>()
  /** Buckets deleted since the start. Ids are never used twice, so that none leaves again. */
  readonly #deleted = new Set<string>()
  #generation = 0

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    const forget = () => {
      this.#generation++
      this.#buckets.clear()
      this.#organizations.clear()
      this.#schemaChecks.clear()
    }
    catalog.on('bucket-deleted', (bucketId) => this.#deleted.add(bucketId))
    catalog.on('buckets-changed', forget)
    catalog.on('organizations-changed', forget)
    catalog.on('dbrps-changed', forget)
    catalog.on('measurement-schemas-changed', forget)
  }

  /** For requests that found their bucket before it went. */
  isDeleted(bucketId: string): boolean {
    return this.#deleted.has(bucketId)
  }

  /** What the points of an explicit bucket must be; undefined where they may be anything. */
  schemaCheck(bucket: Bucket): SchemaCheck | undefined | Promise<SchemaCheck> {
    if (bucket.schemaType === 'implicit') return undefined
    return this.#schemaChecks.get(bucket.id) ?? this.#makeSchemaCheck(bucket)
  }

  async #makeSchemaCheck(bucket: Bucket): Promise<SchemaCheck> {
    const generation = this.#generation
    const made = new SchemaCheck(await this.#catalog.measurementSchemas.ofBucket(bucket.id))
    if (generation !== this.#generation) return made
    if (this.#schemaChecks.size >= rememberedMax) this.#schemaChecks.clear()
    this.#schemaChecks.set(bucket.id, made)
    return made
  }

  /**
   * Managed, v2: `bucket` or `bucketID` in `org` or `orgID`; without these, in the token's
   * organization.
   */
  async managedBucket(identity: Identity, query: BucketQuery): Promise<Bucket> {
    const { org, orgID, bucket, bucketID } = query
    const key = JSON.stringify(['v2', identity.orgId, org, orgID, bucket, bucketID])
    return this.#remember(this.#buckets, key, async () => {
      const organization = await this.organization(identity, query)
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
    return this.#remember(this.#buckets, key, async () => {
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
  async clusterDatabase(homeOrgId: string, nameOrId: string): Promise<Bucket | undefined> {
    const missing = new UserError('not found', `database not found: "${nameOrId}"`)
    const key = JSON.stringify(['cluster', nameOrId])
    try {
      return await this.#remember(this.#buckets, key, async () => {
        const found = await this.#catalog.buckets.find(homeOrgId, nameOrId)
        if (found === undefined) throw missing
        return found
      })
    } catch (error) {
      if (error === missing) return undefined
      throw error
    }
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
    return this.#remember(this.#organizations, key, async () => {
      const found = await this.#findOrganization(named, identity.orgId)
      if (found === undefined) throw organizationMissing(org, orgID)
      if (identity.orgId !== undefined && identity.orgId !== found.id) {
        throw new UserError('invalid', `organization "${named}" does not own the token`)
      }
      return found
    })
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

  async #remember<T>(remembered: Map<string, T>, key: string, find: () => Promise<T>): Promise<T> {
    const known = remembered.get(key)
    if (known !== undefined) return known
    const generation = this.#generation
    const found = await find()
    if (generation !== this.#generation) return found
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(key, found)
    return found
  }
}

function organizationMissing(org: string | undefined, orgID: string | undefined): UserError {
  const name = orgID === undefined && org !== undefined ? ` name "${org}"` : ''
  return new UserError('not found', `organization${name} not found`)
}
