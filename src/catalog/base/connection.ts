// What the catalog is given of its database, whichever it is: tables to ask, a word after each change, and what
// several processes that share it need.

import type { Kysely } from 'kysely'
import type { ChangeWitness } from '../../platform/change-witness.js'
import type { Random } from '../../platform/random.js'
import type { ChangeTracking } from './change-tracking.js'
import type { CatalogTables, NodeQuestionRow } from './tables.js'

export interface Connection {
  readonly db: Kysely<CatalogTables>
  readonly tracking: ChangeTracking
  /** Whether a transaction that failed with this error may well succeed when it is done again. */
  isRepeatable(error: unknown): boolean
  /** Writes all of it, as it is at one moment, into a new file. Absent: the database has its own tools for that. */
  copyTo?(path: string): Promise<void>
  /** Of one that lies where nobody can write: changes are refused from then on. */
  refuseChanges?(): Promise<void>
  /** After it was closed. */
  discard?(): void
  /** Of a database in a file: how many changes it must know of. */
  readonly witness?: ChangeWitness
  /** Of a database that several processes have open. */
  readonly shared?: SharedDatabase
}

export interface Hearing {
  /** Something was changed, or may have been: also called after each connection. */
  changed(): void
  /** Somebody asks something of all processes. */
  asked(questionId: string): void
}

export interface SharedDatabase {
  /** The same database; changes made through it are not looked for. */
  readonly untracked: Kysely<CatalogTables>
  /** Begins to hear what anybody tells, until it is closed. */
  listen(nodeId: string, random: Random, hearing: Hearing): Promise<void>
  /** Keeps the question for whoever is to answer it, and tells all who listen of it. */
  tellQuestion(question: NodeQuestionRow): Promise<void>
  /** Which of these nodes are connected. */
  connected(nodeIds: readonly string[]): Promise<Set<string>>
  close(): Promise<void>
}
