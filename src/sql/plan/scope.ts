// What SQL must know besides the text: where the points of the database lie, the time, the limits. Types
// only.

import type { Clock } from '../../platform/clock.js'
import type { QueryFigures, QueryLimits } from '../../query/limits.js'
import type { BucketId, Store } from '../../store/store.js'

/** Newest rows of a table, by key. */
export interface LastCache {
  readonly keyColumns: readonly string[]
  /** undefined: all that are no keys. */
  readonly valueColumns?: readonly string[]
  readonly count: number
  readonly ttlSeconds: number
}

/** Combinations of values that a table has had lately. */
export interface DistinctCache {
  readonly columns: readonly string[]
  readonly maxCardinality: number
  readonly maxAgeSeconds: number
}

/** Those of the database. Without a name: the only one of the table, if there is one only. */
export interface DefinedCaches {
  last(table: string, name: string | undefined): Promise<LastCache | undefined>
  distinct(table: string, name: string | undefined): Promise<DistinctCache | undefined>
}

export interface SqlScope {
  readonly store: Store
  readonly clock: Clock
  readonly limits: QueryLimits
  /** Where somebody wants to know what it has cost. */
  readonly figures?: QueryFigures | undefined
  readonly database: string
  /** The bucket behind the database; throws UserError where there is none or it may not be read. */
  bucket(database: string): Promise<BucketId>
  /** Absent: there are none. */
  readonly caches?: DefinedCaches
  /** Off switch, for what was found to need an engine and for tests that compare: plain queries without one. */
  answersDirectly?: boolean
  /** Off switch: aggregates that the store computes. */
  readonly pushesAggregates?: boolean
  /** Off switch: tables that are streamed instead of copied into a temporary table. */
  readonly streamsTables?: boolean
  /** Off switch: tags that are numbers of a list in temporary tables. */
  readonly listsTags?: boolean
}
