// What is left of rate limits that processes share: a credit that grows with time up to a maximum, as a row of the
// catalog for each. A process takes what it has used meanwhile and is told what is left, in one statement, so that
// nothing is lost between two of them. Clocks may differ: time counts as the one that is ahead tells it.

import { sql } from 'kysely'
import type { SharedDatabase } from './base/connection.js'

export interface CreditUse {
  readonly orgId: string
  /** Of what: writes, reads, ... */
  readonly kind: string
  /** By how much it grows in a second. Where it was another, the credit is full again. */
  readonly perSecond: number
  readonly creditMax: number
  /** 0: only asked. */
  readonly amount: number
}

export interface CreditLeft {
  readonly orgId: string
  readonly kind: string
  readonly credit: number
}

/** Rows of one statement. */
const rowsMax = 500

export class SharedCredits {
  readonly #shared: SharedDatabase

  constructor(shared: SharedDatabase) {
    this.#shared = shared
  }

  /** Each of another kind or organization. */
  async use(uses: readonly CreditUse[], now: bigint): Promise<CreditLeft[]> {
    const left: CreditLeft[] = []
    // In one order by all processes: none waits for another that waits for it.
    const sorted = [...uses].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    for (let at = 0; at < sorted.length; at += rowsMax) {
      left.push(...(await this.#use(sorted.slice(at, at + rowsMax), Number(now) / 1e9)))
    }
    return left
  }

  async #use(uses: readonly CreditUse[], nowSeconds: number): Promise<CreditLeft[]> {
    const values = uses.map(
      ({ orgId, kind, perSecond, creditMax, amount }) =>
        sql`(${orgId}, ${kind}, ${perSecond}::float8, ${creditMax}::float8, ${amount}::float8)`,
    )
    const now = sql`${nowSeconds}::float8`
    const { rows } = await sql<CreditLeft>`
      INSERT INTO rate_credits AS kept (org_id, kind, per_second, credit, filled_at, credit_max, amount)
      SELECT org_id, kind, per_second, credit_max - amount, ${now}, credit_max, amount
      FROM (VALUES ${sql.join(values)}) AS used (org_id, kind, per_second, credit_max, amount)
      ON CONFLICT (org_id, kind) DO UPDATE SET
        credit = CASE WHEN kept.per_second <> excluded.per_second THEN excluded.credit_max
          ELSE LEAST(excluded.credit_max, kept.credit
            + GREATEST(0, excluded.filled_at - kept.filled_at) * excluded.per_second) END
          - excluded.amount,
        filled_at = GREATEST(kept.filled_at, excluded.filled_at),
        per_second = excluded.per_second, credit_max = excluded.credit_max, amount = excluded.amount
      RETURNING org_id AS "orgId", kind, credit`.execute(this.#shared.untracked)
    return rows
  }
}

function keyOf({ orgId, kind }: CreditUse): string {
  return `${orgId}/${kind}`
}
