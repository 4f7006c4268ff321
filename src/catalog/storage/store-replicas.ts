// Replicas of a store elsewhere, as all processes see them. A replica that is `in` has every point that was
// acknowledged, and is read from. One that could not take a write is `out` before that write is acknowledged: every
// process hears of it first. One that comes back is `returning`: writes wait for it again, nobody reads from it, and
// it is `in` when it has caught up. Of a shard one replica is always `in`: it alone has everything.

import type { CatalogContext } from '../base/context.js'

export interface StoreReplica {
  readonly name: string
  readonly shard: number
  readonly state: 'in' | 'returning' | 'out'
  /** Rises with every change of the state: whoever changes it says which one he knows. */
  readonly turn: number
  /** When its process began, in seconds, as somebody last found it to have everything. */
  readonly begun: number | null
}

export class StoreReplicas {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  all(): Promise<StoreReplica[]> {
    return this.#context.db.selectFrom('store_replicas').selectAll().orderBy('name').execute()
  }

  /** In a transaction. The first of its shard has everything that there is; others have to catch up. */
  async meet(name: string, shard: number): Promise<void> {
    const all = await this.all()
    if (all.some((one) => one.name === name)) return
    const state = all.some((one) => one.shard === shard) ? 'out' : 'in'
    const row = { name, shard, state, turn: 1, begun: null } as const
    await this.#context.db.insertInto('store_replicas').values(row).execute()
  }

  /** In a transaction. False: somebody was faster, or it is the only one that has everything. */
  async move(name: string, turn: number, state: StoreReplica['state']): Promise<boolean> {
    const all = await this.all()
    const own = all.find((one) => one.name === name)
    if (own === undefined || own.turn !== turn) return false
    if (own.state === state) return true
    const others = all.filter((one) => one.shard === own.shard && one.name !== name)
    if (own.state === 'in' && !others.some((one) => one.state === 'in')) return false
    await this.#context.db
      .updateTable('store_replicas')
      .set({ state, turn: turn + 1 })
      .where('name', '=', name)
      .execute()
    return true
  }

  /** One that was put out meanwhile has not got everything. */
  async noteWhole(name: string, begun: number): Promise<void> {
    await this.#context.db
      .updateTable('store_replicas')
      .set({ begun })
      .where('name', '=', name)
      .where('state', '<>', 'out')
      .where((row) => row.or([row('begun', 'is', null), row('begun', '<>', begun)]))
      .execute()
  }

  /** In a transaction: what it is, which whoever asked first has decided. */
  async agree(name: string, value: string): Promise<string> {
    const { db } = this.#context
    const query = db.selectFrom('store_facts').select('value').where('name', '=', name)
    const found = await query.executeTakeFirst()
    if (found !== undefined) return found.value
    await db.insertInto('store_facts').values({ name, value }).execute()
    return value
  }
}
