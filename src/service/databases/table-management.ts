// Tables of a database as v3 manages them: made empty with their columns, listed, and dropped with all of their points
// and caches. A table is a measurement; most come with the first points that are written to them.

import type { Bucket } from '../../catalog/storage/buckets.js'
import type { SchemaColumn } from '../../catalog/storage/measurement-schemas.js'
import { tableExists } from '../../catalog/storage/table-definitions.js'
import { allTime } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { type DatabaseTable, databaseTables } from '../../query/database-tables.js'
import type { Store } from '../../store/store.js'
import type { ServiceParts } from '../base/parts.js'
import type { OrganizationLimits } from '../limits/organization-limits.js'
import { DatabaseCaches } from './value-caches.js'

/** `store`: the one that knows defined tables. */
type TableParts = Pick<ServiceParts, 'catalog' | 'store'> & { readonly limits: OrganizationLimits }

export class TableManagement {
  readonly #parts: TableParts
  readonly #store: Store
  readonly #caches: DatabaseCaches

  constructor(parts: TableParts) {
    this.#parts = parts
    this.#store = parts.store
    this.#caches = new DatabaseCaches(parts)
  }

  list({ id }: Bucket): Promise<DatabaseTable[]> {
    return databaseTables(this.#store, id, true)
  }

  async create(bucket: Bucket, name: string, columns: readonly SchemaColumn[]): Promise<void> {
    const { catalog } = this.#parts
    if ((await this.#store.measurementSchema(bucket.id, name)).version !== 0) {
      throw tableExists(name)
    }
    await this.#requireRoom(bucket, columns.length + 1)
    await catalog.inTransaction(({ tables }) => tables.create(bucket, name, columns))
  }

  async drop({ id: bucket, orgId }: Bucket, name: string): Promise<void> {
    const { catalog, limits } = this.#parts
    const { features } = await catalog.limits.of(orgId)
    if (!features.allowDelete) {
      throw new UserError('forbidden', 'the organization may not delete points')
    }
    const { version } = await this.#store.measurementSchema(bucket, name)
    if (version === 0) throw new UserError('not found', `table not found: ${name}`)
    const request = { bucket, range: allTime, measurement: name }
    await limits.delete(orgId, () => this.#store.delete(request))
    await this.#caches.deleteOfTable(bucket, name)
  }

  /** The database's limits hold for tables that are made empty too. */
  async #requireRoom({ id, orgId }: Bucket, columnCount: number): Promise<void> {
    const limited = (await this.#parts.catalog.databases.limits(orgId)).get(id)
    const { maxTables, maxColumnsPerTable } = limited ?? {}
    if (maxColumnsPerTable !== undefined && columnCount > maxColumnsPerTable) {
      const rule = `tables of the database have at most ${maxColumnsPerTable}`
      throw new UserError('invalid', `the table would have ${columnCount} columns: ${rule}`)
    }
    if (maxTables === undefined) return
    const tables = await databaseTables(this.#store, id, false)
    if (tables.length < maxTables) return
    throw new UserError(
      'invalid',
      `the database has ${tables.length} tables, limit is ${maxTables}`,
    )
  }
}
