// What deletes have emptied of a store elsewhere, as its processes agree on it. Before series leave the index of a
// measurement its *generation* rises, which every process hears of: what a process has told the index before, it tells
// again when it writes the next time, under the new generation, and only what was told under an older one is removed.
// So nothing is removed that a write relies on, however late the removal comes.

import type { CatalogContext } from '../base/context.js'
import type { RegisteredSpan } from './store-registry.js'

/** Rows in one statement. */
const rowsMax = 500

export interface NotedDeletes {
  readonly number: number
  readonly bucket: string
  /** How many. */
  readonly deletes: number
}

export class StoreEmptied {
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
  }

  /** In a transaction. By number. */
  async nextGeneration(numbers: readonly number[]): Promise<Map<number, number>> {
    const { db } = this.#context
    const generations = new Map<number, number>()
    for (let at = 0; at < numbers.length; at += rowsMax) {
      const rows = numbers.slice(at, at + rowsMax).map((number) => ({ number, generation: 1 }))
      await db
        .insertInto('store_generations')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .column('number')
            .doUpdateSet({ generation: ({ eb }) => eb('store_generations.generation', '+', 1) }),
        )
        .execute()
      const own = rows.map(({ number }) => number)
      const query = db.selectFrom('store_generations').selectAll().where('number', 'in', own)
      for (const row of await query.execute()) generations.set(row.number, row.generation)
    }
    return generations
  }

  /** In a transaction: of spans that nobody told of since this generation. Those without fields go. */
  async saveLeft(
    number: number,
    generation: number,
    left: readonly RegisteredSpan[],
  ): Promise<void> {
    const { db } = this.#context
    for (const { span, fields } of left) {
      const old = [
        ['number', '=', number],
        ['span', '=', span],
        ['generation', '<=', generation],
      ] as const
      const text = JSON.stringify(fields)
      let [gone, changed] = [db.deleteFrom('store_spans'), db.updateTable('store_spans')]
      for (const [column, op, value] of old) {
        gone = gone.where(column, op, value)
        changed = changed.where(column, op, value)
      }
      if (fields.length === 0) await gone.execute()
      else await changed.set({ fields: text }).execute()
    }
  }

  /** A delete begins that may empty something of these. */
  async note(bucket: string, numbers: readonly number[]): Promise<void> {
    for (let at = 0; at < numbers.length; at += rowsMax) {
      const some = numbers.slice(at, at + rowsMax)
      const rows = some.map((number) => ({ number, bucket_id: bucket, deletes: 1 }))
      await this.#context.db
        .insertInto('store_emptied')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .column('number')
            .doUpdateSet({ deletes: ({ eb }) => eb('store_emptied.deletes', '+', 1) }),
        )
        .execute()
    }
  }

  /** In a transaction: what so many deletes of each have emptied has left. */
  async forget(numbers: readonly number[], deletes: number): Promise<void> {
    const { db } = this.#context
    for (let at = 0; at < numbers.length; at += rowsMax) {
      const some = numbers.slice(at, at + rowsMax)
      await db
        .updateTable('store_emptied')
        .set({ deletes: ({ eb }) => eb('deletes', '-', deletes) })
        .where('number', 'in', some)
        .execute()
      await db
        .deleteFrom('store_emptied')
        .where('number', 'in', some)
        .where('deletes', '<=', 0)
        .execute()
    }
  }

  async noted(): Promise<NotedDeletes[]> {
    const query = this.#context.db.selectFrom('store_emptied')
    return query.select(['number', 'bucket_id as bucket', 'deletes']).execute()
  }
}
