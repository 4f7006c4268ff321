// What InfluxQL must know besides the text of a query: which databases there are and what may be
// done to them, the time, the limits, the queries that run. Types only; each variant of the service
// brings its own databases.

import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { QueryDirectory } from '../../query/active-queries.js'
import type { QueryFigures, QueryLimits } from '../../query/limits.js'
import type { RowMemoryPool } from '../../query/row-memory.js'
import type { Statistics } from '../../query/statistics.js'
import type { BucketId, Store } from '../../store/store.js'
import type { PolicyOptions, Privilege } from '../syntax/ast.js'

export interface RetentionPolicy {
  readonly name: string
  /** 0n: for ever. */
  readonly durationNs: bigint
  readonly shardDurationNs: bigint
  readonly replication: number
  /** How far ahead of now, and behind it, points may lie that are written; 0n: as far as they like. */
  readonly futureLimitNs: bigint
  readonly pastLimitNs: bigint
  readonly isDefault: boolean
}

export interface ContinuousQuery {
  readonly database: string
  readonly name: string
  /** The whole CREATE CONTINUOUS QUERY statement, as the printer writes it. */
  readonly text: string
}

export interface Subscription {
  readonly database: string
  readonly policy: string
  readonly name: string
  readonly mode: 'ALL' | 'ANY'
  readonly destinations: readonly string[]
}

export interface DatabaseUser {
  readonly name: string
  readonly isAdmin: boolean
}

export interface Grant {
  readonly database: string
  readonly privilege: Privilege
}

/** Some organizations may write but not delete. */
export type BucketAction = 'read' | 'write' | 'delete'

/**
 * Databases as whoever asks sees them: every method checks that the caller may, and throws UserError with InfluxDB's
 * words when it is refused or does not exist (`database not found: x`, `retention policy not found: x`).
 */
export interface Databases {
  /** Throws where the caller does not run the installation: running queries and figures are everybody's. */
  requireOperator(): Promise<void>
  /** The bucket behind a database and a policy (undefined: its default); a promise where it must be looked up. */
  bucket(
    database: string,
    policy: string | undefined,
    action: BucketAction,
  ): BucketId | Promise<BucketId>
  /** Names of the databases that the caller may read or write, in the order they were made. */
  list(): Promise<readonly string[]>
  /** In the order they were made. */
  policies(database: string): Promise<readonly RetentionPolicy[]>
  create(
    database: string,
    policy: (PolicyOptions & { readonly name?: string }) | undefined,
  ): Promise<void>
  drop(database: string): Promise<void>
  createPolicy(
    database: string,
    name: string,
    options: PolicyOptions,
    isDefault: boolean,
  ): Promise<void>
  alterPolicy(
    database: string,
    name: string,
    options: PolicyOptions,
    isDefault: boolean,
  ): Promise<void>
  dropPolicy(database: string, name: string): Promise<void>

  users(): Promise<readonly DatabaseUser[]>
  createUser(name: string, password: string, isAdmin: boolean): Promise<void>
  dropUser(name: string): Promise<void>
  setPassword(name: string, password: string): Promise<void>
  grants(user: string): Promise<readonly Grant[]>
  grant(user: string, database: string, privilege: Privilege): Promise<void>
  revoke(user: string, database: string, privilege: Privilege): Promise<void>
  setAdmin(user: string, isAdmin: boolean): Promise<void>

  continuousQueries(): Promise<readonly ContinuousQuery[]>
  createContinuousQuery(query: ContinuousQuery): Promise<void>
  dropContinuousQuery(database: string, name: string): Promise<void>

  subscriptions(): Promise<readonly Subscription[]>
  createSubscription(subscription: Subscription): Promise<void>
  dropSubscription(database: string, policy: string, name: string): Promise<void>
}

/** Where points of SELECT … INTO go; checks permission and schema as a write from outside does. */
export type WritePoints = (
  database: string,
  policy: string | undefined,
  lines: Uint8Array,
) => Promise<void>

export interface InfluxqlScope {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly databases: Databases
  readonly writePoints: WritePoints
  readonly limits: QueryLimits
  /** Where somebody wants to know what it has cost. */
  readonly figures?: QueryFigures | undefined
  readonly queries: QueryDirectory
  /** What SHOW STATS tells of the program. */
  readonly statistics: Statistics
  /** Shared by all queries; absent: each has memory of its own. */
  readonly rowMemory?: RowMemoryPool
  /** Of the request; undefined: each statement names its own. */
  readonly database: string | undefined
  readonly policy: string | undefined
  /** As v1 has it, a result for each statement; or one table, of the one statement that there may be then. */
  readonly answers?: 'statements' | 'one table' | undefined
  /** A GET request: statements that change something are answered with a warning. */
  readonly isReadOnly: boolean
  /** Only tried: statements that change anything but points are refused, and `writePoints` keeps nothing. */
  readonly isTest?: boolean | undefined
  /** Off switch, for tests that compare: aggregates of the store. */
  readonly pushesCalls?: boolean
}
