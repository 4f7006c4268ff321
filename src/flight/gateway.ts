// What Flight must be given: who somebody is, queries in a language that run, the tables of a database.
// Types only; whoever joins the parts of the house brings them, in both variants of the service.

import type { ErrorCode } from '../errors.js'
import type { DatabaseTable } from '../query/database-tables.js'
import type { ResultBatch, ResultPiece } from '../query/language.js'

export type QueryLanguage = 'sql' | 'influxql'
export type Parameter = null | boolean | number | bigint | string

export interface FlightQuery {
  readonly language: QueryLanguage
  readonly database: string
  readonly text: string
  readonly params: ReadonlyMap<string, Parameter>
}

export interface QueryDurations {
  readonly planningNs: bigint
  /** Until it was its turn. */
  readonly queueNs: bigint
  readonly executionNs: bigint
}

export interface OpenQuery {
  /** Has at least one batch, or fails, where the language can tell the columns without rows. */
  readonly pieces: AsyncIterable<ResultPiece>
  /** The columns of the answer as a batch without rows; undefined: only the pieces tell. */
  describe(): Promise<ResultBatch | undefined>
  /** Ends it for a reason of the caller's: a client that went. */
  stop(reason: Error): void
  /** Where the time went until now. */
  durations(): QueryDurations
  /** Told of the bytes of the answer. */
  sent(bytes: number): void
  /** Must be called when the query has ended, however it did. */
  end(): void
}

/** Somebody whose credential is good. Throws UserError where they may not read the database or it is missing. */
export interface Asker {
  open(query: FlightQuery): Promise<OpenQuery>
  requireDatabase(database: string): Promise<void>
  /** Sorted by name. `hasColumns` false: the columns are left out. */
  tables(database: string, hasColumns: boolean): Promise<readonly DatabaseTable[]>
}

export interface FlightFailure {
  readonly code: ErrorCode
  readonly message: string
}

export interface FlightGateway {
  /** Throws UserError `unauthorized` where the credential is missing or not good. */
  identify(authorization: string | undefined): Promise<Asker>
  /** How an error is told to the client; those of our own are logged, and told without their insides. */
  failure(error: unknown): FlightFailure
}
