// What notification rules remember between their runs, and the messages that wait for delivery. Both change in one
// transaction: a status counts as handled exactly when its message is here to stay. The texts are made and read by
// `src/alerts`.

import { sql } from 'kysely'
import type { CatalogContext } from '../base/context.js'
import { newId } from '../base/ids.js'
import type { OutboxRow } from '../base/tables.js'
import { formatTimestamp } from '../base/timestamps.js'

/** Of the rule itself, as opposed to what it knows of one check's series. */
export const ruleItself = ''

export interface AlertState {
  /** Of the check whose series it is about, or `ruleItself`. */
  readonly checkId: string
  readonly body: string
}

export interface NewMessage {
  readonly orgId: string
  readonly ruleId: string
  readonly endpointId: string
  /** Messages with the same one are delivered one after the other. */
  readonly orderKey: string
  readonly body: string
}

export interface WaitingMessage extends NewMessage {
  readonly id: string
  /** How often it was tried. */
  readonly attempts: number
}

export interface MessageClaim {
  readonly holder: string
  readonly limit: number
  readonly leaseNs: bigint
  readonly underWay: readonly string[]
}

const rowsPerStatement = 100

export class AlertStates {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** `checkIds` absent: everything that the rule remembers. */
  async load(ruleId: string, checkIds?: readonly string[]): Promise<AlertState[]> {
    const query = this.#context.db
      .selectFrom('rule_states')
      .select(['check_id', 'body'])
      .where('rule_id', '=', ruleId)
    if (checkIds?.length === 0) return []
    const rows = await (checkIds === undefined
      ? query.execute()
      : query.where('check_id', 'in', checkIds).execute())
    return rows.map((row) => ({ checkId: row.check_id, body: row.body }))
  }

  /** In a transaction. */
  async save(ruleId: string, states: readonly AlertState[]): Promise<void> {
    for (let i = 0; i < states.length; i += rowsPerStatement) {
      const part = states.slice(i, i + rowsPerStatement)
      const rows = part.map(({ checkId, body }) => ({ rule_id: ruleId, check_id: checkId, body }))
      await this.#context.db
        .insertInto('rule_states')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['rule_id', 'check_id'])
            .doUpdateSet((changed) => ({ body: changed.ref('excluded.body') })),
        )
        .execute()
    }
  }

  /** In a transaction. What waits for delivery is delivered all the same. */
  async forgetRule(ruleId: string): Promise<void> {
    await this.#context.db.deleteFrom('rule_states').where('rule_id', '=', ruleId).execute()
  }

  /** In a transaction. */
  async forgetCheck(checkId: string): Promise<void> {
    await this.#context.db.deleteFrom('rule_states').where('check_id', '=', checkId).execute()
  }

  /** In a transaction. In this order. */
  async enqueue(messages: readonly NewMessage[]): Promise<void> {
    const now = formatTimestamp(this.#context.clock.now())
    const rows = messages.map((message, index) => ({
      id: newId(this.#context.random),
      org_id: message.orgId,
      rule_id: message.ruleId,
      endpoint_id: message.endpointId,
      order_key: message.orderKey,
      position: `${now}-${String(index).padStart(6, '0')}`,
      body: message.body,
      attempts: 0,
      due_at: now,
      leased_until: '',
      holder: '',
    }))
    for (let i = 0; i < rows.length; i += rowsPerStatement) {
      const part = rows.slice(i, i + rowsPerStatement)
      await this.#context.db.insertInto('outbox').values(part).execute()
    }
  }

  async waitingCount(orgId: string): Promise<number> {
    const { count } = await this.#context.db
      .selectFrom('outbox')
      .where('org_id', '=', orgId)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  /**
   * Up to `limit` messages that are due, nobody else delivers, and before which none with the same order key waits.
   * They are the holder's for `leaseNs`. Not those of `underWay`, which it is at however late its lease is renewed.
   */
  async claim(claim: MessageClaim): Promise<WaitingMessage[]> {
    const { holder, limit, leaseNs, underWay } = claim
    const { db, clock } = this.#context
    const now = formatTimestamp(clock.now())
    const until = formatTimestamp(clock.now() + leaseNs)
    const others = underWay.length === 0 ? sql`` : sql`AND m.id NOT IN (${sql.join(underWay)})`
    // One statement: of two processes that look at the same moment the later one finds the lease of the other.
    const { rows } = await sql<OutboxRow>`
      UPDATE outbox SET holder = ${holder}, leased_until = ${until} WHERE id IN (
        SELECT m.id FROM outbox m
        WHERE m.due_at <= ${now} AND m.leased_until <= ${now} ${others}
        AND NOT EXISTS (
          SELECT 1 FROM outbox e WHERE e.order_key = m.order_key AND e.position < m.position)
        ORDER BY m.position LIMIT ${limit})
      RETURNING *`.execute(db)
    return rows.sort((a, b) => (a.position < b.position ? -1 : 1)).map(waitingOf)
  }

  /** What it still has. One whose lease is over has lost what somebody else has claimed since. */
  async renew(holder: string, leaseNs: bigint): Promise<void> {
    const leased_until = formatTimestamp(this.#context.clock.now() + leaseNs)
    await this.#context.db
      .updateTable('outbox')
      .set({ leased_until })
      .where('holder', '=', holder)
      .execute()
  }

  /** Whether nobody else has claimed it. */
  async isHeld(id: string, holder: string): Promise<boolean> {
    const row = await this.#context.db
      .selectFrom('outbox')
      .select('id')
      .where('id', '=', id)
      .where('holder', '=', holder)
      .executeTakeFirst()
    return row !== undefined
  }

  /** `holder` absent: for whoever knows to be alone, what others were at is free. */
  async release(holder?: string): Promise<void> {
    const update = this.#context.db.updateTable('outbox').set({ leased_until: '', holder: '' })
    await (holder === undefined ? update : update.where('holder', '=', holder)).execute()
  }

  /** It was not taken: to be tried again, not before a moment. Nothing where somebody else has it now. */
  async postpone(id: string, holder: string, dueNs: bigint): Promise<void> {
    await this.#context.db
      .updateTable('outbox')
      .set(({ eb }) => ({
        due_at: formatTimestamp(dueNs),
        leased_until: '',
        holder: '',
        attempts: eb('attempts', '+', 1),
      }))
      .where('id', '=', id)
      .where('holder', '=', holder)
      .execute()
  }

  /** It was taken, whoever has it now, or given up by its holder. */
  async done(id: string): Promise<void> {
    await this.#context.db.deleteFrom('outbox').where('id', '=', id).execute()
  }
}

function waitingOf(row: OutboxRow): WaitingMessage {
  return {
    id: row.id,
    orgId: row.org_id,
    ruleId: row.rule_id,
    endpointId: row.endpoint_id,
    orderKey: row.order_key,
    body: row.body,
    attempts: row.attempts,
  }
}
