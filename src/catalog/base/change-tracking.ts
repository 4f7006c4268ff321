// A Kysely dialect that looks at the versions after each change: before a connection is given back, and therefore
// before whoever made the change gets an answer, and never in the midst of a transaction. Works with every database.

import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { VersionRow } from './tables.js'

/** Called with all versions after rows were changed. Absent: nobody wants to know. */
export interface ChangeTracking {
  changed?: (versions: readonly VersionRow[]) => void
}

export function trackedDialect(dialect: Dialect, tracking: ChangeTracking): Dialect {
  return {
    createDriver: () => new TrackedDriver(dialect.createDriver(), tracking),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

class TrackedDriver implements Driver {
  readonly #driver: Driver
  readonly #tracking: ChangeTracking

  constructor(driver: Driver, tracking: ChangeTracking) {
    this.#driver = driver
    this.#tracking = tracking
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  async acquireConnection(): Promise<TrackedConnection> {
    return new TrackedConnection(await this.#driver.acquireConnection())
  }

  beginTransaction({ inner }: TrackedConnection, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(inner, settings)
  }

  commitTransaction({ inner }: TrackedConnection): Promise<void> {
    return this.#driver.commitTransaction(inner)
  }

  rollbackTransaction({ inner }: TrackedConnection): Promise<void> {
    return this.#driver.rollbackTransaction(inner)
  }

  async releaseConnection({ inner, hasChanged }: TrackedConnection): Promise<void> {
    const { changed } = this.#tracking
    try {
      if (hasChanged) changed?.((await inner.executeQuery<VersionRow>(selectVersions)).rows)
    } finally {
      await this.#driver.releaseConnection(inner)
    }
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

const selectVersions = CompiledQuery.raw('select kind, version from versions')

/** As long as somebody has it. */
class TrackedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  hasChanged = false

  constructor(inner: DatabaseConnection) {
    this.inner = inner
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.inner.executeQuery<Row>(query)
    if ((result.numAffectedRows ?? 0n) > 0n) this.hasChanged = true
    return result
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    return this.inner.streamQuery<Row>(query, chunkSize)
  }
}
