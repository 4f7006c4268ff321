// What SQL must know besides the text: where the points of the database lie, the time, the limits. Types
// only.

import type { Clock } from '../../platform/clock.js'
import type { QueryLimits } from '../../query/limits.js'
import type { BucketId, Store } from '../../store/store.js'

/** As JSON brings it. */
export type SqlParameter = null | boolean | number | bigint | string

export interface SqlScope {
  readonly store: Store
  readonly clock: Clock
  readonly limits: QueryLimits
  readonly database: string
  /** The bucket behind the database; throws UserError where there is none or the asker may not read it. */
  bucket(database: string): Promise<BucketId>
  /** Off switch, for tests that compare: aggregates that the store computes. */
  readonly pushesAggregates?: boolean
  /** Off switch: tables that are read as their rows come, and not kept. */
  readonly streamsTables?: boolean
  /** Off switch: tags that are kept as numbers of a list. */
  readonly listsTags?: boolean
}
