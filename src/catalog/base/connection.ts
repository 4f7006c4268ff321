// What the catalog is given of its database, whichever it is: tables to ask, a word after each change, and what
// several processes that share it need.

import type { Kysely } from 'kysely'
import type { ChangeWitness } from '../../platform/change-witness.js'
import type { Random } from '../../platform/random.js'
import type { ChangeTracking } from './change-tracking.js'
import type { SealedLog } from './sealed-log.js'
import type { CatalogTables, NodeQuestionRow } from './tables.js'

export interface Connection {
  readonly db: Kysely<CatalogTables>
  readonly tracking: ChangeTracking
  /** Whether a transaction that failed with this error may well succeed when it is done again. */
  isRepeatable(error: unknown): boolean
  /** Runs the script in one transaction where the database has nothing in it, and tells whether it had nothing. */
  fillNew?(script: () => string): boolean
  /** Writes all of it, as it is at one moment, into a new file. Absent: the database has its own tools for that. */
  copyTo?(path: string): Promise<void>
  /** Of one that lies where nobody can write: changes are refused from then on. */
  refuseChanges?(): Promise<void>
  /** After it was closed. */
  discard?(): void
  /** Of a database in a file: how many changes it must know of. */
  readonly witness?: ChangeWitness
  /** Of a database in a file: what carries over its log, and knows whether the file is as it was written. */
  readonly log?: SealedLog
  /** Of a database that several processes have open. */
  readonly shared?: SharedDatabase
}

export interface Hearing {
  /** Something was changed, or may have been: also called after each connection. */
  changed(): void
  /** Somebody asks something of all processes. */
  asked(questionId: string): void
  /** A node has seen everything up to this change. */
  seen(nodeId: string, change: number): void
}

/** What a node says of itself from time to time. */
export interface NodeSign {
  readonly id: string
  readonly url: string
  readonly seenChange: number
  readonly leaseUntil: string
}

export interface BehindNode {
  readonly id: string
  readonly isConnected: boolean
}

export interface SharedDatabase {
  /**
   * The same database; changes made through it are not looked for. Over connections of its own, so that nobody who
   * waits for a node waits for its other work too, and each statement by itself: transactions need more than that.
   */
  readonly untracked: Kysely<CatalogTables>
  /** Begins to hear what anybody tells, until it is closed. */
  listen(nodeId: string, random: Random, hearing: Hearing): Promise<void>
  /** Keeps the question for whoever is to answer it, and tells all who listen of it. */
  tellQuestion(question: NodeQuestionRow): Promise<void>
  /** Keeps the sign in the node's row, and tells all who listen what it has seen. False: it has no row. */
  tellSeen(sign: NodeSign): Promise<boolean>
  /** Nodes with a lease that have not seen this change yet, and whether they are connected. */
  behind(change: number, now: string): Promise<readonly BehindNode[]>
  /** Which of these nodes are connected. */
  connected(nodeIds: readonly string[]): Promise<Set<string>>
  close(): Promise<void>
}
