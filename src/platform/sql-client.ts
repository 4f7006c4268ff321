// What the process of a session with a database does, and how it is told: one request at a time, each with one reply.
// Each kind of database has a client in a file of its own.

import type {
  MysqlTarget,
  PostgresTarget,
  SqlColumn,
  SqliteAccess,
  SqlParameter,
  SqlRow,
} from './sql-connection.js'

/** Rows that travel together: some hundred kilobytes of usual ones. */
export const batchRows = 2048

export interface SqlLimits {
  /** Until a connection stands. */
  readonly connectSecondsMax: number
  /** Of one session, from its first byte to its last. */
  readonly sessionSecondsMax: number
  /** Of the whole service at once: each is a process. */
  readonly sessionsMax: number
  /** What a server may send in one session. */
  readonly receivedBytesMax: number
}

/** Addresses that were found good: nobody looks the host's name up again. */
interface Reachable {
  readonly addresses: readonly string[]
}

export type ReachableTarget =
  | (PostgresTarget & Reachable)
  | (MysqlTarget & Reachable)
  | { readonly kind: 'sqlite'; readonly file: string; readonly access: SqliteAccess }

export type SqlRequest =
  | { readonly kind: 'connect'; readonly target: ReachableTarget; readonly limits: SqlLimits }
  | { readonly kind: 'query'; readonly sql: string }
  | { readonly kind: 'next' }
  | {
      readonly kind: 'execute'
      readonly sql: string
      readonly parameters: readonly SqlParameter[]
    }
  | { readonly kind: 'close' }

export type SqlReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'columns'; readonly columns: readonly SqlColumn[] }
  | { readonly kind: 'rows'; readonly rows: readonly SqlRow[] }
  | { readonly kind: 'failed'; readonly text: string }

export interface SqlClient {
  query(sql: string): Promise<readonly SqlColumn[]>
  /** Of the query asked last, in order; none at its end. */
  next(): Promise<readonly SqlRow[]>
  execute(sql: string, parameters: readonly SqlParameter[]): Promise<void>
  close(): Promise<void>
}

/** A failure in the words that the database's users know. */
export type Describe = (error: unknown) => string

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
