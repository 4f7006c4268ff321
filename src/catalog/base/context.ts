// What every resource of the catalog works with: the database (or the transaction under way), time,
// randomness, and whom to tell about changes. Changes made in a transaction are told after it was
// committed.

import type { Kysely } from 'kysely'
import type { Plan } from '../../config.js'
import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { CatalogTables } from './tables.js'
import { formatTimestamp } from './timestamps.js'

/** What the store needs to know of a bucket. */
export interface SavedBucket {
  readonly id: string
  readonly retentionSeconds: number
}

export type Change =
  | { readonly kind: 'bucket-saved'; readonly bucket: SavedBucket }
  | { readonly kind: 'bucket-deleted'; readonly bucketId: string }
  | { readonly kind: 'tokens-changed' }
  | { readonly kind: 'organizations-changed' }
  | { readonly kind: 'limits-changed' }
  | { readonly kind: 'dbrps-changed' }
  | { readonly kind: 'measurement-schemas-changed' }

export interface CatalogContext {
  readonly db: Kysely<CatalogTables>
  readonly clock: Clock
  readonly random: Random
  /** What organizations are limited to, as long as nothing else was set for them. */
  readonly plan: Plan
  readonly changed: (change: Change) => void
}

export function timestamp(context: CatalogContext): string {
  return formatTimestamp(context.clock.now())
}

/**
 * In the transaction that makes something for it: whoever asked may have found the organization
 * just before it was deleted.
 */
export async function requireOrganization(context: CatalogContext, id: string): Promise<void> {
  const query = context.db.selectFrom('organizations').select('id').where('id', '=', id)
  if ((await query.executeTakeFirst()) !== undefined) return
  throw new UserError('not found', 'organization not found')
}

/**
 * The same for what is hung on a resource: labels, members, owners. Answers with the resource's
 * organization.
 */
export async function requireResource(context: CatalogContext, id: string): Promise<string> {
  for (const table of ['buckets', 'records'] as const) {
    const query = context.db.selectFrom(table).select('org_id').where('id', '=', id)
    const row = await query.executeTakeFirst()
    if (row !== undefined) return row.org_id
  }
  const query = context.db.selectFrom('organizations').select('id').where('id', '=', id)
  const row = await query.executeTakeFirst()
  if (row === undefined) throw new UserError('not found', 'resource not found')
  return row.id
}
