// When tokens were last used, to the minute, of tokens, legacy tokens and database tokens alike. Apart from the tokens
// themselves: a use is no change of a token, and nothing that is cached of it becomes stale.

import { sql } from 'kysely'
import type { CatalogContext } from '../base/context.js'

/** Minutes since 1970 by the token's id. */
export type TokenMinutes = ReadonlyMap<string, number>

/** Rows of one statement, and ids of one question. */
const rowsMax = 500

export class TokenUses {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** What another process has seen later stays. */
  async add(minutes: TokenMinutes): Promise<void> {
    // In one order by all processes: none waits for another that waits for it.
    const rows = [...minutes]
      .map(([token_id, minute]) => ({ token_id, minute }))
      .sort((a, b) => (a.token_id < b.token_id ? -1 : 1))
    for (let at = 0; at < rows.length; at += rowsMax) {
      await this.#context.db
        .insertInto('token_uses')
        .values(rows.slice(at, at + rowsMax))
        .onConflict((conflict) =>
          conflict
            .column('token_id')
            .doUpdateSet({ minute: sql`excluded.minute` })
            .where(sql<boolean>`excluded.minute > token_uses.minute`),
        )
        .execute()
    }
  }

  /** Of those among them that were used. */
  async of(tokenIds: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (let at = 0; at < tokenIds.length; at += rowsMax) {
      const rows = await this.#context.db
        .selectFrom('token_uses')
        .selectAll()
        .where('token_id', 'in', tokenIds.slice(at, at + rowsMax))
        .execute()
      for (const { token_id, minute } of rows) found.set(token_id, minute)
    }
    return found
  }

  /** Of tokens that are no longer there. */
  async forgetGone(): Promise<void> {
    const { db } = this.#context
    await db
      .deleteFrom('token_uses')
      .where('token_id', 'not in', db.selectFrom('tokens').select('id'))
      .where('token_id', 'not in', db.selectFrom('legacy_tokens').select('id'))
      .where(
        'token_id',
        'not in',
        db.selectFrom('records').select('id').where('kind', '=', 'database-token'),
      )
      .execute()
  }
}
