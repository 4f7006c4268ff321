// What notification rules remember between their runs, and the messages that wait for delivery. Both change in one
// transaction: a status counts as handled exactly when its message is here to stay. The texts are made and read by
// `src/alerts`.

import type { CatalogContext } from '../base/context.js'
import { newId } from '../base/ids.js'
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
   * In a transaction: up to `limit` messages that are due, nobody else delivers, and before which none with the same
   * order key waits. Ours until `untilNs`.
   */
  async claim(limit: number, untilNs: bigint): Promise<WaitingMessage[]> {
    const { db, clock } = this.#context
    const now = formatTimestamp(clock.now())
    const rows = await db
      .selectFrom('outbox')
      .selectAll()
      .where('due_at', '<=', now)
      .where('leased_until', '<=', now)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('outbox as earlier')
              .select('earlier.id')
              .whereRef('earlier.order_key', '=', 'outbox.order_key')
              .whereRef('earlier.position', '<', 'outbox.position'),
          ),
        ),
      )
      .orderBy('position')
      .limit(limit)
      .execute()
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const leased_until = formatTimestamp(untilNs)
    await db.updateTable('outbox').set({ leased_until }).where('id', 'in', ids).execute()
    return rows.map((row) => ({
      id: row.id,
      orgId: row.org_id,
      ruleId: row.rule_id,
      endpointId: row.endpoint_id,
      orderKey: row.order_key,
      body: row.body,
      attempts: row.attempts,
    }))
  }

  /** For whoever knows to be alone: what others were at is free. */
  async releaseAll(): Promise<void> {
    await this.#context.db.updateTable('outbox').set({ leased_until: '' }).execute()
  }

  /** It was not taken: to be tried again, not before a moment. */
  async postpone(id: string, dueNs: bigint): Promise<void> {
    await this.#context.db
      .updateTable('outbox')
      .set(({ eb }) => ({
        due_at: formatTimestamp(dueNs),
        leased_until: '',
        attempts: eb('attempts', '+', 1),
      }))
      .where('id', '=', id)
      .execute()
  }

  async done(id: string): Promise<void> {
    await this.#context.db.deleteFrom('outbox').where('id', '=', id).execute()
  }
}
