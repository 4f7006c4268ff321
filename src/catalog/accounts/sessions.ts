// Sessions: users who signed in. Only the hash of a session's key arrives here, as with tokens. A
// session ends when it was not used for an hour, a day after it began at the latest, and when its
// user signs out.

import { type CatalogContext, timestamp } from '../base/context.js'
import type { SessionRow } from '../base/tables.js'
import { formatTimestamp } from '../base/timestamps.js'

const idleMax = 3_600_000_000_000n
/** A session in constant use is written to the catalog no more often than this. */
const extensionStep = 300_000_000_000n
export const sessionNsMax = 86_400_000_000_000n

export class Sessions {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  async create(keyHash: string, userId: string): Promise<void> {
    const now = this.#context.clock.now()
    const row: SessionRow = {
      key_hash: keyHash,
      user_id: userId,
      created_at: formatTimestamp(now),
      expires_at: formatTimestamp(now + idleMax),
      ends_at: formatTimestamp(now + sessionNsMax),
    }
    const { db } = this.#context
    await db.deleteFrom('sessions').where('expires_at', '<=', row.created_at).execute()
    await db.insertInto('sessions').values(row).execute()
  }

  /** The user of a session that has not expired; being asked for keeps it alive. */
  async use(keyHash: string): Promise<string | undefined> {
    const { db, clock } = this.#context
    const query = db.selectFrom('sessions').selectAll().where('key_hash', '=', keyHash)
    const row = await query.executeTakeFirst()
    if (row === undefined || row.expires_at <= timestamp(this.#context)) return undefined
    const wanted = formatTimestamp(clock.now() + idleMax)
    const extended = wanted < row.ends_at ? wanted : row.ends_at
    const due = formatTimestamp(clock.now() + idleMax - extensionStep)
    if (row.expires_at < due && row.expires_at < extended) {
      await db
        .updateTable('sessions')
        .set({ expires_at: extended })
        .where('key_hash', '=', keyHash)
        .execute()
    }
    return row.user_id
  }

  async end(keyHash: string): Promise<void> {
    await this.#context.db.deleteFrom('sessions').where('key_hash', '=', keyHash).execute()
  }

  /** After a change of password, and with the user. */
  async endAllOf(userId: string): Promise<void> {
    await this.#context.db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  }
}
