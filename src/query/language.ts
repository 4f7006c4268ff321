// WAIST 2, types only. Every query language is this to the service: a text is prepared once and run as
// a stream of result pieces, as often as it is asked. Nobody above knows a language's words; nobody
// below knows how an answer is encoded or sent.

import type { Column, Validity } from '../column/column.js'
import type { Tag } from '../column/series.js'
import type { TimeColumn } from '../column/time.js'
import type { PullStream } from '../platform/pull-stream.js'
import type { Cell, Chunk, TableColumn } from './table.js'

/** Moments as a column of a result. A row without one is marked in `validity`. */
export interface TimestampColumn {
  readonly type: 'time'
  readonly times: TimeColumn
  readonly validity: Validity
}

/** Lists of texts as a column of a result: few rows, of statements about the service itself. */
export interface ListColumn {
  readonly type: 'list'
  readonly lists: readonly (readonly string[])[]
  readonly validity: Validity
}

export type ResultColumn = Column | TimestampColumn | ListColumn

/** What a column is in the table that it comes from, or that it is part of a group key; undefined: it was computed. */
export type ColumnRole = 'time' | 'tag' | 'field' | 'group' | undefined

/**
 * Rows of one table of an answer. All tables of a result with the same `name`, `tags` and `columns` that follow each
 * other are one table in pieces. The arrays belong to the reader until it asks for the next piece.
 */
export interface ResultBatch {
  readonly kind: 'batch'
  /** Which result of the query it belongs to, counted from 0: in InfluxQL the statement. */
  readonly result: number
  /** The measurement, or the result's own name; empty: none. */
  readonly name: string
  /** What all its rows share, sorted by key; values may be empty. */
  readonly tags: readonly Tag[]
  readonly columnNames: readonly string[]
  readonly columns: readonly ResultColumn[]
  /** One per column, for readers that tell tags from fields; absent: nothing is known of any. */
  readonly columnRoles?: readonly ColumnRole[] | undefined
  readonly rowCount: number
  /** Zone in which moments are printed; undefined: UTC. */
  readonly zone?: string | undefined
}

/** The result begins; comes once for each, before anything else of it, also when it stays empty. */
export interface ResultStart {
  readonly kind: 'start'
  readonly result: number
  /** Warnings to be told with the result. */
  readonly messages: readonly string[]
  /**
   * How a reader that asked for chunks gets the result: each table in one (`tables`), or everything (`one`). Absent: as
   * many rows of a table as it asked for.
   */
  readonly chunks?: 'tables' | 'one' | undefined
}

/** The result ended early. Results behind it may still follow. */
export interface ResultFailure {
  readonly kind: 'failure'
  readonly result: number
  readonly error: Error
}

export type ResultPiece = ResultStart | ResultBatch | ResultFailure

/** A table with a group key begins (Flux). What rows follow before the next one are its rows; there may be none. */
export interface ResultTable {
  readonly kind: 'table'
  /** The result's name. */
  readonly name: string
  /** Its number within the result, counted from 0: with 0, a result begins. */
  readonly table: number
  readonly columns: readonly ResultTableColumn[]
}

export interface ResultTableColumn extends TableColumn {
  readonly isGroup: boolean
  /** What a column of the group key has in every row; null: no value, and for columns outside the key. */
  readonly value: Cell | null
}

/** Rows of the table that began last. The arrays belong to the reader until it asks for the next piece. */
export interface ResultRows extends Chunk {
  readonly kind: 'rows'
}

/** What a language whose answers are tables with group keys gives. A failure is thrown: nothing comes behind it. */
export type TablePiece = ResultTable | ResultRows

/** What a request gives along with the text. */
export interface QueryParameters {
  /** Bind parameters by name (`$name`; in Flux the record `params`), as JSON and Flight bring them. */
  readonly values?: ReadonlyMap<string, unknown> | undefined
  /** Statements that stand before the text, as the JSON of their syntax tree (Flux). */
  readonly extern?: unknown
}

/**
 * A text without the literals that change from one request to the next: the times and the names of hosts in the
 * conditions of a dashboard. Texts of one shape are prepared once.
 */
export interface QueryShape {
  /** Two texts with the same key differ in these literals only. */
  readonly key: string
  /** In the order in which they stand in the text; what they are is the language's own business. */
  readonly literals: readonly unknown[]
}

/** A query that was understood. It does not change, and may run any number of times, also at the same time. */
export interface Prepared<Scope, Piece = ResultPiece> {
  /** Whether it may be cached by its text: it only reads. Other statements may hold passwords. */
  readonly isCacheable: boolean
  /**
   * Whether a run reads points and does nothing else: it may be given up and begun again, on another thread, as long as
   * nothing of its answer has left. Absent: it may not.
   */
  readonly onlyReads?: boolean
  /** `literals`: of a text of the shape that it was prepared with; absent: those of its own text. */
  run(scope: Scope, signal: AbortSignal, literals?: readonly unknown[]): PullStream<Piece>
  /**
   * The columns of the answer as a batch without rows, found without reading points: what `run` gives has the same
   * names, types, roles and tag keys; the values of tags and the name may differ. Resolves to undefined, as if it were
   * not there, where only the rows can tell. Throws what the query would fail with before its first row.
   */
  describe?(
    scope: Scope,
    signal: AbortSignal,
    literals?: readonly unknown[],
  ): Promise<ResultBatch | undefined>
}

/** `Scope` is what a run must know besides the text: where names lead, the time, the limits. */
export interface Language<Scope, Piece = ResultPiece> {
  /**
   * Throws UserError with line and column when the text cannot be understood. `shape`: what `shape` found in this text;
   * the query then runs with the literals of any text of that shape.
   */
  prepare(text: string, parameters?: QueryParameters, shape?: QueryShape): Prepared<Scope, Piece>
  /** Cheap: it is asked for every query. Undefined, or absent: the text has to be prepared as it is. */
  shape?(text: string): QueryShape | undefined
  /** Reads a text to its end, which `prepare` leaves to the first run. Throws UserError; absent: `prepare` does it. */
  check?(text: string, memoryBytesMax: number, signal: AbortSignal): Promise<void>
}
