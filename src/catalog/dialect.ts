// The one file that knows which SQL database is underneath: SQLite, opened by the platform.
// Whatever is not portable SQL (pragmas, error codes) belongs here and nowhere else.

import { Kysely, SqliteDialect } from 'kysely'
import { openDatabase, sqliteCode } from '../platform/sqlite.js'
import type { CatalogTables } from './tables.js'

/** `:memory:` opens a database that nobody else sees and that ends with `destroy`. */
export function connect(path: string): Kysely<CatalogTables> {
  return new Kysely<CatalogTables>({ dialect: new SqliteDialect({ database: openDatabase(path) }) })
}

/** True where a row was refused because another one has what must be unique. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
