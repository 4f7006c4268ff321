// What SQL must know besides the text: where the points of the database lie, the time, the limits. Types
// only.

import type { Clock } from '../../platform/clock.js'
import type { QueryLimits } from '../../query/limits.js'
import type { BucketId, Store } from '../../store/store.js'

export interface SqlScope {
  readonly store: Store
  readonly clock: Clock
  readonly limits: QueryLimits
  readonly database: string
  /** The bucket behind the database; throws UserError where there is none or it may not be read. */
  bucket(database: string): Promise<BucketId>
  /** Off switch, for tests that compare: aggregates that the store computes. */
  readonly pushesAggregates?: boolean
  /** Off switch: tables that are streamed instead of copied into a temporary table. */
  readonly streamsTables?: boolean
  /** Off switch: tags that are numbers of a list in temporary tables. */
  readonly listsTags?: boolean
}
