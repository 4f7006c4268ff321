// Continuous queries: statements of a v1 database that run again and again. Each is kept as the text
// of the statement that made it; whoever runs them reads the schedule off that. Their runs are in the queue of tasks.

import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'
import { parseTimestamp } from '../base/timestamps.js'
import { TaskRuns, wholeSeconds } from './task-runs.js'
import { TaskStates } from './task-states.js'

export interface ContinuousQueryBody {
  readonly database: string
  readonly name: string
  readonly text: string
}

export type ContinuousQueryRecord = CatalogRecord<ContinuousQueryBody>

export class ContinuousQueries {
  readonly #records: Records<ContinuousQueryBody>
  readonly #runs: TaskRuns
  readonly #states: TaskStates

  constructor(context: CatalogContext) {
    const uniqueName = exactName
    const noun = 'continuous query'
    this.#runs = new TaskRuns(context)
    this.#states = new TaskStates(context)
    this.#records = new Records(context, { kind: 'continuous-query', noun, uniqueName })
  }

  /** In a transaction. */
  async create(orgId: string, ownerId: string | undefined, body: ContinuousQueryBody) {
    const name = keyOf(body.database, body.name)
    const made = await this.#records.create({ orgId, ownerId, name, body })
    // The first run is for the moment at which it was made.
    const latestScheduled = wholeSeconds(parseTimestamp(made.createdAt) - 1_000_000_000n)
    await this.#states.save(new Map([[made.id, { latestScheduled }]]))
    return made
  }

  async find(orgId: string, database: string, name: string) {
    return this.#records.findByName(orgId, keyOf(database, name))
  }

  /** In the order they were made; `orgId` undefined: of every organization. */
  async list(orgId: string | undefined): Promise<ContinuousQueryRecord[]> {
    return this.#records.list({ orgId })
  }

  /** In a transaction. */
  async delete(id: string): Promise<boolean> {
    await this.#runs.deleteOfTask(id)
    await this.#states.delete(id)
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
