// Which SQL database is underneath: a SQLite file, or PostgreSQL by its URL. Whatever is not portable SQL (settings,
// error codes, triggers) is here and in the files named after the databases, and nowhere else.

import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { UserError } from '../../errors.js'
import { rowTriggers } from '../../platform/sqlite.js'
import type { Connection } from './connection.js'
import { countingStatement } from './counted-changes.js'
import { postgresRowTriggers } from './postgres-triggers.js'
import { connectSqlite } from './sqlite-dialect.js'
import type { CatalogTables } from './tables.js'

/** A URL of PostgreSQL, the path of a file, or `:memory:`. */
export function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address)
}

/** The client of PostgreSQL is loaded by those who need it. */
export async function connect(address: string): Promise<Connection> {
  if (!isPostgres(address)) return connectSqlite(address)
  const { connectPostgres } = await import('./postgres-dialect.js')
  return connectPostgres(address)
}

/**
 * From now on every row of the table that is made, changed or deleted raises a version: the one that the row names in
 * `column`, or else the table's own.
 */
export async function countChanges<T>(db: Kysely<T>, table: string, column?: string) {
  const make = isPostgresDatabase(db) ? postgresRowTriggers : rowTriggers
  const triggers = make(table, countingStatement(table, column))
  for (const trigger of triggers) await sql.raw(trigger).execute(db)
}

/** Asked by name, instead of looking at all tables with all their columns. */
export async function hasTable<T>(db: Kysely<T>, name: string): Promise<boolean> {
  const question = isPostgresDatabase(db)
    ? sql`SELECT 1 WHERE to_regclass(${name}) IS NOT NULL`
    : sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${name}`
  return (await question.execute(db)).rows.length > 0
}

function isPostgresDatabase<T>(db: Kysely<T>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * Rows of a table as one parameter, to select from: however many there are, the statement has one text and is prepared
 * once. Table and columns are names in the code, and never given by anybody.
 */
export function rowsParameter<Name extends keyof CatalogTables & string>(
  db: Kysely<CatalogTables>,
  table: Name,
  columns: readonly (keyof CatalogTables[Name] & string)[],
  rows: readonly object[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  if (isPostgresDatabase(db)) {
    const row = sql.raw(`null::${table}`)
    return sql`(SELECT ${sql.raw(columns.join(', '))} FROM json_populate_recordset(${row}, ${json}::json))`
  }
  const list = columns.map((column) => `value ->> '$.${column}' AS ${column}`).join(', ')
  return sql`(SELECT ${sql.raw(list)} FROM json_each(${json}))`
}

/** Texts as one parameter: what `IN` takes. */
export function listParameter(
  db: Kysely<CatalogTables>,
  texts: readonly string[],
): RawBuilder<string> {
  const json = JSON.stringify(texts)
  if (isPostgresDatabase(db)) return sql`(SELECT json_array_elements_text(${json}::json))`
  return sql`(SELECT value FROM json_each(${json}))`
}

const uniqueViolations = ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']

/** True where a row was refused because another one has what must be unique. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && uniqueViolations.includes(`${error.code}`)
}

/** Throws what is told where a row was refused because another one has what must be unique, or else the error. */
export function throwTaken(error: unknown, taken: () => UserError): never {
  if (!isUniqueViolation(error)) throw error
  const told = taken()
  // By it a transaction knows that it is worth another try.
  told.cause = error
  throw told
}
