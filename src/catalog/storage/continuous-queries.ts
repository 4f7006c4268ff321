// Continuous queries: statements of a v1 database that run again and again. Each is kept as the text
// of the statement that made it; whoever runs them reads the schedule off that.

import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'

export interface ContinuousQueryBody {
  readonly database: string
  readonly name: string
  readonly text: string
}

export type ContinuousQueryRecord = CatalogRecord<ContinuousQueryBody>

export class ContinuousQueries {
  readonly #records: Records<ContinuousQueryBody>

  constructor(context: CatalogContext) {
    const uniqueName = exactName
    const noun = 'continuous query'
    this.#records = new Records(context, { kind: 'continuous-query', noun, uniqueName })
  }

  async create(orgId: string, ownerId: string | undefined, body: ContinuousQueryBody) {
    const name = keyOf(body.database, body.name)
    return this.#records.create({ orgId, ownerId, name, body })
  }

  async find(orgId: string, database: string, name: string) {
    return this.#records.findByName(orgId, keyOf(database, name))
  }

  /** In the order they were made; `orgId` undefined: of every organization. */
  async list(orgId: string | undefined): Promise<ContinuousQueryRecord[]> {
    return this.#records.list({ orgId })
  }

  async delete(id: string): Promise<boolean> {
    return this.#records.delete(id)
  }

  /** In a transaction. */
  async deleteOfDatabase(orgId: string, database: string): Promise<void> {
    for (const { id, body } of await this.list(orgId)) {
      if (body.database === database) await this.delete(id)
    }
  }
}

/** Names are unique in their database. */
function keyOf(database: string, name: string): string {
  return JSON.stringify([database, name])
}
