// Databases as v3 clients manage them where they are buckets of an organization: listed, made, changed and dropped with
// the caller's own permissions, quotas included. The cluster's are in `cluster/databases.ts`.

import type { Identity } from '../../access/authenticator.js'
import { type Action, allows } from '../../access/permissions.js'
import { wholeList } from '../../catalog/base/page.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import { requirePermission } from '../base/identities.js'

/** What a list of databases can be asked, whoever keeps it. A name may also be an id. */
export interface DatabaseManagement {
  list(): Promise<Bucket[]>
  /** Throws `conflict` where the name is taken. */
  create(name: string, retentionSeconds: number): Promise<Bucket>
  setRetention(name: string, retentionSeconds: number): Promise<Bucket>
  drop(name: string): Promise<Bucket>
}

export class OrganizationDatabases implements DatabaseManagement {
  readonly #catalog: Catalog
  readonly #identity: Identity
  readonly #orgId: string

  constructor(catalog: Catalog, identity: Identity, orgId: string) {
    this.#catalog = catalog
    this.#identity = identity
    this.#orgId = orgId
  }

  /** Those that the caller may read. */
  async list(): Promise<Bucket[]> {
    const filter = { orgId: this.#orgId, userBuckets: 'all', systemBuckets: false } as const
    const all = await this.#catalog.buckets.list(filter, wholeList)
    return all.filter((bucket) =>
      allows(this.#identity.permissions, this.#demand('read', bucket.id)),
    )
  }

  create(name: string, retentionSeconds: number): Promise<Bucket> {
    const orgId = this.#orgId
    requirePermission(this.#identity, this.#demand('write'))
    return this.#catalog.inTransaction(async ({ buckets, limits }) => {
      if ((await buckets.findByName(orgId, name)) !== undefined) {
        throw new UserError('conflict', `database "${name}" already exists`, 409)
      }
      await limits.requireRoom(orgId, 'bucket', buckets)
      await limits.requireRetention(orgId, retentionSeconds)
      return buckets.create({ orgId, name, retentionSeconds })
    })
  }

  setRetention(name: string, retentionSeconds: number): Promise<Bucket> {
    return this.#catalog.inTransaction(async (inside) => {
      const { id } = await this.#require(inside, name)
      await inside.limits.requireRetention(this.#orgId, retentionSeconds)
      return inside.buckets.update(id, { retentionSeconds })
    })
  }

  drop(name: string): Promise<Bucket> {
    return this.#catalog.inTransaction(async (inside) => {
      const database = await this.#require(inside, name)
      await inside.buckets.delete(database.id)
      return database
    })
  }

  /** To be changed. */
  async #require({ buckets }: Catalog, name: string): Promise<Bucket> {
    const found = await buckets.find(this.#orgId, name)
    if (found?.type !== 'user') throw new UserError('not found', `database not found: ${name}`)
    requirePermission(this.#identity, this.#demand('write', found.id))
    return found
  }

  #demand(action: Action, id?: string) {
    const demand = { action, type: 'buckets', orgID: this.#orgId } as const
    return id === undefined ? demand : { ...demand, id }
  }
}
