// What organizations used, by bucket, endpoint and hour, added up over all processes that share the catalog and kept
// for a month. Processes add what they counted from time to time.

import { sql } from 'kysely'
import type { CatalogContext } from '../base/context.js'

export interface UsageHour {
  readonly orgId: string
  /** Empty: of no single bucket. */
  readonly bucketId: string
  readonly endpoint: string
  /** Hours since 1970. */
  readonly hour: number
  readonly requests: number
  readonly bytes: number
}

/** Rows of one statement. */
const rowsMax = 500

export class UsageHours {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** In a transaction where there may be more than some hundred: each must be of another hour or series. */
  async add(hours: readonly UsageHour[]): Promise<void> {
    // In one order by all processes: none waits for another that waits for it.
    const rows = hours.map(rowOf).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    for (let at = 0; at < rows.length; at += rowsMax) {
      await this.#context.db
        .insertInto('usage_hours')
        .values(rows.slice(at, at + rowsMax))
        .onConflict((conflict) =>
          conflict.columns(['org_id', 'bucket_id', 'endpoint', 'hour']).doUpdateSet({
            requests: sql`usage_hours.requests + excluded.requests`,
            bytes: sql`usage_hours.bytes + excluded.bytes`,
          }),
        )
        .execute()
    }
  }

  /** Of the hours from `first` to `last`, by bucket, endpoint and hour. */
  async of(orgId: string, first: number, last: number): Promise<UsageHour[]> {
    const rows = await this.#context.db
      .selectFrom('usage_hours')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('hour', '>=', first)
      .where('hour', '<=', last)
      .orderBy('bucket_id')
      .orderBy('endpoint')
      .orderBy('hour')
      .execute()
    return rows.map((row) => ({
      orgId,
      bucketId: row.bucket_id,
      endpoint: row.endpoint,
      hour: row.hour,
      requests: row.requests,
      bytes: row.bytes,
    }))
  }

  async forgetBefore(hour: number): Promise<void> {
    await this.#context.db.deleteFrom('usage_hours').where('hour', '<', hour).execute()
  }
}

function rowOf({ orgId, bucketId, endpoint, hour, requests, bytes }: UsageHour) {
  return { org_id: orgId, bucket_id: bucketId, endpoint, hour, requests, bytes }
}

function keyOf({ org_id, bucket_id, endpoint, hour }: ReturnType<typeof rowOf>): string {
  return `${org_id}/${bucket_id}/${endpoint}/${hour}`
}
