// The one file that knows which SQL database is underneath: SQLite, opened by the platform. Whatever
// is not portable SQL (pragmas, error codes, triggers) is asked of the platform here and nowhere else.

import { setImmediate } from 'node:timers/promises'
import { Kysely, type KyselyPlugin, type RawBuilder, SqliteDialect, sql } from 'kysely'
import { openDatabase, rowTriggers, sqliteCode } from '../../platform/sqlite.js'
import { type ChangeTracking, trackedDialect } from './change-tracking.js'
import type { CatalogTables } from './tables.js'

export interface Connection {
  readonly db: Kysely<CatalogTables>
  readonly tracking: ChangeTracking
}

/** `:memory:` opens a database that nobody else sees and that ends with `destroy`. */
export function connect(path: string): Connection {
  const tracking: ChangeTracking = {}
  const sqlite = new SqliteDialect({ database: openDatabase(path) })
  const dialect = trackedDialect(sqlite, tracking)
  return { db: new Kysely<CatalogTables>({ dialect, plugins: [new Pauses()] }), tracking }
}

/**
 * From now on every row of the table that is made, changed or deleted raises a version: the one that the row names in
 * `column`, or else the table's own.
 */
export async function countChanges<T>(db: Kysely<T>, table: string, column?: string) {
  const count = (row: string) => {
    const kind = column === undefined ? `'${table}'` : `${row}.${column}`
    return `INSERT INTO versions (kind, version) VALUES (${kind}, 1)
      ON CONFLICT (kind) DO UPDATE SET version = version + 1`
  }
  for (const trigger of rowTriggers(table, count)) await sql.raw(trigger).execute(db)
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

/**
 * Rows as one parameter, to select from: however many there are, the statement has one text and is prepared once.
 * `columns` are names in the code, and never given by anybody.
 */
export function rowsParameter<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): RawBuilder<unknown> {
  const list = columns.map((column) => `value ->> '$.${column}' AS ${column}`).join(', ')
  return sql`(SELECT ${sql.raw(list)} FROM json_each(${JSON.stringify(rows)}))`
}

/** Texts as one parameter: what `IN` takes. */
export function listParameter(texts: readonly string[]): RawBuilder<string> {
  return sql`(SELECT value FROM json_each(${JSON.stringify(texts)}))`
}

/** True where a row was refused because another one has what must be unique. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
