// What every resource of the catalog works with: the database (or the transaction under way), time,
// randomness, and whom to tell about changes. Changes made in a transaction are told after it was
// committed.

import type { Kysely } from 'kysely'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { Bucket } from './buckets.js'
import type { CatalogTables } from './tables.js'
import { formatTimestamp } from './timestamps.js'

export type Change =
  | { readonly kind: 'bucket-saved'; readonly bucket: Bucket }
  | { readonly kind: 'tokens-changed' }
  | { readonly kind: 'organizations-changed' }
  | { readonly kind: 'dbrps-changed' }

export interface CatalogContext {
  readonly db: Kysely<CatalogTables>
  readonly clock: Clock
  readonly random: Random
  readonly changed: (change: Change) => void
}

export function timestamp(context: CatalogContext): string {
  return formatTimestamp(context.clock.now())
}
