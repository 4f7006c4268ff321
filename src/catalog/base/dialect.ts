// The one file that knows which SQL database is underneath: SQLite, opened by the platform.
// Whatever is not portable SQL (pragmas, error codes) belongs here and nowhere else.

import { setImmediate } from 'node:timers/promises'
import { Kysely, type KyselyPlugin, SqliteDialect } from 'kysely'
import { openDatabase, sqliteCode } from '../../platform/sqlite.js'
import type { CatalogTables } from './tables.js'

export interface Connection {
  readonly db: Kysely<CatalogTables>
  /**
   * Grows whenever something may have changed: while it stays the same, so does every answer. Here it counts
   * statements, because one process has the database for itself.
   */
  changeCount(): number
}

/** `:memory:` opens a database that nobody else sees and that ends with `destroy`. */
export function connect(path: string): Connection {
  const database = openDatabase(path)
  const dialect = new SqliteDialect({ database })
  const db = new Kysely<CatalogTables>({ dialect, plugins: [new Pauses()] })
  return { db, changeCount: () => database.changeCount }
}

/** About 10 ms of small statements. */
const statementsPerPause = 200

/**
 * SQLite answers at once, so that a long transaction would never let go of the thread: no write would be served until
 * it is over, and nothing that statements leave to be freed later would be (1 kB each, 220 MB after 100,000 tokens).
 */
class Pauses implements KyselyPlugin {
  #statements = 0

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => {
    if (++this.#statements % statementsPerPause === 0) await setImmediate()
    return result
  }
}

/** True where a row was refused because another one has what must be unique. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
