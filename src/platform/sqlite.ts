// SQLite, as the rest of the house may use it: the only file that knows the package behind it. A database opened here
// has committed durably when a transaction returns.

import Libsql from 'libsql'
import { CorruptionError, DiskError } from '../errors.js'

/** Parameters always travel as one array: the package takes a lone `null` for an object of named ones. */
export interface Statement {
  /** Whether it returns rows. */
  readonly reader: boolean
  all(parameters?: readonly unknown[]): unknown[]
  run(parameters?: readonly unknown[]): {
    changes: number | bigint
    lastInsertRowid: number | bigint
  }
  iterate(parameters?: readonly unknown[]): IterableIterator<unknown>
}

/**
 * What is used of the package's object, which is returned as it is. Its `get` is left out on purpose: it adds a
 * `_metadata` property to the row.
 */
export interface Database {
  readonly open: boolean
  readonly inTransaction: boolean
  prepare(sql: string): Statement
  exec(sql: string): unknown
  close(): void
}

// Readers do not wait for the writer (WAL), a commit is on disk before it returns (FULL), and a lock held by a backup
// or a command line tool is waited for instead of failing at once.
const pragmas = [
  'PRAGMA busy_timeout = 5000',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA foreign_keys = ON',
]

/** Opens the database, making it where there is none. `:memory:` is one that ends with its object. */
export function openDatabase(path: string): Database {
  const database = connect(path)
  try {
    for (const pragma of pragmas) database.exec(pragma)
    return database
  } catch (error) {
    database.close()
    if (sqliteCode(error) === 'SQLITE_NOTADB' || sqliteCode(error) === 'SQLITE_CORRUPT') {
      throw new CorruptionError(path, 0, 'not a database')
    }
    throw new DiskError(path, `cannot open database: ${messageOf(error)}`, error)
  }
}

/** A connection with SQLite's own defaults, for those who need other settings than `openDatabase` gives. */
export function connect(path: string): Database {
  try {
    return new Libsql(path) as unknown as Database
  } catch (error) {
    throw new DiskError(path, `cannot open database: ${messageOf(error)}`, error)
  }
}

/** `SQLITE_BUSY`, `SQLITE_CONSTRAINT_UNIQUE`, ...; undefined where the error is not one of SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Libsql.SqliteError ? error.code : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
