// Secrets of organizations: values that scripts and notifications use and that nobody reads back
// over the interface. Whoever calls `get` must neither log nor return what it gives.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'

const keyBytesMax = 512

export class Secrets {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** Sorted. */
  async keys(orgId: string): Promise<string[]> {
    const query = this.#context.db.selectFrom('secrets').select('name')
    const rows = await query.where('org_id', '=', orgId).orderBy('name').execute()
    return rows.map(({ name }) => name)
  }

  /** For scripts and notifications only. */
  async get(orgId: string, key: string): Promise<string | undefined> {
    const query = this.#context.db.selectFrom('secrets').select('value')
    const named = query.where('org_id', '=', orgId).where('name', '=', key)
    return (await named.executeTakeFirst())?.value
  }

  /** Adds or overwrites; other keys stay. In a transaction where there are several. */
  async put(orgId: string, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      checkKey(name)
      await this.#context.db
        .insertInto('secrets')
        .values({ org_id: orgId, name, value })
        .onConflict((conflict) => conflict.columns(['org_id', 'name']).doUpdateSet({ value }))
        .execute()
    }
  }

  /** Keys that do not exist are no error. */
  async delete(orgId: string, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const all = this.#context.db.deleteFrom('secrets').where('org_id', '=', orgId)
      await all.where('name', '=', key).execute()
    }
  }
}

function checkKey(key: string): void {
  if (key === '') throw new UserError('invalid', 'secret key is empty')
  if (Buffer.byteLength(key) <= keyBytesMax) return
  throw new UserError('invalid', `secret keys are at most ${keyBytesMax} bytes long`)
}
