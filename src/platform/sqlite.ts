// SQLite, as the rest of the house may use it: the only file that knows the package behind it. A database opened here
// has committed durably when a transaction returns, and prepares a statement once, however often it is run.

import { createRequire } from 'node:module'
import type Libsql from 'libsql'
import { CorruptionError, DiskError } from '../errors.js'
import { diskFailure, systemError } from './disk-failure.js'

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
 * What is used of the package's object. Its `get` is left out on purpose: it adds a `_metadata` property to the row.
 */
export interface Database {
  readonly open: boolean
  readonly inTransaction: boolean
  prepare(sql: string): Statement
  exec(sql: string): unknown
  close(): void
}

export interface DeclaredColumn {
  readonly name: string
  /** null: an expression, or a column of no type. */
  readonly type: string | null
}

/** For those who do not know what a statement gives: rows as arrays, with whole numbers as bigint. */
export interface RawStatement {
  readonly reader: boolean
  columns(): readonly DeclaredColumn[]
  iterate(): IterableIterator<readonly (string | number | bigint | Uint8Array | null)[]>
}

/** Of a database that `connect` opened. */
export function rawStatement(database: Database, sql: string): RawStatement {
  const statement = database.prepare(sql) as unknown as {
    raw(): { safeIntegers(): RawStatement }
  }
  return statement.raw().safeIntegers()
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
export function openDatabase(path: string): PreparedDatabase {
  const database = connect(path)
  try {
    for (const pragma of pragmas) database.exec(pragma)
    return new PreparedDatabase(database)
  } catch (error) {
    database.close()
    if (sqliteCode(error) === 'SQLITE_NOTADB' || sqliteCode(error) === 'SQLITE_CORRUPT') {
      throw new CorruptionError(path, 0, 'not a database')
    }
    throw new DiskError(path, `cannot open database: ${messageOf(error)}`, error)
  }
}

/** Its binary is a package for each kind of machine, which npm leaves out with --omit=optional. */
function load(): typeof Libsql {
  try {
    return createRequire(import.meta.url)('libsql') as typeof Libsql
  } catch (error) {
    const missing = /@libsql\/[\w-]+/.exec(messageOf(error))?.[0]
    if (missing === undefined) throw error
    throw new Error(
      `SQLite is not installed here: run 'npm install ${missing}' where Millrace is installed`,
    )
  }
}

/** A connection with SQLite's own defaults, for those who need other settings than `openDatabase` gives. */
export function connect(path: string): Database {
  const Driver = load()
  try {
    return new Driver(path) as unknown as Database
  } catch (error) {
    throw new DiskError(path, `cannot open database: ${messageOf(error)}`, error)
  }
}

/** Lists of ids make a statement per length: more than there are lengths of a page, and all others. */
const statementsMax = 500

/**
 * Statements are kept, the least recently used ones leave. Preparing is most of what a small question costs (of 48 us
 * for one row, 28), and the package frees a statement only when the garbage collector finds its small handle: 300,000
 * rows looked up and inserted one by one left 3 GB behind.
 */
export class PreparedDatabase implements Database {
  readonly #database: Database
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  get open(): boolean {
    return this.#database.open
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  prepare(sql: string): Statement {
    const known = this.#statements.get(sql)
    const statement = known ?? new PreparedStatement(this.#database, sql)
    // Whatever is set anew stands last.
    if (known !== undefined) this.#statements.delete(sql)
    else if (this.#statements.size >= statementsMax) this.#forgetOldest()
    this.#statements.set(sql, statement)
    return statement
  }

  #forgetOldest(): void {
    for (const oldest of this.#statements.keys()) {
      this.#statements.delete(oldest)
      return
    }
  }

  exec(sql: string): unknown {
    return this.#database.exec(sql)
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}

class PreparedStatement implements Statement {
  readonly reader: boolean
  readonly #database: Database
  readonly #sql: string
  readonly #statement: Statement

  constructor(database: Database, sql: string) {
    this.#database = database
    this.#sql = sql
    this.#statement = database.prepare(sql)
    this.reader = this.#statement.reader
  }

  all(parameters: readonly unknown[] = []): unknown[] {
    return this.#statement.all(parameters)
  }

  run(parameters: readonly unknown[] = []): ReturnType<Statement['run']> {
    return this.#statement.run(parameters)
  }

  /** A statement of its own: while somebody takes row by row, another may ask the same. */
  iterate(parameters: readonly unknown[] = []): IterableIterator<unknown> {
    return this.#database.prepare(this.#sql).iterate(parameters)
  }
}

/** Statements that make one triggered by every row inserted, updated or deleted; `work` is given the row's name. */
export function rowTriggers(table: string, work: (row: string) => string): string[] {
  const events = [
    ['inserted', 'INSERT', 'NEW'],
    ['updated', 'UPDATE', 'NEW'],
    ['deleted', 'DELETE', 'OLD'],
  ]
  return events.map(
    ([name, event, row]) =>
      `CREATE TRIGGER ${table}_${name} AFTER ${event} ON ${table} BEGIN ${work(row)}; END`,
  )
}

/** `SQLITE_BUSY`, `SQLITE_CONSTRAINT_UNIQUE`, ...; undefined where the error is not one of SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'SqliteError') return undefined
  return (error as InstanceType<typeof Libsql.SqliteError>).code
}

/** What the disk has to do with an error of SQLite; undefined: nothing. */
export function sqliteFailure(
  path: string,
  error: unknown,
): DiskError | CorruptionError | undefined {
  const code = sqliteCode(error) ?? ''
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return new CorruptionError(path, 0, messageOf(error))
  }
  const system = diskCodes.find(([prefix]) => code.startsWith(prefix))
  if (system === undefined) return undefined
  return diskFailure('change the catalog', path, systemError(system[1]))
}

/** By the beginning of SQLite's code: the system's own. */
const diskCodes: readonly (readonly [string, string])[] = [
  ['SQLITE_FULL', 'ENOSPC'],
  ['SQLITE_READONLY', 'EROFS'],
  ['SQLITE_IOERR', 'EIO'],
  ['SQLITE_CANTOPEN', 'EIO'],
]

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
