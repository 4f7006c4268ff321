// What every resource of the catalog works with: the database (or the transaction under way), time,
// randomness, and whom to tell about buckets and runs. That resources of a kind changed need not be told: their
// version rises by itself.

import type { Kysely } from 'kysely'
import type { Plan } from '../../config.js'
import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { FindQueryPlaces } from './query-places.js'
import type { LoadScriptTools } from './script-tools.js'
import type { CatalogTables } from './tables.js'
import { formatTimestamp } from './timestamps.js'
import type { VersionKind } from './versions.js'

/** What the store needs to know of a bucket. */
export interface SavedBucket {
  readonly id: string
  readonly orgId: string
  readonly retentionSeconds: number
}

/** Changes by this process that somebody needs to know in detail. */
export interface ToldEvents {
  'bucket-saved': [bucket: SavedBucket]
  'bucket-deleted': [bucketId: string]
  /** Runs of a task were asked for or called off. */
  'runs-requested': [taskId: string]
}

export type ToldEvent = {
  [Name in keyof ToldEvents]: [Name, ...ToldEvents[Name]]
}[keyof ToldEvents]

/** `<kind>-changed` is told whoever made the change, after it was committed. */
export type CatalogEvents = ToldEvents & { [Kind in VersionKind as `${Kind}-changed`]: [] }

export interface CatalogContext {
  readonly db: Kysely<CatalogTables>
  readonly clock: Clock
  readonly random: Random
  /** What organizations are limited to, as long as nothing else was set for them. */
  readonly plan: Plan
  readonly scriptTools: LoadScriptTools
  readonly queryPlaces: FindQueryPlaces
  /** The greatest id of a run that was given: the next is greater. */
  readonly lastRunId: { value: bigint }
  /** Tells of a change, at the end of the transaction where one is under way. */
  readonly tell: (...event: ToldEvent) => void
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
