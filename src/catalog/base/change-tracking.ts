// A Kysely dialect that looks at the versions after each change: when a connection is given back, and therefore
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

/** Called with all versions after rows were changed, and waited for. Absent: nobody wants to know. */
export interface ChangeTracking {
  changed?: (versions: readonly VersionRow[]) => void | Promise<void>
}

/** What a database needs around each of its statements. */
export interface StatementRules {
  run<Row>(
    query: CompiledQuery,
    isInTransaction: boolean,
    execute: () => Promise<QueryResult<Row>>,
  ): Promise<QueryResult<Row>>
  /** What is told instead of an error of the database. */
  explain(error: unknown): unknown
}

const noRules: StatementRules = {
  run: (_query, _isInTransaction, execute) => execute(),
  explain: (error) => error,
}

export function trackedDialect(
  dialect: Dialect,
  tracking: ChangeTracking,
  rules = noRules,
): Dialect {
  return {
    createDriver: () => new TrackedDriver(dialect.createDriver(), tracking, rules),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  }
}

class TrackedDriver implements Driver {
  readonly #driver: Driver
  readonly #tracking: ChangeTracking
  readonly #rules: StatementRules

  constructor(driver: Driver, tracking: ChangeTracking, rules: StatementRules) {
    this.#driver = driver
    this.#tracking = tracking
    this.#rules = rules
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  async acquireConnection(): Promise<TrackedConnection> {
    const inner = await this.#explained(this.#driver.acquireConnection())
    return new TrackedConnection(inner, this.#rules)
  }

  async beginTransaction(connection: TrackedConnection, settings: TransactionSettings) {
    connection.isInTransaction = true
    await this.#explained(this.#driver.beginTransaction(connection.inner, settings))
  }

  commitTransaction({ inner }: TrackedConnection): Promise<void> {
    return this.#explained(this.#driver.commitTransaction(inner))
  }

  /** A database that refused a change may have ended the transaction itself: what counts is why it refused. */
  async rollbackTransaction({ inner }: TrackedConnection): Promise<void> {
    await this.#driver.rollbackTransaction(inner).catch(() => undefined)
  }

  async releaseConnection({ inner, hasChanged }: TrackedConnection): Promise<void> {
    const { changed } = this.#tracking
    if (!hasChanged || changed === undefined) return this.#driver.releaseConnection(inner)
    let rows: readonly VersionRow[]
    try {
      rows = (await this.#explained(inner.executeQuery<VersionRow>(selectVersions))).rows
    } finally {
      await this.#driver.releaseConnection(inner)
    }
    await changed(rows)
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }

  async #explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw this.#rules.explain(error)
    }
  }
}

const selectVersions = CompiledQuery.raw('select kind, version from versions')

/** As long as somebody has it. */
class TrackedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly #rules: StatementRules
  hasChanged = false
  isInTransaction = false

  constructor(inner: DatabaseConnection, rules: StatementRules) {
    this.inner = inner
    this.#rules = rules
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#rules.run(query, this.isInTransaction, () =>
      this.inner.executeQuery<Row>(query),
    )
    if ((result.numAffectedRows ?? 0n) > 0n) this.hasChanged = true
    return result
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
    return this.inner.streamQuery<Row>(query, chunkSize)
  }
}
