// Subscriptions: where copies of the points of a v1 retention policy are asked to be sent. They are
// kept and shown; nothing sends.

import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'

export interface SubscriptionBody {
  readonly database: string
  readonly policy: string
  readonly name: string
  readonly mode: 'ALL' | 'ANY'
  readonly destinations: readonly string[]
}

export type SubscriptionRecord = CatalogRecord<SubscriptionBody>

export class Subscriptions {
  readonly #records: Records<SubscriptionBody>

  constructor(context: CatalogContext) {
    const uniqueName = exactName
    this.#records = new Records(context, { kind: 'subscription', noun: 'subscription', uniqueName })
  }

  async create(orgId: string, body: SubscriptionBody) {
    return this.#records.create({ orgId, name: keyOf(body), body })
  }

  async find(orgId: string, key: Pick<SubscriptionBody, 'database' | 'policy' | 'name'>) {
    return this.#records.findByName(orgId, keyOf(key))
  }

  /** In the order they were made. */
  async list(orgId: string): Promise<SubscriptionRecord[]> {
    return this.#records.list({ orgId })
  }

  async delete(id: string): Promise<boolean> {
    return this.#records.delete(id)
  }

  /** In a transaction. `policy` undefined: of all policies. */
  async deleteOfDatabase(orgId: string, database: string, policy?: string): Promise<void> {
    for (const { id, body } of await this.list(orgId)) {
      if (body.database !== database) continue
      if (policy === undefined || body.policy === policy) await this.delete(id)
    }
  }
}

/** Names are unique in their policy. */
function keyOf({ database, policy, name }: Pick<SubscriptionBody, 'database' | 'policy' | 'name'>) {
  return JSON.stringify([database, policy, name])
}
