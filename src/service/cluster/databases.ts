// Databases of the cluster variant as whoever runs it manages them. Each is a bucket of the one organization; dropping
// one takes with it what v1 statements made for it.

import { wholeList } from '../../catalog/base/page.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { DatabaseLimits } from '../../catalog/storage/databases.js'
import { UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'
import type { DatabaseManagement } from '../databases/organization-databases.js'
import { clusterDatabaseName } from '../targets/cluster-names.js'
import { homeOrganization } from './home-organization.js'

export class ClusterDatabases implements DatabaseManagement {
  readonly #catalog: Catalog
  readonly #orgId: string

  constructor(parts: Pick<ServiceParts, 'catalog' | 'homeOrgId'>) {
    this.#catalog = parts.catalog
    this.#orgId = homeOrganization(parts)
  }

  list(): Promise<Bucket[]> {
    const filter = { orgId: this.#orgId, userBuckets: 'all', systemBuckets: false } as const
    return this.#catalog.buckets.list(filter, wholeList)
  }

  create(database: string, retentionSeconds: number, limits?: DatabaseLimits): Promise<Bucket> {
    const [orgId, name] = [this.#orgId, clusterDatabaseName(database, undefined)]
    return this.#catalog.inTransaction(async ({ buckets, databases }) => {
      if ((await buckets.findByName(orgId, name)) !== undefined) {
        throw new UserError('conflict', `database "${name}" already exists`, 409)
      }
      const made = await buckets.create({ orgId, name, retentionSeconds })
      if (limits !== undefined) await databases.limit(orgId, made.id, limits)
      return made
    })
  }

  setRetention(name: string, retentionSeconds: number): Promise<Bucket> {
    return this.#catalog.inTransaction(async (inside) => {
      const { id } = await this.#require(inside, name)
      return inside.buckets.update(id, { retentionSeconds })
    })
  }

  /** By the id of their bucket; most databases have none. */
  limits(): Promise<ReadonlyMap<string, DatabaseLimits>> {
    return this.#catalog.databases.limits(this.#orgId)
  }

  /** What is absent stays as it is. */
  limit(name: string, given: DatabaseLimits): Promise<DatabaseLimits> {
    return this.#catalog.inTransaction(async (inside) => {
      const { id } = await this.#require(inside, name)
      return inside.databases.limit(this.#orgId, id, given)
    })
  }

  require(name: string): Promise<Bucket> {
    return this.#require(this.#catalog, name)
  }

  drop(name: string): Promise<Bucket> {
    const orgId = this.#orgId
    return this.#catalog.inTransaction(async (inside) => {
      const database = await this.#require(inside, name)
      await inside.buckets.delete(database.id)
      await inside.databases.forget(orgId, name)
      await inside.continuousQueries.deleteOfDatabase(orgId, name)
      await inside.subscriptions.deleteOfDatabase(orgId, name)
      return database
    })
  }

  async #require({ buckets }: Catalog, name: string): Promise<Bucket> {
    const database = await buckets.findByName(this.#orgId, name)
    if (database?.type === 'user') return database
    throw new UserError('not found', `database not found: ${name}`)
  }
}
